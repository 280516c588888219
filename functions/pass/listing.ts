import { updateTime } from '../changes/ignored-fields.ts';
import type { JsonObject } from '../json.ts';
import type { Page, ServiceRecord } from '../service/service.ts';
import type { Pass } from './pass.ts';

/** A project as a listing showed it; times in ms since 1970. */
export interface Listed {
  readonly record: JsonObject;
  /** Not before this was it read … */
  readonly readAt: number;
  /** … and not after this. */
  readonly readBefore: number;
}

export interface Listing {
  readonly projects: ReadonlyMap<string, Listed>;
  /** The service's time at which the listing began: the next watermark. */
  readonly startedAt: number;
  readonly readAt: number;
  /** What it lacks was gone by then: the latest time at which its last page was read. */
  readonly readBefore: number;
}

/** Without any clock of the service's, ours may be wrong by this much before a change is missed until the next sweep. */
const UNKNOWN_CLOCK_MS = 600_000;

/** All projects of the process, or those updated after a time (service-api.md §4 #1). */
export async function listProjects(pass: Pass, updatedAfter?: number): Promise<Listing> {
  const { service, process } = pass.parts;
  const projects = new Map<string, Listed>();
  let first: Page<ServiceRecord> | undefined;
  let last: Page<ServiceRecord> | undefined;
  for await (const page of service.projects(
    process.processId,
    updatedAfter === undefined ? {} : { updatedAfter },
  )) {
    first ??= page;
    last = page;
    const times = { readAt: page.readAt, readBefore: readBefore(page) };
    for (const { id, fields } of page.items) projects.set(id, { record: fields, ...times });
    await pass.keepAlive();
  }
  const readAt = first?.readAt ?? pass.parts.clock();
  return {
    projects,
    readAt,
    readBefore: last ? readBefore(last) : readAt,
    startedAt: first?.clock === 'service' ? readAt : withoutClock(pass, projects),
  };
}

/** The latest time at which a page may have been read: a `Date` header counts whole seconds. */
export function readBefore(page: Page<unknown>): number {
  return page.clock === 'service' ? page.readAt + 1000 : page.readAt;
}

/** Without a `Date` header the records' own update times are the service's clock; where they have none either, the
 *  watermark stays, which costs longer listings but loses nothing. */
function withoutClock(pass: Pass, projects: ReadonlyMap<string, Listed>): number {
  const { state, clock } = pass.parts;
  pass.parts.reports.once(
    'no-service-clock',
    'The service sends no Date header: its update timestamps are taken as its clock.',
  );
  const newest = [...projects.values()].reduce(
    (latest, { record }) => Math.max(latest, updateTime(record) ?? 0),
    0,
  );
  return Math.max(newest, state.watermark) || clock() - UNKNOWN_CLOCK_MS;
}
