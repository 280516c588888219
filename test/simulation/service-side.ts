import { AUTH_PATH, respond } from '../../simulator/answer.ts';
import { createBackend, type SimulatedBackend } from '../../simulator/backend.ts';
import { buildWorkspace } from '../../simulator/build.ts';
import { applyEdit, type Edited, editorsOf } from './edits.ts';
import type { Boundary, Coverage } from './faults.ts';
import { compressed, type Reply, type Sent } from './http.ts';
import { History } from './oracle/history.ts';
import type { SecretsOracle } from './oracle/secrets.ts';
import type { Edit, Plan, Poison } from './plan.ts';
import { RestlessList } from './restless.ts';
import type { Scheduler } from './scheduler.ts';
import { PROCESS } from './shared.ts';

export const ORIGIN = 'https://service.example';

/** The edit of the project that can't be read from then on. */
const EDIT: Edit = { edit: 'update project', a: 0, b: 0, value: 0, by: [0], audit: true, touch: true };

/** How long ago the entries were made that the audit log has at the beginning. */
const HISTORY_MS = 3 * 3_600_000;

/** How far behind the last pass each one asks again, where nothing else is configured. */
const OVERLAP_MS = 120_000;

/** The service, with the history of its states. */
export class ServiceSide {
  readonly backend: SimulatedBackend;
  readonly history: History;
  readonly edits: Edited[] = [];
  /** Projects whose task list changed between two pages, so that a reading may have missed some tasks. */
  readonly shifted = new Set<string>();
  /** Requests so far, without those for a token, and those that were refused because of an expired one. */
  requests: string[] = [];
  /** Those whose answers came in time. */
  answered: string[] = [];
  readonly #secrets: SecretsOracle;
  readonly #coverage: Coverage;
  readonly #poison: Poison | undefined;
  readonly #compresses: boolean;
  /** The project whose tasks can't be read now. */
  #poisoned: string | undefined;
  readonly restless: RestlessList;
  /** When the first page of a list was last asked for. */
  #firstPage = 0;
  /** Edits that take a row out of a list, or move it. */
  #shifts = 0;
  /** By list: the number of shifts when its first page was last asked for. */
  readonly #begun = new Map<string, number>();

  constructor(plan: Plan, scheduler: Scheduler, secrets: SecretsOracle, coverage: Coverage) {
    this.#coverage = coverage;
    this.#poison = plan.poison;
    this.#compresses = plan.compressed;
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
        ],
      }),
    });
    secrets.learn(this.backend.credentials.clientSecret);
    const [first] = this.backend.workspace().processes.get(PROCESS)?.projects.keys() ?? [];
    for (let entry = 0; first !== undefined && entry < plan.history; entry++)
      this.backend.edit.touchProject(PROCESS, first);
    ago = 0;
    this.history = new History(this.backend, PROCESS);
    this.restless = new RestlessList(plan.restless, this.backend, coverage, id => {
      this.history.note();
      this.#shifts += 1;
      this.edits.push({ projects: [id], visible: 'by a sweep' });
    });
  }

  /** The plan's step with this number begins. */
  reach(step: number): void {
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
    this.#poisoned = undefined;
    this.restless.rest();
  }

  sendDate(header: boolean): void {
    const { freedoms } = this.backend;
    if (freedoms.dateHeader !== header)
      this.#coverage.add('clock', header ? 'Date appears' : 'Date disappears');
    freedoms.dateHeader = header;
  }

  edit(step: Edit): void {
    const edited = applyEdit(this.backend, PROCESS, step);
    this.history.note(editorsOf(this.backend, step));
    const isInOrderOfUpdates = this.backend.freedoms.listOrder !== 'made';
    if (isInOrderOfUpdates || step.edit.startsWith('delete') || step.edit === 'move task') this.#shifts += 1;
    if (edited) this.edits.push(edited);
  }

  serve({ method, path, headers, body }: Sent): Reply {
    if (serviceBoundary({ path }) === 'service.projects')
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
    const reply = this.#poisonedAnswer(path) ?? answer;
    if (!this.#compresses || !headers['accept-encoding']?.includes('gzip')) return reply;
    this.#coverage.add('service', 'answered compressed');
    return compressed(reply);
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

  /** Notes what this answer does not show yet. */
  #noteViews(path: string): void {
    const { freedoms, clock } = this.backend;
    const [list = '', query = ''] = path.split('?');
    if (!query.includes('after=')) this.#firstPage = clock();
    else if (clock() - this.#firstPage > OVERLAP_MS) {
      this.#firstPage = Number.POSITIVE_INFINITY;
      this.#coverage.add('clock', 'listing longer than the overlap');
    }
    if (!query.includes('after=')) this.#begun.set(list, this.#shifts);
    else if (freedoms.cursors === 'offset' && this.#begun.get(list) !== this.#shifts) {
      this.#coverage.add('service', 'page shifted');
      this.shifted.add(/\/projects\/([^/]+)\/tasks$/.exec(list)?.[1] ?? '');
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

/** The boundary of a request to the service. */
export function serviceBoundary({ path }: Pick<Sent, 'path'>): Boundary {
  if (path.startsWith(AUTH_PATH)) return 'service.token';
  if (path.includes('/auditlog')) return 'service.audit log';
  if (/\/users?[/?]|\/users$/.test(path)) return 'service.users';
  if (path.includes('/tasks')) return 'service.tasks';
  return /\/projects(\?|$)/.test(path) ? 'service.projects' : 'service.definitions';
}
