import { hash } from 'node:crypto';
import { logIfAssertion } from '../basics/assert.ts';
import { inParallel } from '../basics/in-parallel.ts';
import { withheldProperties } from '../basics/property-names.ts';
import { dueEvent } from '../changes/build-events.ts';
import type { Rules } from '../changes/compare-project.ts';
import { applied, type DueRules, type Falling, fallDue, propertiesOf } from '../changes/due.ts';
import { canonicalJson } from '../changes/equal.ts';
import { contentWithout } from '../changes/withheld.ts';
import type { Due, DueRule, KnownRules, Timer } from '../model/due.ts';
import type { DueEvent } from '../model/event.ts';
import type { ProcessState } from '../model/process-state.ts';
import type { ProjectContent, Snapshot } from '../model/snapshot.ts';
import { unmet } from '../model/where.ts';
import type { CommitRequest, CommitResult } from '../store/store.ts';
import { announce, nextVersion } from './announce.ts';
import { checkCommit } from './check-commit.ts';
import { isOutOfTime, type PassContext } from './context/context.ts';
import { isOfOneProject, TooLargeError } from './failures.ts';
import type { PassState } from './state.ts';

const DEFAULT_TIME_ZONE = 'UTC';

/** Reads the rules of the process, and saves in its state those that are new: what was due before is not emitted. Call
 *  it before the first commit of a pass. It writes nothing while the rules are the same. */
export async function noteRules(context: PassContext, state: PassState): Promise<void> {
  const { before, clock, settings } = context;
  const { rules = [], timeZone = DEFAULT_TIME_ZONE } = settings;
  if (rules.length === 0 && !before.rules) return;
  const resolvedRules = rules.map(rule => resolveRule(rule, state.definitions.rules));
  const all = [...new Map(resolvedRules.map(rule => [rule.key, rule]))];
  const knownIn = (now: ProcessState): KnownRules | undefined => {
    const seen = new Map(now.rules?.rules);
    const known = all.map(([key]) => [key, seen.get(key) ?? clock()] as const);
    return all.length === 0 ? undefined : { rules: known, timeZone };
  };
  let noted = { rules: before.rules, rulesWalk: before.rulesWalk };
  await announce(context, before, now => {
    const known = knownIn(now);
    noted = { rules: now.rules, rulesWalk: now.rulesWalk };
    if (JSON.stringify(known) === JSON.stringify(now.rules)) return undefined;
    noted = { rules: known, rulesWalk: known && {} };
    return { state: noted, events: () => [] };
  });
  const seen = new Map(noted.rules?.rules);
  if (seen.size === 0) return;
  state.due = {
    timeZone,
    rules: all.map(([key, rule]) => applied(rule, seen.get(key) ?? clock(), timeZone)),
  };
  state.rulesWalk = noted.rulesWalk;
}

/** The rule with its properties, and a key of both, with those of archived fields: else archiving a field would make
 *  it another rule, which emits again what is overdue. */
export function resolveRule(rule: DueRule, definitions: Rules): Parameters<typeof applied>[0] {
  const { all, inUse } = propertiesOf(rule, definitions);
  // Without the keys that are undefined.
  const content = JSON.parse(JSON.stringify({ ...rule, properties: all }));
  return { ...rule, properties: inUse, key: hash('sha256', canonicalJson(content)).slice(0, 12) };
}

/** A commit, as far as values fall due by it. */
interface DueCommit extends Pick<CommitRequest, 'projectId' | 'version' | 'at'> {
  readonly snapshot: Snapshot | undefined;
  readonly content: ProjectContent;
  /** The number of the commit's other events, which come first. */
  readonly first: number;
  /** Whether a record changes, after the baseline. */
  readonly isChanged: boolean;
  readonly limit: number;
}

/** What falls due at a commit: the events, and what the snapshot keeps. */
export function dueAtCommit(
  { process, reports }: Pick<PassContext, 'process' | 'reports'>,
  rules: DueRules | undefined,
  definitions: Rules,
  { snapshot, content, first, isChanged, limit, ...commit }: DueCommit,
): { readonly due: Due | undefined; readonly events: readonly DueEvent[] } {
  if (!rules) return { due: undefined, events: [] };
  const origin = { ...process, ...commit, projectRecord: content.record, rules: definitions };
  const eventOf = (falling: Falling, index: number) =>
    dueEvent(origin, falling, content.tasks.get(falling.record), index);
  // What a baseline reads was there before.
  const before = snapshot ?? (isChanged ? undefined : { content, due: undefined, version: 0 });
  const { falling, due } = fallDue(before, content, {
    ...{ rules, at: commit.at, isChanged, limit },
    isWanted: one => one.rule.where === undefined || unmet(one.rule.where, eventOf(one, 0)) === undefined,
    onOther: ({ key, event, field }) =>
      reports.once(
        `rule-${key}`,
        'A rule ignores values that are no dates. Name a field with dates in the rule.',
        { event, field },
      ),
  });
  return { due, events: falling.map((one, index) => eventOf(one, first + index)) };
}

/** At most this many events of rules in one commit. */
export const MAX_DUE_EVENTS = 100;
/** Timers of one request. */
const PAGE = 50;
/** How many snapshots are loaded at once. */
const CONCURRENCY = 8;
/** A pass continues this long with what fell due, and with snapshots from before a rule; the next one continues. */
const MAX_MS = 45_000;

/** Emits what fell due in projects that did not change, as their timers show. Asks the service nothing, needs no lease,
 *  and costs one request while nothing falls due. To be called after the changes are committed, so that a task that was
 *  completed a minute ago is not emitted as overdue. */
export async function emitDue(context: PassContext, state: PassState): Promise<void> {
  if (!state.due) return;
  const { snapshots, process, clock } = context;
  const until = clock() + MAX_MS;
  const seen = new Set<string>();
  for (let stuck = 0; ; ) {
    const limit = PAGE + stuck;
    const timers = await snapshots.timers(process, limit);
    const now = clock();
    const left = timers.filter(timer => !seen.has(JSON.stringify(timer)));
    stuck = timers.length - left.length;
    const due = left.filter(({ at }) => at <= now);
    state.nextDue = timers.find(({ at }) => at > now)?.at;
    if (isOutOfTime(context) || now >= until) return;
    if (due.length === 0 && (left.length > 0 || timers.length < limit)) break;
    await inParallel(due, CONCURRENCY, async timer => {
      // One that stays, for a reason that the log has, is left to the next pass.
      seen.add(JSON.stringify(timer));
      await emitOrLog(context, state, timer.projectId, timer);
      await context.heartbeat.beat();
    });
  }
  if (!state.rulesWalk) return;
  await walkSnapshots(context, state, until);
  state.nextDue = (await snapshots.timers(process, 1))[0]?.at;
}

/** Gives the snapshots that were written without these rules what they need for them; begun when the rules change, and
 *  by each sweep, because an earlier version may have written some. */
async function walkSnapshots(context: PassContext, state: PassState, until: number): Promise<void> {
  const { snapshots, process, clock, heartbeat } = context;
  if (!state.rulesWalk || !state.due) return;
  const keys = state.due.rules.map(({ key }) => key).join();
  for await (const page of snapshots.heads(process, state.rulesWalk.after)) {
    await inParallel(page, CONCURRENCY, async head => {
      const { projectId } = head;
      const isUpToDate = ({ due }: Snapshot) =>
        due?.rules.join() === keys && due.timeZone === state.due?.timeZone;
      const known = head.whole?.();
      if (!known || !isUpToDate(known)) await emitOrLog(context, state, projectId, undefined);
      await heartbeat.beat();
    });
    const after = page.at(-1)?.projectId;
    if (after !== undefined) await saveWalk(context, state, { after });
    if (isOutOfTime(context) || clock() >= until) return;
  }
  await saveWalk(context, state, undefined);
}

async function saveWalk(
  context: PassContext,
  state: PassState,
  rulesWalk: ProcessState['rulesWalk'],
): Promise<void> {
  const current = await context.snapshots.readState(context.process);
  const isOurs = (now: ProcessState) => JSON.stringify(now.rulesWalk) === JSON.stringify(state.rulesWalk);
  // Another pass, or new rules, have moved it.
  if (isOurs(current))
    await announce(context, current, now =>
      isOurs(now) ? { state: { rulesWalk }, events: () => [] } : undefined,
    );
  state.rulesWalk = rulesWalk;
}

/** A project that can't be read or committed does not hold up the others. */
async function emitOrLog(
  context: PassContext,
  state: PassState,
  projectId: string,
  timer: Timer | undefined,
): Promise<void> {
  try {
    await emitOf(context, state, projectId, timer);
  } catch (error) {
    if (!isOfOneProject(error)) throw error;
    const { log, process } = context;
    logIfAssertion(log, error, { ...process, projectId });
    log.warn('What fell due in a project cannot be emitted; the next pass retries.', {
      ...process,
      ...{ code: 'due.project-failed', projectId, error: error.message },
    });
  }
}

/** Commits what fell due in one project, a part in each commit if that is too much, and its next timer.
 *  @param timer the row that led to it; it is deleted if the snapshot does not name it
 *  @throws TornSnapshotError, TooLargeError */
async function emitOf(
  context: PassContext,
  state: PassState,
  projectId: string,
  timer: Timer | undefined,
): Promise<void> {
  const { snapshots, process } = context;
  for (;;) {
    const snapshot = await snapshots.load(process, projectId);
    const isStray = timer !== undefined && snapshot?.due?.next !== timer.at;
    const committed = snapshot && (await commitDue(context, state, projectId, snapshot));
    if (committed?.result === 'conflict') continue;
    const { due, version, isPart } = committed ?? {};
    if (timer && isStray && due?.next !== timer.at) await snapshots.deleteTimer(process, timer, version);
    if (!isPart || isOutOfTime(context)) return;
  }
}

async function commitDue(
  context: PassContext,
  state: PassState,
  projectId: string,
  snapshot: Snapshot,
): Promise<Pick<Snapshot, 'due' | 'version'> & { result: CommitResult; isPart?: boolean }> {
  const { snapshots, process, clock, settings, onCommitted } = context;
  const content = contentWithout(snapshot.content, withheldProperties(settings.withhold ?? []));
  for (let limit = MAX_DUE_EVENTS; limit >= 1; limit = Math.floor(limit / 2)) {
    const at = clock();
    const version = nextVersion(snapshot.version, at);
    const { due, events } = dueAtCommit(context, state.due, state.definitions.rules, {
      ...{ projectId, snapshot: { ...snapshot, content }, content, version, at },
      ...{ first: 0, isChanged: false, limit },
    });
    if (events.length === 0 && isSame(due, snapshot.due)) return { ...snapshot, result: 'committed' };
    const request = {
      projectId,
      expected: snapshot,
      snapshot: { ...snapshot, version, due },
      version,
      events,
      at,
    };
    checkCommit(request, { processId: process.processId, lastVersion: snapshot.version, changes: [] });
    const result = await snapshots.commit(process, request);
    if (result === 'too-large') continue;
    if (result === 'committed') {
      state.commits += 1;
      state.events += events.length;
      if (events.length > 0) onCommitted?.(events.map(({ id }) => id));
    }
    return { due, version, result, isPart: events.length > 0 && due?.next !== undefined && due.next <= at };
  }
  throw new TooLargeError(process.processId, projectId);
}

/** Whether a snapshot keeps the same but for the time. */
function isSame(one: Due | undefined, other: Due | undefined): boolean {
  return JSON.stringify({ ...one, until: 0 }) === JSON.stringify({ ...other, until: 0 });
}
