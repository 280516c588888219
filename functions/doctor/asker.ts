import type { Clock, Sleep } from '../basics/clock.ts';
import { isJsonObject, type Json } from '../basics/json.ts';
import type { Probed, ServiceProbe } from '../service/probe.ts';

/** The page sizes that passes use by default; a test compares them with the client's. */
export const PAGE_SIZES = { projects: 200, tasks: 500, auditLog: 100, users: 1000 } as const;
/** Maximum tries of a check that a concurrent edit may invalidate. */
export const MAX_TRIES = 3;
/** A request is given up when its `Retry-After` asks for a longer wait. */
const MAX_WAIT_MS = 20_000;
const MIN_WAIT_MS = 1_000;
const DEFAULT_WAIT_MS = 4_000;
const NOT_SIZE_RELATED = new Set([401, 403, 404, 429]);

type ListName = keyof typeof PAGE_SIZES;
type Query = Readonly<Record<string, string | number>>;

/** Asks the service about one process, with bounds for the rate and the number of requests.
 *  `get` throws TooManyRequests. */
export interface Asker extends Pick<ServiceProbe, 'token' | 'definitions' | 'get'> {
  readonly process: string;
  /** Our clock, in ms since 1970. */
  readonly clock: Clock;
  /** By list: the smallest page size that failed, the one used instead, and the failed answers. */
  readonly tooLarge: Map<ListName, Sizing>;
  /** All answers so far, including those that led to a retry. */
  readonly received: readonly Omit<Probed, 'body'>[];
  /** Waits, by default for long enough that an answer may differ. */
  wait(ms?: number): Promise<void>;
}

interface Sizing {
  readonly first: number;
  readonly failed?: number;
  readonly answers: readonly Probed[];
}

/** The doctor has sent its maximum number of requests. */
export class TooManyRequests extends Error {
  constructor(most: number) {
    super(`the doctor sends at most ${most} requests`);
  }
}

export interface AskerOptions {
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** The most requests in all, and per second. */
  readonly most?: number;
  readonly perSecond?: number;
}

export function createAsker(probe: ServiceProbe, process: string, options: AskerOptions): Asker {
  const { clock, sleep, most = 200, perSecond = 5 } = options;
  const received: Omit<Probed, 'body'>[] = [];
  let next = 0;
  const send = async (segments: readonly string[], query: Query): Promise<Probed> => {
    if (received.length >= most) throw new TooManyRequests(most);
    const early = next - clock();
    if (early > 0) await sleep(early);
    next = clock() + 1000 / perSecond;
    const came = await probe.get(segments, query);
    const { body: _, ...about } = came;
    received.push(about);
    return came;
  };
  return {
    ...{ process, clock, received, wait: (ms = DEFAULT_WAIT_MS) => sleep(ms), tooLarge: new Map() },
    ...{ token: probe.token, definitions: probe.definitions },
    async get(segments, query = {}) {
      const came = await send(segments, query);
      const isBusy = came.status === 429 || (came.status === 503 && came.retryAfter !== undefined);
      const wait = Math.max(came.retryAfter ?? 0, MIN_WAIT_MS);
      if (!isBusy || wait > MAX_WAIT_MS) return came;
      await sleep(wait);
      return send(segments, query);
    },
  };
}

/** Reads the page of an answer. `property`: the list's name, undefined without a list, or with several. */
export function pageBody(body: Json | undefined, property?: string) {
  const object = isJsonObject(body) ? body : {};
  const arrays = Object.keys(object).filter(key => key !== 'paging' && Array.isArray(object[key]));
  const name =
    property === undefined && arrays.length === 1 ? arrays[0] : arrays.find(key => key === property);
  const list = name === undefined ? [] : object[name];
  const items = Array.isArray(list) ? list.filter(isJsonObject) : [];
  const paging = isJsonObject(object.paging) ? object.paging : undefined;
  const { hasNextPage, endCursor } = paging ?? {};
  const next =
    hasNextPage === true && typeof endCursor === 'string' && endCursor !== '' ? endCursor : undefined;
  return { property: name, arrays, items, paging, next };
}

/** Which part of a list to read: the most pages, and a filter or cursor. */
type Part = { readonly most?: number; readonly query?: Query };
export type ListRead = Awaited<ReturnType<typeof readList>>;

/** Reads a list page by page, until an answer fails or a cursor repeats. */
async function readList(
  asker: Asker,
  name: ListName,
  segments: readonly string[],
  { most = 5, query = {} }: Part,
) {
  const answers: Probed[] = [];
  const pages: ReturnType<typeof pageBody>[] = [];
  const cursors = new Set<string>();
  let first: number = PAGE_SIZES[name];
  let failure: Probed | undefined;
  let after: string | undefined;
  let isStuck = false;
  while (pages.length < most && !failure && !isStuck) {
    const asked = await askPage(asker, name, segments, { ...(after !== undefined && { after }), ...query });
    const { came } = asked;
    first = asked.first;
    if (came.body !== undefined) {
      answers.push(came);
      pages.push(pageBody(came.body, name === 'projects' ? 'projects' : undefined));
      after = pages.at(-1)?.next;
      if (after === undefined) break;
      isStuck = cursors.has(after);
      cursors.add(after);
    } else failure = came;
  }
  const items = pages.flatMap(page => page.items);
  const isWhole = !failure && after === undefined;
  return { answers, pages, items, isWhole, isStuck, failure, first };
}

/** Asks for a page. Like a pass, it halves one that is too large: one that fails twice, and works when it is smaller. A
 *  filter may fail for itself. */
async function askPage(
  asker: Asker,
  name: ListName,
  segments: readonly string[],
  query: Query,
): Promise<{ readonly came: Probed; readonly first: number }> {
  let size: Sizing = asker.tooLarge.get(name) ?? { first: PAGE_SIZES[name], answers: [] };
  for (let tries = 1; ; tries += 1) {
    const { first, answers } = size;
    const came = await asker.get(segments, { first, ...query });
    if (came.body !== undefined && answers.length > 0) asker.tooLarge.set(name, size);
    const mayShrink = came.body === undefined && first > 1 && mayBeTooLarge(came);
    if (!mayShrink || 'updatedAfter' in query) return { came, first };
    if (tries > 1 || answers.length > 0)
      size = { first: Math.floor(first / 2), failed: first, answers: [...answers, came] };
  }
}

function mayBeTooLarge({ status, failure = '', hasNoToken }: Probed): boolean {
  if (hasNoToken) return false;
  return status === undefined ? failure.includes('at most') : status >= 400 && !NOT_SIZE_RELATED.has(status);
}

export const pathTo = ({ process }: Asker, ...segments: string[]) => ['processes', process, ...segments];

/** Asks for one page of the projects. */
export const projectsPage = (asker: Asker, query: Query): Promise<Probed> =>
  asker.get(pathTo(asker, 'projects'), query);

/** Asks for one page of the tasks of a project. */
export const tasksPage = (asker: Asker, projectId: string, first: number): Promise<Probed> =>
  asker.get(pathTo(asker, 'projects', projectId, 'tasks'), { first });

/** The projects of the process, all or filtered. */
export const readProjects = (asker: Asker, query: Query = {}): Promise<ListRead> =>
  readList(asker, 'projects', pathTo(asker, 'projects'), { query });

export const readTasks = (asker: Asker, projectId: string, most = 2): Promise<ListRead> =>
  readList(asker, 'tasks', pathTo(asker, 'projects', projectId, 'tasks'), { most });

export const readLog = (asker: Asker, part: Part = {}): Promise<ListRead> =>
  readList(asker, 'auditLog', pathTo(asker, 'auditlog'), { most: 8, ...part });

export const readUsers = (asker: Asker): Promise<ListRead> =>
  readList(asker, 'users', ['users'], { most: 2 });

/** Repeats a check until no concurrent edit invalidated it, at most MAX_TRIES times: the projects are read before and
 *  after it. `ask` returns a safe conclusion, or a judge of the second reading, which returns undefined if invalid. */
export async function confirmed<Conclusion extends string | object>(
  { asker, projects }: { readonly asker: Asker; readonly projects: ListRead },
  ask: (before: ListRead) => Promise<Conclusion | ((after: ListRead) => Conclusion | undefined)>,
): Promise<Conclusion | undefined> {
  let before = projects;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const answer = await ask(before);
    if (typeof answer !== 'function') return answer;
    const after = await readProjects(asker);
    const conclusion = answer(after);
    if (conclusion !== undefined) return conclusion;
    before = after;
  }
  return undefined;
}
