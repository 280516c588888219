import { AUTH_PATH, respond } from '../../simulator/answer.ts';
import { createBackend, type SimulatedBackend } from '../../simulator/backend.ts';
import { buildWorkspace } from '../../simulator/build.ts';
import { applyEdit, type Edited, editorsOf } from './edits.ts';
import type { Boundary, Coverage } from './faults.ts';
import { compressed, type Reply, type Sent } from './http.ts';
import { History } from './oracle/history.ts';
import type { SecretsOracle } from './oracle/violation.ts';
import type { Outage, Poison, Sick } from './plan/service.ts';
import type { Edit, Plan } from './plan.ts';
import { RestlessList } from './restless.ts';
import type { Scheduler } from './scheduler.ts';
import { PROCESS, processesIn } from './shared.ts';

export const ORIGIN = 'https://service.example';

/** The edit of the project that can't be read from then on. */
const EDIT: Edit = { edit: 'update project', a: 0, b: 0, value: 0, by: [0], audit: true, touch: true };

/** How long ago the entries were made that the audit log has at the beginning. */
const HISTORY_MS = 3 * 3_600_000;

/** How far behind the last pass each one asks again, where nothing else is configured. */
const OVERLAP_MS = 120_000;

/** How long a slow process takes for an answer, in ms: less than the time-out of a request. */
const SLOW_MS = 12_000;

/** The service, with the history of its states. */
export class ServiceSide {
  readonly backend: SimulatedBackend;
  /** By process. */
  readonly histories: ReadonlyMap<string, History>;
  readonly edits: Edited[] = [];
  /** By process: projects whose task list changed between two pages, so that a reading may have missed some tasks. */
  readonly shifted: ReadonlyMap<string, Set<string>>;
  /** Requests so far, without those for a token, and those that were refused because of an expired one. */
  requests: string[] = [];
  /** From when to when each request of a run was under way, in ms. */
  readonly exchanges: { readonly path: string; readonly since: number; readonly until: number }[] = [];
  /** Those whose answers came in time. */
  answered: string[] = [];
  readonly #secrets: SecretsOracle;
  readonly #coverage: Coverage;
  readonly #poison: Poison | undefined;
  readonly #compresses: boolean;
  readonly #processes: readonly string[];
  readonly #outages: readonly Outage[];
  readonly #sick: Sick | undefined;
  /** What is wrong with the whole service now, and with which of its processes. */
  #outage: Outage | undefined;
  #sickNow: { readonly processId: string; readonly how: Sick['how'] } | undefined;
  /** The project whose tasks can't be read now. */
  #poisoned: string | undefined;
  readonly restless: RestlessList;
  /** When the first page of a list was last asked for. */
  #firstPage = 0;
  /** By process: edits that take a row out of a list, or move it. */
  readonly #shifts = new Map<string, number>();
  /** By list: the number of shifts when its first page was last asked for. */
  readonly #begun = new Map<string, number>();

  constructor(plan: Plan, scheduler: Scheduler, secrets: SecretsOracle, coverage: Coverage) {
    this.#coverage = coverage;
    this.#poison = plan.poison;
    this.#compresses = plan.compressed;
    this.shifted = new Map(processesIn(plan).map(id => [id, new Set()]));
    this.#processes = processesIn(plan);
    this.#outages = plan.outages;
    this.#sick = plan.sick;
    let ago = HISTORY_MS;
    const clock = () => scheduler.wall + plan.skew.service - ago;
    this.#secrets = secrets;
    this.backend = createBackend({
      clock,
      origin: ORIGIN,
      freedoms: plan.freedoms,
      workspace: buildWorkspace({
        now: clock() - 86_400_000 + ago,
        processes: [
          { id: PROCESS, projects: plan.workspace.projects, tasksPerProject: plan.workspace.tasks },
          ...this.#processes.slice(1).map((id, index) => ({ id, projects: 2 + index, tasksPerProject: 1 })),
        ],
      }),
    });
    secrets.learn(this.backend.credentials.clientSecret);
    const [first] = this.backend.workspace().processes.get(PROCESS)?.projects.keys() ?? [];
    for (let entry = 0; first !== undefined && entry < plan.history; entry++)
      this.backend.edit.touchProject(PROCESS, first);
    ago = 0;
    this.histories = new Map(this.#processes.map(id => [id, new History(this.backend, id)]));
    this.restless = new RestlessList(plan.restless, this.backend, coverage, id => {
      this.history.note();
      this.#shift(PROCESS);
      this.edits.push({ projects: [id], visible: 'by a sweep' });
    });
  }

  /** The history of the process that most of the plan is about. */
  get history(): History {
    return this.histories.get(PROCESS) as History;
  }

  /** The plan's step with this number begins. */
  reach(step: number): void {
    this.#outage = this.#outages.find(one => isDuring(one, step));
    const others = this.#processes.slice(1);
    const processId = this.#sick && others[this.#sick.process % others.length];
    this.#sickNow =
      this.#sick && processId !== undefined && isDuring(this.#sick, step)
        ? { processId, how: this.#sick.how }
        : undefined;
    const { from = Infinity, steps = 0, project = 0 } = this.#poison ?? {};
    const ids = [...(this.backend.workspace().processes.get(PROCESS)?.projects.keys() ?? [])];
    if (step === from) {
      this.#poisoned = ids[project % ids.length];
      if (this.#poison?.edited) this.edit({ ...EDIT, a: project, value: project });
    }
    if (step === from + steps) this.#poisoned = undefined;
    this.restless.reach(step);
  }

  heal(): void {
    this.#outage = undefined;
    this.#sickNow = undefined;
    this.#poisoned = undefined;
    this.restless.rest();
  }

  sendDate(header: boolean): void {
    const { freedoms } = this.backend;
    if (freedoms.dateHeader !== header)
      this.#coverage.add('clock', header ? 'Date appears' : 'Date disappears');
    freedoms.dateHeader = header;
  }

  /** From now on the whole service does not work, until `heal`. */
  breakDown(how: Outage['how'], seconds: number): void {
    this.#outage = { from: 0, steps: 0, how, seconds };
  }

  /** From now on all requests about this process fail, until `heal`. */
  sicken(processId: string, how: Sick['how']): void {
    this.#sickNow = { processId, how };
  }

  edit(step: Edit): void {
    const processId = this.#processes[(step.in ?? 0) % this.#processes.length] as string;
    const edited = applyEdit(this.backend, processId, step);
    this.histories.get(processId)?.note(editorsOf(this.backend, step));
    const isInOrderOfUpdates = this.backend.freedoms.listOrder !== 'made';
    if (isInOrderOfUpdates || step.edit.startsWith('delete') || step.edit === 'move task')
      this.#shift(processId);
    if (processId !== PROCESS) {
      this.#coverage.add('neighbour', 'edited');
      return;
    }
    if (edited) this.edits.push(edited);
  }

  serve(sent: Sent): Reply {
    const { method, path, headers, body } = sent;
    const outage = this.#outageAnswer(path);
    if (outage) return outage;
    if (serviceBoundary({ path }) === 'service.projects' && processIn(path) === PROCESS)
      this.restless.asked(new URLSearchParams(path.split('?')[1]));
    const answer = respond(this.backend, {
      method,
      url: path,
      authorization: headers.authorization,
      contentType: headers['content-type'],
      body,
    });
    if (path.startsWith(AUTH_PATH)) this.#learnToken(answer.text);
    else if (answer.status !== 401) {
      this.requests.push(path);
      this.#noteViews(path);
    }
    const reply = this.#poisonedAnswer(path) ?? this.#sickAnswer(path, answer);
    if (!this.#compresses || !headers['accept-encoding']?.includes('gzip')) return reply;
    this.#coverage.add('service', 'answered compressed');
    return compressed(reply);
  }

  /** What a service answers that does not work for anybody. */
  #outageAnswer(path: string): Reply | undefined {
    if (!this.#outage) return undefined;
    const { how, seconds } = this.#outage;
    // A service that asks for pauses, or hangs, may go on giving tokens.
    if (how !== 'refused' && path.startsWith(AUTH_PATH)) return undefined;
    this.#coverage.add('workspace', `its service ${how}`);
    if (how === 'hangs') return { ...failure(0), hangs: true };
    if (how === 'refused') return failure(401);
    return { ...failure(Number(how)), headers: { 'retry-after': String(seconds) } };
  }

  #sickAnswer(path: string, answer: Reply): Reply {
    if (!this.#sickNow || processIn(path) !== this.#sickNow.processId) return answer;
    const { how } = this.#sickNow;
    this.#coverage.add('neighbour', how);
    if (how === 'slow') return { ...answer, late: SLOW_MS };
    if (how === 'hangs') return { ...answer, hangs: true };
    // Task lists alone that answer 404 would mean something about their projects.
    return failure(how === '404' && !path.includes('/tasks') ? 404 : 500);
  }

  #poisonedAnswer(path: string): Reply | undefined {
    if (!this.#poison || this.#poisoned === undefined) return undefined;
    if (!path.includes(`/projects/${this.#poisoned}/tasks`)) return undefined;
    const { how } = this.#poison;
    this.#coverage.add('project', how);
    const paging = { startCursor: 'a', endCursor: 'a', hasNextPage: false };
    const text = JSON.stringify({ tasks: [{ name: 'Nobody' }], paging });
    return { status: how === 'no identifiers' ? 200 : Number(how), headers: {}, text: Buffer.from(text) };
  }

  #shift(processId: string): void {
    this.#shifts.set(processId, (this.#shifts.get(processId) ?? 0) + 1);
  }

  /** Notes what this answer does not show yet. */
  #noteViews(path: string): void {
    const { freedoms, clock } = this.backend;
    const processId = processIn(path) ?? '';
    const shifts = this.#shifts.get(processId) ?? 0;
    const [list = '', query = ''] = path.split('?');
    if (!query.includes('after=')) this.#firstPage = clock();
    else if (clock() - this.#firstPage > OVERLAP_MS) {
      this.#firstPage = Number.POSITIVE_INFINITY;
      this.#coverage.add('clock', 'listing longer than the overlap');
    }
    if (!query.includes('after=')) this.#begun.set(list, shifts);
    else if (freedoms.cursors === 'offset' && this.#begun.get(list) !== shifts) {
      this.#coverage.add('service', 'page shifted');
      this.shifted.get(processId)?.add(/\/projects\/([^/]+)\/tasks$/.exec(list)?.[1] ?? '');
    }
    if (!query.includes('updatedAfter=')) return;
    const shown = clock() - freedoms.updatesVisibleAfter;
    const projects = [...(this.backend.workspace().processes.get(PROCESS)?.projects.values() ?? [])];
    if (projects.some(({ updatedAt }) => updatedAt > shown))
      this.#coverage.add('service', 'update shown late');
  }

  #learnToken(answer: Buffer): void {
    const { access_token: token } = JSON.parse(answer.toString()) as { access_token?: string };
    if (token) this.#secrets.learn(token);
  }
}

function isDuring({ from, steps }: Pick<Outage, 'from' | 'steps'>, step: number): boolean {
  return step >= from && step < from + steps;
}

function failure(status: number): Reply {
  return { status, headers: {}, text: Buffer.from('{"error":{"code":"simulated"}}') };
}

/** The process that a request is about; undefined: the workspace. */
export function processIn(path: string): string | undefined {
  const [, id] = /\/processes\/([^/?]+)/.exec(path) ?? [];
  return id === undefined ? undefined : decodeURIComponent(id);
}

/** The boundary of a request to the service. */
export function serviceBoundary({ path }: Pick<Sent, 'path'>): Boundary {
  if (path.startsWith(AUTH_PATH)) return 'service.token';
  if (path.includes('/auditlog')) return 'service.audit log';
  if (/\/users?[/?]|\/users$/.test(path)) return 'service.users';
  if (path.includes('/tasks')) return 'service.tasks';
  return /\/projects(\?|$)/.test(path) ? 'service.projects' : 'service.definitions';
}
