import * as z from 'zod';
import { happenedAt } from '../basics/clock.ts';
import { inParallel } from '../basics/in-parallel.ts';
import { longestSilence } from '../config/workspace.ts';
import { type Debt, type PassFailure, withCompletion } from '../model/process-state.ts';
import type { WorkspacePause } from '../model/workspace-row.ts';
import type { KnownProcess, Progress } from '../store/store.ts';
import type { OperationsContext } from './context.ts';
import { endpointsAfter } from './endpoints.ts';
import { CONCURRENCY, cursorOf, DEFAULT_LIMIT, iso, readCursor } from './page.ts';
import { knownProcesses } from './processes.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';
import type { ProcessStatus } from './protocol/status.ts';

/** How many debts are shown; the others are only counted. */
const SHOWN_DEBTS = 10;

/** Where a page ended: after a process, or after an endpoint. */
const place = z.union([
  z.strictObject({ workspace: z.string(), process: z.string() }),
  z.strictObject({ endpoint: z.string() }),
]);
type Place = z.infer<typeof place>;

/** A page of the processes by workspace and identifier, then of the endpoints by name. */
export async function showStatus(
  context: OperationsContext,
  { cursor, limit = DEFAULT_LIMIT }: RequestOf<'status'>,
): Promise<AnswerOf<'status'>> {
  const after = readCursor<Place>('status', cursor, place);
  const head = { at: iso(context.clock()), house: context.label, isRunning: context.isRunning };
  const next = (to: Place) => ({ cursor: cursorOf('status', to) });
  const isPastProcesses = after !== undefined && 'endpoint' in after;
  const shown = isPastProcesses ? [] : processesAfter(after, await knownProcesses(context)).slice(0, limit);
  const processes = await statusesOf(context, shown);
  const last = shown.at(-1);
  if (last && shown.length === limit)
    return {
      ...head,
      processes,
      endpoints: [],
      ...next({ workspace: last.workspace, process: last.processId }),
    };
  const name = isPastProcesses ? after.endpoint : undefined;
  const found = await endpointsAfter(context, name, limit - shown.length);
  return {
    ...{ ...head, processes, endpoints: found.endpoints },
    ...(found.last !== undefined && next({ endpoint: found.last })),
  };
}

function processesAfter(
  after: { workspace: string; process: string } | undefined,
  all: readonly KnownProcess[],
): KnownProcess[] {
  const keyOf = ({ workspace, processId }: KnownProcess) => `${workspace}\0${processId}`;
  const from = after && `${after.workspace}\0${after.process}`;
  return all
    .filter(each => from === undefined || keyOf(each) > from)
    .toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

async function statusesOf(
  { states, workspaces, clock }: OperationsContext,
  processes: readonly KnownProcess[],
): Promise<ProcessStatus[]> {
  const rows = await workspaces.all();
  const statuses = new Map<KnownProcess, ProcessStatus>();
  await inParallel(processes, CONCURRENCY, async process => {
    const { pause, completions } = rows.get(process.workspace) ?? {};
    const read = await states.progress(process);
    const progress = withCompletion(read, completions?.get(process.processId));
    statuses.set(process, statusOf(process, { progress, pause, now: clock() }));
  });
  return processes.flatMap(process => statuses.get(process) ?? []);
}

interface Known {
  readonly progress: Progress;
  readonly pause: WorkspacePause | undefined;
  readonly now: number;
}

function statusOf(process: KnownProcess, known: Known): ProcessStatus {
  const { workspace, processId, interval } = process;
  const { progress, pause, now } = known;
  const { baselinedAt, sweptAt, hold, released, stalled, passes } = progress;
  const completedAt = happenedAt(progress.completedAt, now);
  const failure = failureOf(known);
  return {
    ...{ workspace, process: processId },
    state: stateOf(process, known),
    ...(baselinedAt !== undefined && { watchedSince: iso(baselinedAt) }),
    ...(completedAt > 0 && { completedAt: iso(completedAt) }),
    ...(sweptAt > 0 && { sweptAt: iso(sweptAt) }),
    ...(interval !== undefined && { interval }),
    underWay: passes
      .filter(({ isBegun, heldUntil = 0 }) => isBegun || heldUntil >= now)
      .map(({ mode, progress }) => ({ mode, ...(progress !== undefined && { progress }) })),
    ...(hold && { hold: { since: iso(hold.since), projects: hold.missing, isReleased: released } }),
    ...(stalled && { stalledSince: iso(stalled.since) }),
    ...(failure && { failure: { since: iso(failure.since), reason: failure.reason } }),
    ...(pause && { pausedUntil: iso(pause.until) }),
    debts: debtsOf(progress),
  };
}

function debtsOf({ debts }: Progress): ProcessStatus['debts'] {
  const all = [...debts].map(([project, debt]) => ({ project, ...debt }));
  const rank = (debt: Pick<Debt, 'told' | 'cause'>) => 2 * Number(!debt.told) + Number(!isUnread(debt));
  const inOrder = all.toSorted((one, other) => rank(one) - rank(other) || one.metAt - other.metAt);
  return {
    count: all.length,
    skipped: all.filter(({ told }) => told).length,
    unread: all.filter(isUnread).length,
    first: inOrder.slice(0, SHOWN_DEBTS).map(({ project, cause, reason, since, metAt, told }) => ({
      ...{ project, cause, reason, metAt: iso(metAt), isSkipped: told },
      ...(since > 0 && { since: iso(since) }),
    })),
  };
}

/** Whether a project can't be read. The other causes need no operator: a project that a sweep missed was most
 *  likely deleted, which the next sweep confirms, and an uncertain one is read again. */
function isUnread({ cause }: Pick<Debt, 'cause'>): boolean {
  return cause === 'unreadable' || cause === 'no-task-list';
}

/** Why passes fail; where both modes do, why `changes` passes do. While the workspace is paused, that is why. */
function failureOf({ progress, pause }: Known): PassFailure | undefined {
  return progress.changesFailure ?? progress.sweepFailure ?? pause;
}

/** The worst state that applies. */
function stateOf({ interval, isRemoved }: KnownProcess, known: Known): ProcessStatus['state'] {
  const { progress, now } = known;
  const { baselined, completedAt, hold, stalled, debts, passes } = progress;
  if (isRemoved) return 'removed';
  const isFailing = failureOf(known) !== undefined;
  if (!baselined && isFailing) return 'failing';
  if (!baselined) return passes.length > 0 ? 'baseline' : 'unknown';
  const isSilent = interval !== undefined && now - happenedAt(completedAt, now) > longestSilence(interval);
  if (stalled || isSilent) return 'stalled';
  if (isFailing) return 'failing';
  if (hold) return 'on-hold';
  return [...debts.values()].some(isUnread) ? 'owing' : 'well';
}
