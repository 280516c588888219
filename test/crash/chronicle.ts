import type { ChangeEvent } from '../../functions/model/event.ts';
import type { EditApi, SeenRequest, SimulatedService } from '../../simulator/server.ts';
import { isRecordEvent, type Known, servedState, type Told } from '../kit/told.ts';

/** What a field of a record was, ever, as JSON; `null` where it was empty or not there. */
type Past = Map<string, Set<string>>;

/** Everything that the service has shown of a process, whether anybody looked or not. */
export class Chronicle {
  readonly #edit: EditApi;
  readonly #processId: string;
  /** By record. */
  readonly #past: Map<string, Past>;
  readonly #gone: Set<string>;
  #now = new Set<string>();

  constructor(edit: EditApi, processId: string, earlier?: { past: Map<string, Past>; gone: Set<string> }) {
    this.#edit = edit;
    this.#processId = processId;
    this.#past = earlier?.past ?? new Map();
    this.#gone = earlier?.gone ?? new Set();
    if (!earlier) this.note();
  }

  /** To be called after each edit. */
  note(): void {
    const now = new Set<string>();
    for (const [key, record] of records(servedState(this.#edit, this.#processId, idOf))) {
      now.add(key);
      this.#add(key, record);
    }
    for (const key of this.#now) if (!now.has(key)) this.#gone.add(key);
    this.#now = now;
  }

  /** As it is now, untouched by what comes. */
  copy(): Chronicle {
    return new Chronicle(this.#edit, this.#processId, {
      past: structuredClone(this.#past),
      gone: new Set(this.#gone),
    });
  }

  /** What the event tells and the service never showed. */
  lies(event: ChangeEvent): string[] {
    if (!isRecordEvent(event)) return [];
    const { data, type } = event;
    const key = 'task' in data ? keyOf(data.project.id, data.task.id) : keyOf(data.project.id);
    const past = this.#past.get(key);
    if (past === undefined) return [`${event.id} (${type}) tells of ${key}, which never was`];
    if (type.endsWith('.deleted'))
      return this.#gone.has(key) ? [] : [`${event.id} (${type}) tells that ${key} is gone, and it never was`];
    return data.changes
      .filter(({ field, to }) => !past.get(field)?.has(JSON.stringify(isNothing(to) ? null : to)))
      .map(
        ({ field, to }) => `${event.id} (${type}): ${key} never had ${JSON.stringify(to)} as its ${field}`,
      );
  }

  /** What the state has and the service never showed. */
  inventions(state: Told): string[] {
    return [...records(state)].flatMap(([key, record]) =>
      Object.entries(record)
        .filter(([field, value]) => !this.#past.get(key)?.get(field)?.has(JSON.stringify(value)))
        .map(([field, value]) => `${key} never had ${JSON.stringify(value)} as its ${field}`),
    );
  }

  #add(key: string, record: Known): void {
    const past: Past = this.#past.get(key) ?? new Map();
    this.#past.set(key, past);
    for (const field of new Set([...past.keys(), ...Object.keys(record)])) {
      const values = past.get(field) ?? new Set();
      past.set(field, values.add(JSON.stringify(record[field] ?? null)));
    }
  }
}

/** The simulated service may show numbers. */
export const idOf = ({ id }: { id?: unknown }): string => String(id);

const isNothing = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

const keyOf = (projectId: string, taskId?: string): string =>
  taskId === undefined ? `project ${projectId}` : `task ${taskId} of ${projectId}`;

function* records(state: Told): Generator<[key: string, record: Known]> {
  for (const [projectId, { project, tasks }] of Object.entries(state)) {
    yield [keyOf(projectId), project];
    for (const [taskId, task] of Object.entries(tasks)) yield [keyOf(projectId, taskId), task];
  }
}

/** A process that the runners watch, and what they must know of it. */
export class Watched {
  readonly id: string;
  readonly chronicle: Chronicle;
  /** It changes while its baseline is made. */
  readonly restless: boolean;
  readonly #service: SimulatedService;
  #baseline: { state: Told; chronicle: Chronicle } | undefined;
  /** A life was told to watch it. */
  joined = false;
  /** When all of its projects were last listed, in ms since 1970; 0 in a life that has not. */
  listedAt = 0;

  constructor(service: SimulatedService, id: string, restless: boolean) {
    this.#service = service;
    this.id = id;
    this.restless = restless;
    this.chronicle = new Chronicle(service.workspace, id);
  }

  /** Its baseline is made: every change from now on is told. */
  get baselined(): boolean {
    return this.#baseline !== undefined;
  }

  /** It may be edited. */
  get changes(): boolean {
    return this.baselined || (this.restless && this.joined);
  }

  /** A baseline is under way in this life, as far as its requests tell. */
  get inBaseline(): boolean {
    return this.listedAt > 0 && !this.baselined;
  }

  /** What the service showed when the baseline was made; of a restless one, what it showed at some time before. */
  get baseline(): { readonly state: Told; readonly chronicle: Chronicle } {
    if (this.#baseline) return this.#baseline;
    throw new Error(`Process ${this.id} never had a baseline: no life was long enough.`);
  }

  /** A life begins that watches `processes`. */
  newLife(processes: readonly string[]): void {
    this.joined ||= processes.includes(this.id);
    this.listedAt = 0;
  }

  /** To be called with each request, before it is answered. Only what has a baseline is asked for updates. */
  asked({ path }: SeenRequest): void {
    const [place, query = ''] = path.split('?');
    if (place !== `/processes/${this.id}/projects`) return;
    if (!query.includes('updatedAfter=')) this.listedAt = Date.now();
    else this.#baseline ??= { state: this.served(), chronicle: this.chronicle.copy() };
  }

  served(): Told {
    return servedState(this.#service.workspace, this.id, idOf);
  }
}
