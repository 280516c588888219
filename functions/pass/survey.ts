import { readAudit } from '../reading/audit.ts';
import { namesIn } from '../reading/audit-names.ts';
import { type Listing, listProjects } from '../reading/listing.ts';
import { Recent } from '../reading/recent.ts';
import { byKey, type PassWindow } from '../snapshots/snapshots.ts';
import type { AuditPosition } from '../snapshots/state.ts';
import { isRetried } from './debts.ts';
import type { Pass } from './pass.ts';

/** Which projects a pass is to look at, and what it began with. */
export interface Survey {
  readonly window: PassWindow;
  readonly listing: Listing;
  /** True when that is the whole list, not of the changed projects only. */
  readonly isWhole: boolean;
  readonly isBaseline: boolean;
  /** In the order of `byKey`. */
  readonly candidates: readonly string[];
  /** Owed a look, and in no whole list: for the second round. */
  readonly unlisted: readonly string[];
  /** How many there were to look at, those of earlier runs of the pass included. */
  readonly total: number;
  /** What the next `changes` pass need not look at again. */
  readonly recent?: Recent;
  /** Where the audit log stands now; undefined when it can't be read. */
  readonly audit?: AuditPosition | undefined;
}

/** Of a `changes` pass: the projects updated since the watermark, less the overlap, those that new audit entries name, and those that are
 *  owed a look. */
export async function surveyChanges(pass: Pass): Promise<Survey> {
  const { state, definitions, parts, heartbeat } = pass;
  const listing = await listProjects(pass, state.watermark - parts.settings.overlap);
  const audit = await readAudit(pass, state.audit);
  const window = begin(pass, listing, audit.position);
  const namesByEntry = audit.entries.map(entry => namesIn([entry]));
  const named = await projectsAmong(pass, listing, new Set(namesByEntry.flatMap(names => [...names])));
  // An edit that names no project of ours may be one of a field.
  const mayBeOfFields = namesByEntry.some(names => names.isDisjointFrom(named));
  if (mayBeOfFields || definitions.areInDoubt) await definitions.readAndTell();
  const owed = new Set(
    [...state.debts].flatMap(([id, { cause, metAt }]) =>
      // Those that an earlier run of this pass met are its own.
      isRetried(cause) || metAt >= window.begunAt ? [id] : [],
    ),
  );
  const all = new Set([...listing.projects.keys(), ...named, ...owed]);
  const recent = new Recent(state.recent);
  const candidates = [...all].sort(byKey).filter(id => {
    const listed = listing.projects.get(id);
    if (owed.has(id)) return true;
    if (listed && !named.has(id) && recent.isSettled(id, listed)) return false;
    return heartbeat.isAhead(id);
  });
  return {
    ...{
      window,
      listing,
      candidates,
      recent,
      unlisted: [],
      total: all.size,
      isWhole: false,
      isBaseline: false,
    },
    // A refused log told nothing new to this run, whatever it told to an earlier one.
    audit: audit.isDenied ? state.audit : (window.audit as typeof state.audit),
  };
}

/** Of a sweep, or of the baseline: every project. */
export async function surveyAll(pass: Pass): Promise<Survey> {
  const { state, kind, definitions, heartbeat } = pass;
  await definitions.readAndTell();
  const isBaseline = kind === 'baseline';
  const audit = isBaseline && !heartbeat.lease.window ? await readAudit(pass, undefined) : undefined;
  const listing = await listProjects(pass);
  const window = begin(pass, listing, audit?.position);
  // From here on the next run goes on with it.
  await heartbeat.save();
  // What the listing of an earlier run passed over has no snapshot, wherever that run came to; what has one costs a baseline nothing.
  const candidates = [...listing.projects.keys()]
    .sort(byKey)
    .filter(id => isBaseline || heartbeat.isAhead(id) || state.debts.has(id));
  const unlisted = [...state.debts.keys()].filter(id => !listing.projects.has(id));
  return {
    ...{ window, listing, candidates, unlisted, total: listing.projects.size, isWhole: true, isBaseline },
    audit: window.audit as AuditPosition | undefined,
  };
}

/** What the pass began with, unless it goes on with an earlier run's beginning. */
function begin({ heartbeat, begunAt }: Pass, listing: Listing, audit: AuditPosition | undefined): PassWindow {
  const before = heartbeat.lease.window ?? { startedAt: listing.startedAt, audit, begunAt };
  const window = listing.isComplete ? before : { ...before, isIncomplete: true };
  heartbeat.begin(window);
  return window;
}

/** Of the names in audit entries, those of projects that are listed or have a snapshot. */
async function projectsAmong(
  pass: Pass,
  { projects }: Listing,
  names: ReadonlySet<string>,
): Promise<Set<string>> {
  const { snapshots, process } = pass.parts;
  const known = await snapshots.withSnapshot(process, names);
  return new Set([...known, ...[...names].filter(name => projects.has(name))]);
}
