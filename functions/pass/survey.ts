import { updateTime } from '../changes/ignored-fields.ts';
import type { AuditPosition, ProcessState } from '../model/process-state.ts';
import { byKey, type PassWindow } from '../store/store.ts';
import { announceEntries } from './announce.ts';
import { Actors } from './audit-log/actors.ts';
import { namesIn } from './audit-log/names.ts';
import { readAudit } from './audit-log/read-audit.ts';
import type { PassContext } from './context/context.ts';
import { type Listed, type Listing, listProjects } from './reading/listing.ts';
import { Users } from './reading/users.ts';
import { isRetried } from './rechecks.ts';
import type { PassState } from './state.ts';

/** Which projects a pass is to look at, and what its end needs of the survey. */
export interface Survey {
  readonly window: PassWindow;
  /** The projects that changed, in a `changes` pass; else all projects. */
  readonly listing: Listing;
  /** The projects to look at in the first round, in the order of `byKey`. */
  readonly candidates: readonly string[];
  /** Projects with a recheck that a sweep's or baseline's listing lacks: the second round looks at them. */
  readonly unlisted: readonly string[];
  /** The candidates that a `changes` pass looks at for their recheck alone. */
  readonly retried?: ReadonlySet<string>;
  /** How many projects the pass covers, including those that earlier runs of it are done with. */
  readonly total: number;
  /** What a `changes` pass remembers of listed projects, so that the next one need not read their tasks again. */
  readonly recent?: Recent;
  /** Up to where the audit log is read once this pass ends; undefined when it was never readable. */
  readonly audit?: AuditPosition | undefined;
  /** True when a `changes` pass found nothing, and has nothing to write. */
  readonly isIdle?: boolean;
}

/** Surveys a `changes` pass: projects updated since the watermark (less the overlap), projects that new audit
 *  entries name, and rechecks. */
export async function surveyChanges(context: PassContext, state: PassState): Promise<Survey> {
  const { before, settings, heartbeat } = context;
  const { definitions } = state;
  const listing = await listProjects(context, before.watermark - settings.overlap);
  const audit = await readAudit(context, before.audit);
  const window = begin(context, listing, audit.position);
  const found = {
    window,
    listing,
    audit: audit.isDenied ? before.audit : (window.audit as typeof before.audit),
  };
  const namesByEntry = audit.entries.map(entry => namesIn([entry]));
  const names = new Set(namesByEntry.flatMap(each => [...each]));
  const named = await projectsAmong(context, listing, names);
  const wasUntimed = before.reported.includes('no-service-clock');
  const actors = new Actors({ ...audit, namesByEntry, wasUntimed }, named, new Users(context));
  state.actors = actors;
  // An audit entry that names no known project may be about a field definition.
  const mayBeOfFields = namesByEntry.some(each => each.isDisjointFrom(named));
  const again = new Set(
    [...before.rechecks].flatMap(([id, { cause, foundAt }]) =>
      // A recheck that an earlier run of this very pass wrote is looked at again, whatever its cause.
      isRetried(cause) || foundAt >= window.begunAt ? [id] : [],
    ),
  );
  const all = new Set([...listing.projects.keys(), ...named, ...again]);
  const recent = new Recent(before.recent);
  const candidates = [...all].sort(byKey).filter(id => {
    const listed = listing.projects.get(id);
    if (again.has(id)) return true;
    if (listed && !named.has(id) && recent.isSettled(id, listed)) return false;
    return heartbeat.isAhead(id);
  });
  // Without the log this run doesn't know the projects that new entries name: a later pass must read these
  // entries again.
  const retried = again.difference(new Set([...listing.projects.keys(), ...named]));
  const survey = { ...found, candidates, recent, unlisted: [], retried, total: all.size };
  const isIdle =
    candidates.length + audit.entries.length === 0 && !definitions.areInDoubt && isUnchanged(context, survey);
  if (isIdle) return { ...survey, isIdle };
  await heartbeat.take();
  if (settings.audit) state.events += await announceEntries(context, audit.entries, named, actors);
  if (mayBeOfFields || definitions.areInDoubt) await definitions.readAndAnnounce();
  return survey;
}

/** Whether a `changes` pass that found nothing has nothing to write, either. A watermark that nothing has
 *  passed need not move: the next listing asks for no more because of that. While projects are listed that
 *  were processed before, it moves, so that they are not listed for ever. */
function isUnchanged(
  { before, heartbeat, reports }: PassContext,
  { listing, recent, audit, window }: Pick<Survey, 'listing' | 'recent' | 'audit' | 'window'>,
): boolean {
  // It must go back with the service's clock, or nothing is listed until that has passed it.
  if (before.watermark > window.startedAt) return false;
  const isHealthy = before.stalled === undefined && before.changesFailure === undefined && !reports.hasNew;
  const seen = [before.audit, before.recent];
  return (
    [!heartbeat.isOwned, isHealthy, listing.projects.size === 0, listing.isComplete].every(Boolean) &&
    JSON.stringify(seen) === JSON.stringify([audit, recent?.toSave() ?? []])
  );
}

/** Surveys a sweep or a baseline: every listed project, and rechecks. */
export async function surveyAll(context: PassContext, state: PassState): Promise<Survey> {
  const { before, kind, heartbeat } = context;
  await state.definitions.readAndAnnounce();
  const isBaseline = kind === 'baseline';
  const audit = isBaseline && !heartbeat.lease.window ? await readAudit(context, undefined) : undefined;
  const listing = await listProjects(context);
  const window = begin(context, listing, audit?.position);
  // Saved now, so that the next run resumes this pass even if this run is killed.
  await heartbeat.save();
  // A baseline looks before its progress, too: an earlier run's listing may have missed some there. One with
  // a snapshot costs no request.
  const candidates = [...listing.projects.keys()]
    .sort(byKey)
    .filter(id => isBaseline || heartbeat.isAhead(id) || before.rechecks.has(id));
  const unlisted = [...before.rechecks.keys()].filter(id => !listing.projects.has(id));
  return {
    ...{ window, listing, candidates, unlisted, total: listing.projects.size },
    audit: window.audit as AuditPosition | undefined,
  };
}

/** Begins the window of the pass, or takes over that of the earlier run that this one resumes. */
function begin(
  { heartbeat, begunAt }: PassContext,
  listing: Listing,
  audit: AuditPosition | undefined,
): PassWindow {
  const before = heartbeat.lease.window ?? { startedAt: listing.startedAt, audit, begunAt };
  const window = listing.isComplete ? before : { ...before, isIncomplete: true };
  heartbeat.begin(window);
  return window;
}

/** Those of the names in audit entries that belong to a project: one that is listed or has a snapshot. */
async function projectsAmong(
  { snapshots, process }: PassContext,
  { projects }: Listing,
  names: ReadonlySet<string>,
): Promise<Set<string>> {
  const known = await snapshots.withSnapshot(process, names);
  return new Set([...known, ...[...names].filter(name => projects.has(name))]);
}

/** Two edits may get the same update time from a coarse clock: a reading this much later shows both (design.md §5). */
const SETTLED_MS = 5_000;

/** At most this many projects, and bytes of them, are remembered. One that is not remembered is only read again. */
const MAX_REMEMBERED = 2_000;
const MAX_REMEMBERED_BYTES = 250_000;

type Known = readonly [digest: string, readAt: number, shownAt?: number];

/** The projects that a `changes` pass listed, remembered for the next one. Because of the overlap several
 *  passes list the same project; if its record is byte for byte the same, it need not be looked at again. */
export class Recent {
  readonly #before: ReadonlyMap<string, Known>;
  readonly #now = new Map<string, Known>();

  constructor(before: ProcessState['recent']) {
    this.#before = new Map(before.map(([id, ...rest]) => [id, rest]));
  }

  /** True when the record is the one last processed, and its tasks were read at least SETTLED_MS after its
   *  update time. If they were dated by our clock, which the update time can't be compared with: as long
   *  after this record was first listed. */
  isSettled(id: string, listed: Listed): boolean {
    const before = this.#before.get(id);
    if (!before || listed.flaw) return false;
    const [known, readAt, shownAt] = before;
    const updatedAt = updateTime(listed.record) ?? Number.POSITIVE_INFINITY;
    // Without an update time the record doesn't show that something else, such as a task, has changed.
    const since = updatedAt === Number.POSITIVE_INFINITY ? updatedAt : (shownAt ?? updatedAt);
    const settled = readAt - since >= SETTLED_MS && known === listed.digest;
    if (settled) this.#now.set(id, before);
    return settled;
  }

  /** Remembers a project that was looked at, with the digest of its listed record. */
  add(id: string, listed: Listed, tasksReadAt: number): void {
    const before = this.#before.get(id);
    const shownAt = before?.[0] === listed.digest ? before[2] : undefined;
    const read = [listed.digest, tasksReadAt] as const;
    // A clock that was set back would put the first listing into the future, where no reading is late enough.
    const firstShown = Math.min(shownAt ?? listed.readAt, listed.readAt);
    this.#now.set(id, listed.untimed ? [...read, firstShown] : read);
  }

  toSave(): ProcessState['recent'] {
    const latest = [...this.#now].slice(-MAX_REMEMBERED).reverse();
    const saved = latest.map(([id, known]) => [id, ...known] as const);
    return fitting(saved, MAX_REMEMBERED_BYTES).reverse();
  }
}

/** The first items, as many as fit into `bytes` when written as JSON. Lists with identifiers are stored in items of the
 *  table, whose size is limited, and identifiers may have any length. */
export function fitting<Item>(items: readonly Item[], bytes: number): Item[] {
  let room = bytes;
  const isOver = (item: Item) => {
    // + 1: the comma.
    room -= Buffer.byteLength(JSON.stringify(item)) + 1;
    return room < 0;
  };
  const end = items.findIndex(isOver);
  return end < 0 ? [...items] : items.slice(0, end);
}
