import { heldEvent } from '../changes/build-events.ts';
import { compareProject } from '../changes/compare-project.ts';
import { skippedEvent } from '../changes/source-events.ts';
import { failureOf, type PassState, type ProcessState } from '../model/process-state.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { nextPace } from '../schedule/pace.ts';
import { commit } from './commit.ts';
import { type Conclusion, conclude } from './conclude.ts';
import { debtChanges, type Findings, ON_HOLD, reasonOf, skippedNoLonger, toTell } from './debts.ts';
import { CLOCK_TOLERANCE_MS } from './decide.ts';
import { failureReason, isOfOneProject } from './failures.ts';
import type { Pass } from './pass.ts';
import { announce, type Say } from './process-events/announce.ts';
import type { Listing } from './reading/listing.ts';
import { readTasks } from './reading/read-tasks.ts';
import type { Rounds, SecondListing } from './rounds.ts';
import type { Survey } from './survey.ts';

export type Outcome = 'completed' | 'unfinished';

/** Ends a pass by its conclusion: deletions, then debts, then watermark, audit position and lease in one write.
 *  @throws when the conclusion is `failed`: then nothing moves on */
export async function settle(pass: Pass, survey: Survey, rounds: Rounds): Promise<Outcome> {
  const { parts, kind } = pass;
  const { findings, isStopped, second } = rounds;
  const isQuiet =
    findings.sorted().every(([, { end }]) => end === 'settled') &&
    pass.state.debts.size + pass.debtsWritten === 0;
  const state = isQuiet && !pass.state.hold ? pass.state : await parts.snapshots.readState(parts.process);
  const { window, listing } = survey;
  // Each run of a baseline looks at every project that it lists: an earlier run's incomplete listing doesn't matter.
  const isComplete = listing.isComplete && (survey.isBaseline || !window.isIncomplete);
  const { known, missing } = second ?? { known: 0, missing: 0 };
  const facts = { kind, window, isComplete, isStopped, findings, known, missing, state, now: parts.clock() };
  const end = conclude(facts);
  if (end.as === 'later') return 'unfinished';
  if (second) await settleDeletions(pass, end, findings, second);
  const skipped = end.keepsDebts
    ? await settleDebts(pass, state, findings, window.begunAt)
    : countTold(state);
  if (end.as === 'done' || kind === 'sweep') {
    const isDone = end.as === 'done';
    const saved = await parts.snapshots.finish(parts.process, pass.heartbeat.lease, {
      ...pass.reports.logAndSave(),
      ...(end.endsHold && { hold: undefined, released: false }),
      ...(isDone && movedOn(pass, survey, { isComplete, skipped })),
      ...failureAfter(pass, end.error),
    });
    if (!saved) return 'unfinished';
  }
  if (end.as === 'failed' && end.keepsDebts) pass.heartbeat.begin({ waitingSince: parts.clock(), ...window });
  if (end.error) throw end.error;
  if (survey.isBaseline) logWhatIsLeftOut(pass, findings, isComplete);
  return 'completed';
}

/** What a failure changes, and the end of one: nothing where nothing failed before, either. */
function failureAfter({ heartbeat, failedSince, parts }: Pass, error: Error | undefined): Partial<PassState> {
  const { mode } = heartbeat.lease;
  if (error) return failureOf(mode, { since: failedSince ?? parts.clock(), reason: failureReason(error) });
  return failedSince === undefined ? {} : failureOf(mode, undefined);
}

/** Logs what a baseline was completed without. */
function logWhatIsLeftOut({ parts: { log, process } }: Pass, findings: Findings, isComplete: boolean): void {
  const restless =
    'The list of projects changed each time that it was read: a project that it passed over is told as created later; ' +
    'the baseline ends all the same.';
  if (!isComplete) log.warn(restless, { ...process });
  for (const [projectId, found] of findings.sorted()) {
    const message = 'The baseline ends without a project; once it can be read it is told as created.';
    if (found.end !== 'settled') log.warn(message, { ...process, projectId, reason: reasonOf(found) });
  }
}

/** The state that moves on when a pass of this kind is done. */
function movedOn(
  pass: Pass,
  { window, listing, audit, recent, isBaseline }: Survey,
  { isComplete, skipped }: { readonly isComplete: boolean; readonly skipped: number },
): Partial<PassState> {
  const { state, parts, kind } = pass;
  const now = parts.clock();
  const { startedAt } = window;
  if (isBaseline) {
    const times = { watermark: startedAt, completedAt: now, sweepCompletedAt: now };
    // 0: a project that an incomplete listing passed over may have been there all the time.
    return {
      ...times,
      sweptAt: listing.isComplete ? startedAt : 0,
      audit,
      baselined: true,
      baselinedAt: now,
    };
  }
  if (kind === 'sweep') return { sweepCompletedAt: now, ...(isComplete && { sweptAt: startedAt }) };
  // Stryker disable next-line ArrayDeclaration: a `changes` pass remembers what it lists
  const seen = { audit, recent: recent?.toSave() ?? [] };
  return {
    // After an incomplete listing the next pass lists from the same time again.
    watermark: isComplete ? startedAt : state.watermark,
    completedAt: now,
    skipped,
    ...(isSameSeen(state, seen) ? {} : seen),
    ...paceAfter(pass),
  };
}

function isSameSeen(state: ProcessState, { audit, recent }: Pick<PassState, 'audit' | 'recent'>): boolean {
  return JSON.stringify([state.audit, state.recent]) === JSON.stringify([audit, recent]);
}

/** How soon the next pass is due, if the configuration lets that depend on what this one found. */
function paceAfter({ parts, state, begunAt, commits, definitions }: Pass): Partial<Pick<PassState, 'pace'>> {
  const found = commits + definitions.told > 0;
  const pace = nextPace(state.pace, parts.settings.changes, { began: begunAt, found });
  return pace ? { pace } : {};
}

/** Deletes the projects that are gone; or puts the process on hold, and leaves each of them as `not-listed`. */
async function settleDeletions(
  pass: Pass,
  { hold, deletions }: Conclusion,
  findings: Findings,
  { listing }: SecondListing,
): Promise<void> {
  if (hold) {
    await tellHold(pass, hold, listing.startedAt);
    for (const id of findings.idsOf('vanished', 'missed twice'))
      findings.set(id, { end: 'not-listed', reason: ON_HOLD });
  }
  for (const id of deletions) {
    try {
      await deleteProject(pass, id, listing);
    } catch (error) {
      if (!isOfOneProject(error)) throw error;
      findings.set(id, { end: 'unreadable', reason: failureReason(error), fault: error });
    }
    await pass.heartbeat.beat();
  }
}

/** Puts the process on hold and tells subscribers, unless a pass of the other mode has done so already. */
async function tellHold(pass: Pass, hold: NonNullable<Conclusion['hold']>, since: number): Promise<void> {
  const { log, process } = pass.parts;
  log.warn('Too many projects are gone at once: nothing is deleted until an operator releases the process.', {
    ...process,
    ...hold,
  });
  pass.events += await announce(pass, state => {
    if (state.hold || state.released) return undefined;
    return {
      state: { hold: { since, missing: hold.missing } },
      events: version => [heldEvent(process, { version, at: since, ...hold })],
    };
  });
}

/** Writes the debts, before the watermark moves on, and tells subscribers, once, of each project that an earlier pass failed with, too.
 *  @returns how many debts subscribers know of */
async function settleDebts(
  pass: Pass,
  state: ProcessState,
  findings: Findings,
  begunAt: number,
): Promise<number> {
  const { process, snapshots, clock, log } = pass.parts;
  const found = findings.sorted();
  const changes = debtChanges(state, found, clock());
  const telling = pass.kind === 'baseline' ? [] : toTell(state, found, begunAt);
  if (telling.length > 0) {
    const said = await announce({ parts: pass.parts, state }, now => skippedIn(pass, now, found, begunAt));
    pass.events += said;
    // If another pass was first to tell, it has logged this.
    for (const { projectId, after } of said > 0 ? telling : []) {
      const message = 'A project is skipped until it can be read and committed; subscribers are told.';
      log.warn(message, { ...process, projectId, reason: after.reason });
    }
  }
  const told = new Set(telling.map(({ projectId }) => projectId));
  await snapshots.writeDebts(
    process,
    changes.filter(({ projectId }) => !told.has(projectId)),
  );
  pass.skippedNoLonger.push(...skippedNoLonger(changes));
  const settled = changes.filter(({ before, after }) => before?.told && !after);
  return countTold(state) + telling.length - settled.length;
}

function skippedIn(
  pass: Pass,
  state: ProcessState,
  found: ReturnType<Findings['sorted']>,
  begunAt: number,
): Say | undefined {
  const { process, clock } = pass.parts;
  const telling = toTell(state, found, begunAt);
  const say = (count: number): Say => {
    const debts = telling.slice(0, count);
    return {
      state: {},
      debts,
      events: version => {
        const at = clock();
        return debts.map(({ projectId, after: { since, reason } }, index) =>
          skippedEvent(process, { version, index, at, projectId, since, reason }),
        );
      },
      less: () => (count > 1 ? say(Math.floor(count / 2)) : undefined),
    };
  };
  return telling.length > 0 ? say(telling.length) : undefined;
}

function countTold({ debts }: ProcessState): number {
  return [...debts.values()].filter(({ told }) => told).length;
}

/** Commits the deletion of a project that `listing` lacks. A snapshot read later than the listing shows that the project is back: then it
 *  is not deleted. If both were read at about the same time, it may be back, too: then its task list is read once more, and it is deleted
 *  only if that answers 404; else the next sweep decides.
 *  @throws TornSnapshotError when the snapshot, whose content is to be told, can't be read; ServiceError */
export async function deleteProject(pass: Pass, projectId: string, listing: Listing): Promise<void> {
  const { process, snapshots, clock } = pass.parts;
  for (;;) {
    const snapshot = await snapshots.load(process, projectId);
    if (!snapshot || lastSeen(snapshot) > listing.readAt) return;
    const isInDoubt = listing.readAt - lastSeen(snapshot) <= CLOCK_TOLERANCE_MS;
    if (isInDoubt && (await readTasks(pass, projectId, { load: async () => undefined })) !== undefined)
      return;
    // If the listing alone did not suffice, a request after its end confirmed the deletion, which may have happened until now.
    const since = listing.isComplete && !isInDoubt ? 0 : clock() - listing.endedAt;
    const changes = compareProject(projectId, snapshot.content, undefined, pass.definitions.rules);
    const readBefore = Math.max(listing.readBefore + since, lastSeen(snapshot));
    const { readAt, untimed } = listing;
    const { record, tasks } = snapshot.content;
    const source = { record, readAt, readBefore, ...(untimed && { untimed }) };
    const read = { source, tasks: { tasks, readAt, readBefore } };
    const deletion = { projectId, snapshot, content: undefined, changes, ...read };
    if ((await commit(pass, deletion)) === 'committed') return;
  }
}

/** When the project was last certainly there, by the service's time. An empty task list is no proof: a service may answer so for a project
 *  that is gone. */
function lastSeen({ recordReadAt, tasksReadAt, content }: Snapshot): number {
  return content.tasks.size > 0 ? Math.max(recordReadAt, tasksReadAt) : recordReadAt;
}
