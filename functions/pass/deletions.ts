import { heldEvent } from '../changes/build-events.ts';
import { compareProject } from '../changes/compare-project.ts';
import { type Snapshot, TornSnapshotError } from '../snapshots/snapshots.ts';
import type { ProcessState } from '../snapshots/state.ts';
import { announce } from './announce.ts';
import { commitChanges } from './commit-changes.ts';
import { CLOCK_TOLERANCE_MS } from './freshest.ts';
import type { Listing } from './listing.ts';
import type { Pass } from './pass.ts';
import { taskListAnswers } from './task-list-answers.ts';
import type { Failure } from './walk-projects.ts';

/** Above this many at once, or this part of a process, deletions wait for an operator (DESIGN §5). */
const BULK_COUNT = 10;
const BULK_PART = 0.2;

/** More than this many deletions in a process of `known` projects are held. */
export function bulkLimit(known: number): number {
  return Math.max(BULK_COUNT, Math.floor(known * BULK_PART));
}

/** How many projects a pass knew of, and how many of them the listing lacks, certain or not. */
export interface Vanished {
  readonly known: number;
  readonly missing: number;
  /** True when some are taken for gone only because two sweeps in a row missed them. */
  readonly repeated?: boolean;
}

/** What came of deletions. */
export interface Deletions {
  /** What a sweep is to save when it ends. */
  readonly state: Partial<ProcessState>;
  /** Projects whose snapshots can't be had, so that nobody knows what is to be told of them. */
  readonly failures: readonly Failure[];
}

/** Whether a project is gone whose task list answers 404. Where the listing may have passed over it, it is only if it had tasks, for a
 *  service may answer so for each that has none; and in a sweep, which nothing but that answer led to it, if the last one missed it, too. */
export async function meansGone(pass: Pass, projectId: string, { complete }: Listing): Promise<boolean> {
  if (complete) return true;
  const { snapshots, process, state } = pass.parts;
  if (pass.lease.mode === 'sweep' && !state.missing.includes(projectId)) return false;
  const held = await snapshots.load(process, projectId).catch(ifTorn);
  return (held?.content.tasks.size ?? 0) > 0;
}

/** Its tasks can't be counted. */
function ifTorn(error: unknown): undefined {
  if (!(error instanceof TornSnapshotError)) throw error;
}

/** Deletes the projects that are certainly gone, or, when they are too many, none: then the process is held and says
 *  so, once, until an operator releases it or the projects are back. What is held stays held though fewer are certainly
 *  gone, because some can't be read. */
export async function deleteOrHold(
  pass: Pass,
  gone: readonly string[],
  listing: Listing,
  vanished: Vanished,
): Promise<Deletions> {
  const { snapshots, log, process } = pass.parts;
  const { known, missing } = vanished;
  // Another pass may have held the process since this one began.
  const state = await snapshots.readState(process);
  const isHeld = state.held !== undefined;
  // A `changes` pass asks after few of those that are missing: that they are gone makes the others no more certain.
  const counted = isHeld || pass.lease.mode === 'changes' ? missing : gone.length;
  const isTooMuch = counted > bulkLimit(known) || isAllThatWeKnow(gone.length, vanished, isHeld);
  if (isTooMuch && !state.released) {
    const message =
      'Too many projects are gone at once: nothing is deleted until an operator releases the process.';
    log.warn(message, { ...process, missing, known });
    await hold(pass, missing, listing, known);
    return { state: {}, failures: [] };
  }
  const failures: Failure[] = [];
  for (const id of gone) {
    try {
      await deleteProject(pass, id, listing);
    } catch (error) {
      if (!(error instanceof TornSnapshotError)) throw error;
      failures.push({ id, error });
    }
    await pass.keepAlive();
  }
  // A hold that another pass tells from now on must not be ended by what this one saves.
  const ended = state.held || state.released ? { held: undefined, released: false } : {};
  return { state: ended, failures };
}

/** A whole process that is empty at once looks just like a permission that was lost, and one of which nothing that we
 *  know is left like one whose identifiers changed: its last project is gone only if its task list says so. */
function isAllThatWeKnow(
  gone: number,
  { known, missing, repeated = false }: Vanished,
  isHeld: boolean,
): boolean {
  if (missing < known) return false;
  return missing > 1 ? gone > 0 || isHeld : repeated;
}

/** Both modes may find the same projects gone: the process is held, and told to be, by the first of them. */
async function hold(pass: Pass, missing: number, listing: Listing, known: number): Promise<void> {
  const since = listing.startedAt;
  pass.events += await announce(pass.parts, state => {
    if (state.held || state.released) return undefined;
    return {
      state: { held: { since, missing } },
      events: version => [heldEvent(pass.parts.process, { version, at: since, missing, known })],
    };
  });
}

/** When it was certainly there, by the service's time. A task list without tasks is no sign of that: a service may answer so for what is gone. */
function lastSeen({ recordReadAt, tasksReadAt, content }: Snapshot): number {
  return content.tasks.size > 0 ? Math.max(recordReadAt, tasksReadAt) : recordReadAt;
}

/** A snapshot that was read later than the listing shows a project that came back: then nothing is deleted. Where the two were
 *  read at about one time, that may be so, too: the task list is asked for once more, and then tells what became of the project
 *  since; where it answers all the same, the next sweep decides. */
async function deleteProject(pass: Pass, projectId: string, listing: Listing): Promise<void> {
  const { process, snapshots, definitions, clock } = pass.parts;
  for (;;) {
    const held = await snapshots.load(process, projectId);
    if (!held || lastSeen(held) > listing.readAt) return;
    const isInDoubt = listing.readAt - lastSeen(held) <= CLOCK_TOLERANCE_MS;
    if (isInDoubt && (await taskListAnswers(pass, projectId)) !== 404) return;
    // What a listing may have passed over, and what was asked for once more, was found to be gone since it ended.
    const since = listing.complete && !isInDoubt ? 0 : clock() - listing.endedAt;
    const changes = compareProject(projectId, held.content, undefined, definitions.rules);
    const readBefore = Math.max(listing.readBefore + since, lastSeen(held));
    const { readAt, untimed } = listing;
    const read = { readAt, readBefore, ...(untimed && { untimed }) };
    const difference = { projectId, held, content: undefined, changes, source: read, tasks: read };
    if ((await commitChanges(pass, difference)) === 'committed') return;
  }
}
