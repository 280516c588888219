import type { JsonObject } from '../../basics/json.ts';
import type { ProcessKey } from '../../basics/process.ts';
import { updateTime } from '../../changes/ignored-fields.ts';
import { DeadlineError, type ServiceAnswerError, ServiceError } from '../../service/errors.ts';
import type { Page, ServiceRecord } from '../../service/service.ts';
import { isOutOfTime, type PassContext } from '../context/context.ts';
import { digest } from './digest.ts';

/** A project as a listing showed it; times in ms since 1970. */
export interface Listed {
  readonly record: JsonObject;
  /** The earliest time at which it may have been read. */
  readonly readAt: number;
  /** The latest time at which it may have been read. */
  readonly readBefore: number;
  /** True when these times are by our clock, which may be wrong: the service sent no usable `Date`. */
  readonly untimed?: boolean;
  /** Of the record. */
  readonly digest: string;
  /** Why the record can't be used, if so. */
  readonly flaw?: ServiceAnswerError;
}

export interface Listing {
  readonly projects: ReadonlyMap<string, Listed>;
  /** The service's time at which the listing began: the watermark once the pass is done. */
  readonly startedAt: number;
  /** When the first page was read. */
  readonly readAt: number;
  /** True when that is by our clock. */
  readonly untimed?: boolean;
  /** The latest time at which the last page may have been read: what the listing lacks was gone by then. */
  readonly readBefore: number;
  /** When the listing ended, by our clock. */
  readonly endedAt: number;
  /** False when it may have passed over a project that was there all the time. */
  readonly isComplete: boolean;
}

export function kindOf({ isComplete }: Listing): 'whole' | 'unstable' {
  return isComplete ? 'whole' : 'unstable';
}

/** Used when nothing shows the service's time: our clock may be ahead by this much before a change is missed
 *  until the next sweep. */
const UNKNOWN_CLOCK_MS = 600_000;
/** An update time further ahead of our clock than this is wrong, and ignored. */
const FUTURE_MS = 24 * 60 * 60 * 1000;
/** How often a list that changes while it is read is read at most. */
export const MAX_READINGS = 5;

/** All projects of the process, or those updated after a time (service-api.md §4 #1).
 *
 *  A row that is removed while the pages are read shifts those after it forward, and one of these may be
 *  passed over. The next reading shows that: it lacks the removed row, or differs in its rows or their order.
 *  So a list of several pages is read again until a reading lacks no row of the one before: once if the two
 *  are the same, else twice in a row. Then nothing was passed over (docs/decisions/0031). A list that changes
 *  in each of MAX_READINGS readings is not complete.
 *  @param isLate true when the pass did other work before it in this run
 *  @throws ServiceError when one reading takes longer than a run: another run would get no further; DeadlineError when
 *  it takes longer than what is left of a run, if it is late */
export async function listProjects(
  context: PassContext,
  updatedAfter?: number,
  isLate = false,
): Promise<Listing> {
  const { clock, stopAt } = context;
  const projects = new Map<string, Listed>();
  const began = clock();
  const first = await readOnce(context, updatedAfter, projects, isLate);
  const took = clock() - began;
  let last = first;
  let confirmed = 0;
  let isComplete = first.pages <= 1;
  for (let reading = 2; !isComplete && reading <= MAX_READINGS && clock() + 2 * took <= stopAt; reading++) {
    const before = last;
    last = await readOnce(context, updatedAfter, projects, isLate);
    confirmed = before.ids.isSubsetOf(last.ids) ? confirmed + 1 : 0;
    isComplete = last.pages <= 1 || confirmed === 2 || isSame(before, last);
  }
  if (isComplete) for (const id of projects.keys()) if (!last.ids.has(id)) projects.delete(id);
  const readAt = first.firstPage?.readAt ?? clock();
  return {
    projects,
    readAt,
    ...(first.firstPage?.clock !== 'service' && { untimed: true }),
    readBefore: last.lastPage ? readBefore(last.lastPage) : readAt,
    endedAt: clock(),
    startedAt: first.firstPage?.clock === 'service' ? readAt : withoutClock(context, projects),
    isComplete,
  };
}

interface Reading {
  /** In the order of the list. */
  readonly ids: ReadonlySet<string>;
  /** How many rows were read: more than `ids` when a row moved between two pages, and was shown twice. */
  readonly rows: number;
  readonly pages: number;
  readonly firstPage: Pick<Page<never>, 'readAt' | 'clock'> | undefined;
  readonly lastPage: Pick<Page<never>, 'readAt' | 'clock'> | undefined;
}

/** Reads the list into `projects`, replacing the records of earlier readings: to keep those as well would
 *  take twice the memory. */
async function readOnce(
  context: PassContext,
  updatedAfter: number | undefined,
  projects: Map<string, Listed>,
  isLate: boolean,
): Promise<Reading> {
  const { service, process, heartbeat } = context;
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
    await heartbeat.beat();
    if (page.hasNextPage && isOutOfTime(context)) throw endless(process, ids.size, pages, isLate);
    if (page.hasNextPage) await context.holdLarge?.();
  }
  return { ids, rows, pages, firstPage, lastPage };
}

/** The same rows in the same order, each of them once. */
function isSame(before: Reading, { ids, rows }: Reading): boolean {
  if (before.rows !== rows || ids.size !== rows) return false;
  const theirs = before.ids.values();
  return [...ids].every(id => theirs.next().value === id);
}

function listedOn(page: Page<unknown>, { fields, flaw }: ServiceRecord): Listed {
  const untimed = page.clock === 'local';
  const times = { readAt: page.readAt, readBefore: readBefore(page), ...(untimed && { untimed }) };
  // A record with a flaw gets no digest: it may be nested too deeply to be written as JSON.
  return { record: fields, digest: flaw ? '' : digest(fields), ...times, ...(flaw && { flaw }) };
}

function endless({ processId }: ProcessKey, found: number, pages: number, isLate: boolean): Error {
  const request = `GET /processes/${processId}/projects`;
  if (isLate)
    return new DeadlineError(request, 'the listing began late in the run; the next run reads it again');
  return new ServiceError(
    request,
    `the listing did not end within the time of one run: ${found} projects on ${pages} pages, and more to come. Make ` +
      'runs longer, or split the process in the service',
    { scope: 'process' },
  );
}

/** The latest time at which a page may have been read: a `Date` header is cut off to whole seconds. */
export function readBefore(page: Pick<Page<unknown>, 'readAt' | 'clock'>): number {
  return page.clock === 'service' ? page.readAt + 1000 : page.readAt;
}

/** The service's time without a `Date` header: the newest update time of the records. If they have none
 *  either, the watermark stays, which makes later listings longer but loses nothing. 0 for a process that was
 *  always empty: it is listed as a whole. */
function withoutClock(context: PassContext, projects: ReadonlyMap<string, Listed>): number {
  const { clock, reports, before } = context;
  reports.once(
    'no-service-clock',
    'The service sends no usable Date header: its update timestamps are taken as its clock.',
  );
  const latest = clock() + FUTURE_MS;
  let newest = before.watermark <= latest ? before.watermark : 0;
  for (const { record } of projects.values()) {
    const time = updateTime(record) ?? 0;
    if (time <= latest) newest = Math.max(newest, time);
  }
  return newest || (projects.size === 0 ? 0 : clock() - UNKNOWN_CLOCK_MS);
}
