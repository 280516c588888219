import { assert, logIfAssertion } from '../basics/assert.ts';
import { onHoldEvent, skippedEvent } from '../changes/process-events.ts';
import { failureOf, type ProcessState, type SavedState } from '../model/process-state.ts';
import { nextPace } from '../schedule/pace.ts';
import { announce, inHalves } from './announce.ts';
import { deleteProject } from './commit.ts';
import { type Conclusion, conclude } from './conclude.ts';
import { failedSince, isOutOfTime, type PassContext } from './context/context.ts';
import { failureReason } from './failures.ts';
import { faultOfOneProject } from './look.ts';
import type { Listing } from './reading/listing.ts';
import { type Findings, ON_HOLD, reasonOf, recheckChanges, skippedNoLonger, toAnnounce } from './rechecks.ts';
import type { lookAtAll } from './rounds.ts';
import type { PassState } from './state.ts';
import type { Survey } from './survey.ts';

/** Ends a pass by its conclusion: deletions, then rechecks, then watermark, audit position and lease in one write.
 *  @throws when the conclusion is `failed`: then nothing moves on */
export async function settle(
  context: PassContext,
  state: PassState,
  survey: Survey,
  rounds: Awaited<ReturnType<typeof lookAtAll>>,
): Promise<'completed' | 'unfinished'> {
  const { process, snapshots, clock, heartbeat, reports, kind, before } = context;
  const { findings, isStopped, second } = rounds;
  const isQuiet =
    findings.sorted().every(([, { end }]) => end === 'settled') &&
    before.rechecks.size + state.rechecks.size === 0;
  const current = isQuiet && !before.hold ? before : await snapshots.readState(process);
  const { window, listing } = survey;
  // Each run of a baseline looks at every project that it lists: an earlier run's incomplete listing doesn't matter.
  const isComplete = listing.isComplete && (kind === 'baseline' || !window.isIncomplete);
  const { known, missing } = second ?? { known: 0, missing: 0 };
  const facts = { kind, window, isComplete, isStopped, findings, known, missing, now: clock() };
  const end = conclude({ ...facts, state: current });
  const isDone = end.as === 'done';
  if (end.as === 'later') return 'unfinished';
  // What this run has found out since it saved its progress, the next one finds again, with the same release.
  if (await settleDeletions(context, state, end, findings, second?.listing)) return 'unfinished';
  const skipped = end.keepsRechecks
    ? await settleRechecks(context, state, current, findings, window.begunAt)
    : countAnnounced(current);
  if (isDone || kind === 'sweep') {
    const moved = isDone ? movedOn(context, state, survey, { isComplete, skipped }) : {};
    checkMoved(context, survey, moved);
    const saved = await snapshots.finish(process, heartbeat.lease, {
      ...reports.logAndSave(),
      ...(end.releasesHold && { hold: undefined, released: false }),
      ...moved,
      ...failureAfter(context, end.error),
    });
    if (!saved) return 'unfinished';
  }
  if (end.as === 'failed' && end.keepsRechecks) heartbeat.begin({ waitingSince: clock(), ...window });
  if (end.error) throw end.error;
  if (kind === 'baseline') logWhatIsLeftOut(context, findings, isComplete);
  return 'completed';
}

/** What a failure changes, and the end of one: nothing where nothing failed before, either. */
function failureAfter(context: PassContext, error: Error | undefined): Partial<SavedState> {
  const { mode } = context.heartbeat.lease;
  const since = failedSince(context);
  if (error) return failureOf(mode, { since: since ?? context.clock(), reason: failureReason(error) });
  return since === undefined ? {} : failureOf(mode, undefined);
}

/** Logs what a baseline was completed without. */
function logWhatIsLeftOut({ log, process }: PassContext, findings: Findings, isComplete: boolean): void {
  const unstable =
    'The list of projects changed during each reading: a project that it omitted is emitted as created later; ' +
    'the baseline ends anyway.';
  if (!isComplete) log.warn(unstable, { ...process, code: 'baseline.unstable-list' });
  for (const [projectId, found] of findings.sorted()) {
    const message = 'The baseline ends without a project; it is emitted as created once it can be read.';
    if (found.end !== 'settled')
      log.warn(message, {
        ...process,
        code: 'baseline.project-left-out',
        projectId,
        reason: reasonOf(found),
      });
  }
}

/** The state that moves on when a pass of this kind is done. */
function movedOn(
  context: PassContext,
  state: PassState,
  { window, listing, audit, recent }: Survey,
  { isComplete, skipped }: { readonly isComplete: boolean; readonly skipped: number },
): Partial<SavedState> {
  const { before, kind } = context;
  const now = context.clock();
  const { startedAt } = window;
  if (kind === 'baseline') {
    return {
      watermark: startedAt,
      completedAt: now,
      sweepCompletedAt: now,
      // 0: a project that an incomplete listing passed over may have been there all the time.
      sweptAt: listing.isComplete ? startedAt : 0,
      ...(listing.isComplete && { projects: listing.projects.size }),
      audit,
      baselined: true,
      baselinedAt: now,
    };
  }
  if (kind === 'sweep')
    return {
      sweepCompletedAt: now,
      ...(isComplete && { sweptAt: startedAt, projects: listing.projects.size }),
      ...(state.due && { rulesWalk: {} }),
    };
  // Stryker disable next-line ArrayDeclaration: a `changes` pass remembers what it lists
  const seen = { audit, recent: recent?.toSave() ?? [] };
  return {
    // After an incomplete listing the next pass lists from the same time again.
    watermark: isComplete ? startedAt : before.watermark,
    completedAt: now,
    skipped,
    ...(isSameSeen(before, seen) ? {} : seen),
    ...paceAfter(context, state),
  };
}

/** Checks what moves on: no later pass reads what is before it. A watermark may go back, with the service's
 *  clock: then changes are read twice.
 *  @throws AssertionError */
function checkMoved(
  { before }: PassContext,
  { window }: Survey,
  { watermark = before.watermark, sweptAt = before.sweptAt, ...moved }: Partial<SavedState>,
): void {
  const isKnown = (time: number, last: number) =>
    Number.isFinite(time) && [window.startedAt, last, 0].includes(time);
  const areKnown = isKnown(watermark, before.watermark) && isKnown(sweptAt, before.sweptAt);
  assert(areKnown, 'settle.watermark-of-window');
  assert(!('audit' in moved) || !before.audit || moved.audit !== undefined, 'settle.audit-stays-known');
}

function isSameSeen(before: ProcessState, { audit, recent }: Pick<SavedState, 'audit' | 'recent'>): boolean {
  return JSON.stringify([before.audit, before.recent]) === JSON.stringify([audit, recent]);
}

/** How soon the next pass is due, if the configuration lets that depend on what this one found. */
function paceAfter(
  { before, begunAt, settings }: PassContext,
  { commits, definitions, nextDue }: PassState,
): Partial<Pick<SavedState, 'pace'>> {
  const found = commits + definitions.events > 0;
  const pace = nextPace(before.pace, settings.changes, { began: begunAt, found, nextDue });
  return pace ? { pace } : {};
}

/** Deletes the projects that are gone; or puts the process on hold, and leaves each of them as `not-listed`.
 *  @param listing of the second round: without one, none is known to be gone
 *  @returns true when time ran out before the last one */
async function settleDeletions(
  context: PassContext,
  state: PassState,
  { hold, deletions }: Conclusion,
  findings: Findings,
  listing: Listing | undefined,
): Promise<boolean> {
  if (!listing) return false;
  if (hold) {
    await announceHold(context, state, hold, listing.startedAt);
    for (const id of findings.idsOf('vanished', 'missed twice'))
      findings.set(id, { end: 'not-listed', reason: ON_HOLD });
  }
  for (const id of deletions) {
    try {
      await deleteProject(context, state, id, listing);
    } catch (error) {
      logIfAssertion(context.log, error, { ...context.process, projectId: id });
      findings.set(id, faultOfOneProject(error));
    }
    await context.heartbeat.beat();
    // After a deletion, not before it, so that each run gets further.
    if (isOutOfTime(context) && id !== deletions.at(-1)) return true;
  }
  return false;
}

/** Puts the process on hold and announces it, unless a pass of the other mode has done so already. */
async function announceHold(
  context: PassContext,
  state: PassState,
  hold: NonNullable<Conclusion['hold']>,
  since: number,
): Promise<void> {
  const { log, process } = context;
  log.warn(
    'Too many projects disappeared at once: deletions are on hold until an operator releases the process.',
    {
      ...process,
      code: 'process.on-hold',
      ...hold,
    },
  );
  state.events += await announce(context, context.before, now => {
    if (now.hold || now.released) return undefined;
    return {
      state: { hold: { since, missing: hold.missing } },
      events: version => [onHoldEvent(process, { version, at: since, ...hold })],
    };
  });
}

/** Writes the rechecks, before the watermark moves on, and announces, once, each project that an earlier pass
 *  failed with, too.
 *  @returns how many rechecks subscribers know of */
async function settleRechecks(
  context: PassContext,
  state: PassState,
  current: ProcessState,
  findings: Findings,
  begunAt: number,
): Promise<number> {
  const { process, snapshots, clock, log } = context;
  const found = findings.sorted();
  const changes = recheckChanges(current, found, clock(), state.rechecks);
  const skipped = context.kind === 'baseline' ? [] : toAnnounce(current, found, begunAt);
  if (skipped.length > 0) {
    const emitted = await announce(context, current, now => {
      const some = toAnnounce(now, found, begunAt);
      if (some.length === 0) return undefined;
      return inHalves(some, rechecks => ({
        state: {},
        rechecks,
        events: version => {
          const at = clock();
          return rechecks.map(({ projectId, after: { since, reason } }, index) =>
            skippedEvent(process, { version, index, at, projectId, since, reason }),
          );
        },
      }));
    });
    state.events += emitted;
    // If another pass was first to announce it, it has logged this.
    for (const { projectId, after } of emitted > 0 ? skipped : []) {
      const message =
        'A project is skipped until it can be read and committed; a source.skipped event was emitted.';
      log.warn(message, { ...process, code: 'project.skipped', projectId, reason: after.reason });
    }
  }
  const announced = new Set(skipped.map(({ projectId }) => projectId));
  await snapshots.writeRechecks(
    process,
    changes.filter(({ projectId }) => !announced.has(projectId)),
  );
  state.skippedNoLonger.push(...skippedNoLonger(changes));
  const settled = changes.filter(({ before, after }) => before?.isReported && !after);
  return countAnnounced(current) + skipped.length - settled.length;
}

function countAnnounced({ rechecks }: ProcessState): number {
  return [...rechecks.values()].filter(({ isReported }) => isReported).length;
}
