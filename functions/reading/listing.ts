import type { JsonObject } from '../basics/json.ts';
import { updateTime } from '../changes/ignored-fields.ts';
import { type ServiceAnswerError, ServiceError } from '../service/errors.ts';
import type { Page, ServiceRecord } from '../service/service.ts';
import { digest } from './digest.ts';
import type { Reader } from './reader.ts';

/** A project as a listing showed it; times in ms since 1970. */
export interface Listed {
  readonly record: JsonObject;
  /** Not before this was it read … */
  readonly readAt: number;
  /** … and not after this. */
  readonly readBefore: number;
  /** True when it was read by our clock, which may be wrong: the service sent no usable `Date`. */
  readonly untimed?: boolean;
  /** Of the record. */
  readonly digest: string;
  /** Why it can't be used. */
  readonly flaw?: ServiceAnswerError;
}

export interface Listing {
  readonly projects: ReadonlyMap<string, Listed>;
  /** The service's time at which the listing began: the next watermark. */
  readonly startedAt: number;
  readonly readAt: number;
  /** True when that is by our clock. */
  readonly untimed?: boolean;
  /** What it lacks was gone by then: the latest time at which its last page was read. */
  readonly readBefore: number;
  /** When that was, by our clock. */
  readonly endedAt: number;
  /** True when it can't have passed over a project that was there all the time. */
  readonly isComplete: boolean;
}

/** What the lack of a project in a listing says: nothing, where only the changed ones were asked for; that it is not there; or, where the
 *  whole list never came to rest, that it may have been passed over. */
export type ListingKind = 'changed' | 'whole' | 'restless';

export function kindOf({ isComplete }: Listing): 'whole' | 'restless' {
  return isComplete ? 'whole' : 'restless';
}

/** Thrown when a listing takes all the time of a run: a further run would come no further. */
export class EndlessListingError extends ServiceError {}

/** Without any clock of the service's, ours may be wrong by this much before a change is missed until the next sweep. */
const UNKNOWN_CLOCK_MS = 600_000;
/** What is later than this by our clock is no time at which anything was updated. */
const FUTURE_MS = 24 * 60 * 60 * 1000;
/** So often is a list read that changes under our hands. */
export const MOST_READINGS = 5;

/** All projects of the process, or those updated after a time (service-api.md §4 #1).
 *
 *  A row that goes while the pages of a list are read may shift another one out of sight. But then the row that went was
 *  shown, and the next reading lacks it; or an edit had moved it out of sight, and then the next reading differs. So a listing
 *  of several pages is read again until nothing that it showed is lacking, once where all is as it was, else twice: then it
 *  passed over nothing (docs/decisions/0031). One that never comes to rest is not complete.
 *  @throws EndlessListingError when one reading takes longer than a run */
export async function listProjects(reader: Reader, updatedAfter?: number): Promise<Listing> {
  const { clock, stopAt } = reader.parts;
  const projects = new Map<string, Listed>();
  const began = clock();
  const first = await readOnce(reader, updatedAfter, projects);
  const took = clock() - began;
  let last = first;
  let confirmed = 0;
  let isComplete = first.pages <= 1;
  for (let reading = 2; !isComplete && reading <= MOST_READINGS && clock() + 2 * took <= stopAt; reading++) {
    const before = last;
    last = await readOnce(reader, updatedAfter, projects);
    confirmed = before.ids.isSubsetOf(last.ids) ? confirmed + 1 : 0;
    isComplete = last.pages <= 1 || confirmed === 2 || (confirmed === 1 && isSame(before, last));
  }
  if (isComplete) for (const id of projects.keys()) if (!last.ids.has(id)) projects.delete(id);
  const readAt = first.firstPage?.readAt ?? clock();
  return {
    projects,
    readAt,
    ...(first.firstPage?.clock !== 'service' && { untimed: true }),
    readBefore: last.lastPage ? readBefore(last.lastPage) : readAt,
    endedAt: clock(),
    startedAt: first.firstPage?.clock === 'service' ? readAt : withoutClock(reader, projects),
    isComplete,
  };
}

interface Reading {
  /** In the order of the list. */
  readonly ids: ReadonlySet<string>;
  /** How many rows there were: one that is shown twice was moved meanwhile. */
  readonly rows: number;
  readonly pages: number;
  readonly firstPage: Pick<Page<never>, 'readAt' | 'clock'> | undefined;
  readonly lastPage: Pick<Page<never>, 'readAt' | 'clock'> | undefined;
}

/** Reads the list into `projects`, where what was read before makes room for what is read now: two readings at once
 *  would take twice the memory. */
async function readOnce(
  reader: Reader,
  updatedAfter: number | undefined,
  projects: Map<string, Listed>,
): Promise<Reading> {
  const { service, process } = reader.parts;
  const ids = new Set<string>();
  let pages = 0;
  let rows = 0;
  let firstPage: Reading['firstPage'];
  let lastPage: Reading['lastPage'];
  for await (const page of service.projects(process.processId, { updatedAfter })) {
    pages += 1;
    lastPage = { readAt: page.readAt, clock: page.clock };
    firstPage ??= lastPage;
    rows += page.items.length;
    for (const record of page.items) {
      ids.add(record.id);
      projects.set(record.id, listedOn(page, record));
    }
    await reader.heartbeat.beat();
    if (page.hasNextPage && reader.outOfTime) throw endless(reader, ids.size, pages);
  }
  return { ids, rows, pages, firstPage, lastPage };
}

/** The same rows in the same order, each of them once. */
function isSame(before: Reading, { ids, rows }: Reading): boolean {
  if (before.rows !== rows || before.ids.size !== rows || ids.size !== rows) return false;
  const theirs = before.ids.values();
  return [...ids].every(id => theirs.next().value === id);
}

function listedOn(page: Page<unknown>, { fields, flaw }: ServiceRecord): Listed {
  const untimed = page.clock === 'local';
  const times = { readAt: page.readAt, readBefore: readBefore(page), ...(untimed && { untimed }) };
  // One that can't be used may be too deep to write as JSON.
  return { record: fields, digest: flaw ? '' : digest(fields), ...times, ...(flaw && { flaw }) };
}

function endless(reader: Reader, found: number, pages: number): Error {
  return new EndlessListingError(
    `GET /processes/${reader.parts.process.processId}/projects`,
    `the listing did not end within the time of one run: ${found} projects on ${pages} pages, and more to come. Make ` +
      'runs longer, or split the process in the service',
  );
}

/** The latest time at which a page may have been read: a `Date` header counts whole seconds. */
export function readBefore(page: Pick<Page<unknown>, 'readAt' | 'clock'>): number {
  return page.clock === 'service' ? page.readAt + 1000 : page.readAt;
}

/** Without a `Date` header the records' own update times are the service's clock; where they have none either, the
 *  watermark stays, which costs longer listings but loses nothing. A process that was always empty is listed since ever. */
function withoutClock(reader: Reader, projects: ReadonlyMap<string, Listed>): number {
  const { state, parts, reports } = reader;
  const { clock } = parts;
  reports.once(
    'no-service-clock',
    'The service sends no usable Date header: its update timestamps are taken as its clock.',
  );
  const latest = clock() + FUTURE_MS;
  let newest = state.watermark <= latest ? state.watermark : 0;
  for (const { record } of projects.values()) {
    const time = updateTime(record) ?? 0;
    if (time <= latest) newest = Math.max(newest, time);
  }
  return newest || (projects.size === 0 ? 0 : clock() - UNKNOWN_CLOCK_MS);
}
