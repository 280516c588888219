import * as z from 'zod';
import { happenedAt } from '../basics/clock.ts';
import { mapInParallel } from '../basics/in-parallel.ts';
import { byText } from '../basics/order.ts';
import type { ProcessKey } from '../basics/process.ts';
import { ignoredFields } from '../changes/ignored-fields.ts';
import { maxSilenceMs } from '../config/workspace.ts';
import { isLowDisk } from '../model/disk.ts';
import type { KnownField } from '../model/field-definition.ts';
import { type PassFailure, type Recheck, withCompletion } from '../model/process-state.ts';
import type { WorkspacePause } from '../model/workspace-row.ts';
import type { KnownProcess, Progress, Roster } from '../store/store.ts';
import { acted, type OperationOf, type OperationsContext } from './context.ts';
import { endpointsAfter } from './endpoints.ts';
import { CONCURRENCY, cursorTo, DEFAULT_LIMIT, hasEvents, iso, MAX_COUNTED, readCursor } from './page.ts';
import type { RequestOf } from './protocol/requests.ts';
import type { ProcessStatus } from './protocol/status.ts';
import { didYouMean, Refused } from './refused.ts';

/** Starts a pass; the answer does not wait for it. */
export const startPass: OperationOf<'pass'> = async (context, { mode, ...asked }) => {
  const process = await findProcess(context, asked);
  const startedAt = iso(context.clock());
  await context.startPass(process, mode);
  return acted({ process }, { ...namesOf(process), mode, startedAt }, [mode]);
};

/** How many of the projects whose deletions are on hold an answer names, in some 50 KB. */
const MAX_MISSING_NAMED = 1_000;

/** Lets the deletions of a process that is on hold go ahead. Refused for others: a release in advance would
 *  mean that their deletions never wait. */
export const releaseProcess: OperationOf<'release'> = async (context, { dryRun = false, ...asked }) => {
  const process = await findProcess(context, asked);
  const { hold, rechecks } = await context.states.progress(process);
  const isOnHold = hold !== undefined && (dryRun || (await context.states.release(process)));
  if (!isOnHold) throw new Refused('This process is not on hold: no deletions wait for approval.');
  const missing = [...rechecks].flatMap(([project, { cause }]) => (cause === 'not-listed' ? [project] : []));
  const first = missing.slice(0, MAX_MISSING_NAMED);
  const answer = { ...namesOf(process), projects: hold.missing, first, since: iso(hold.since), dryRun };
  return dryRun ? { answer } : acted({ process }, answer, [`${hold.missing} projects`]);
};

/** Deletes the stored data of a process that is no longer configured, at most a thousand projects with each
 *  request. If it is configured again, it begins with a new baseline. */
export const forgetProcess: OperationOf<'forget'> = async (context, { dryRun = false, ...asked }) => {
  const { isRunning, roster, clock, toApply } = context;
  if (!isRunning)
    throw new Refused(
      'Changewire is not running, and only a run knows the configuration. Start it, then try again.',
    );
  const removed = (await findProcesses(context, asked)).filter(({ isRemoved }) => isRemoved);
  if (removed.length === 0)
    throw new Refused(
      `This process is still configured. Remove it from the configuration, ${toApply}, then forget it.`,
    );
  const process = onlyOne(removed);
  const answer = (atLeast: number, isExact: boolean) => ({
    ...namesOf(process),
    ...{ dryRun, projects: { atLeast, isExact } },
  });
  if (dryRun) {
    const projects = await roster.count(process, MAX_COUNTED);
    return { answer: answer(projects, projects < MAX_COUNTED) };
  }
  const forgotten = await roster.forget(process, { now: clock(), most: MAX_COUNTED });
  if (forgotten === 'busy')
    throw new Refused('A pass of this process is still running. Try again when it has ended.');
  const { projects, isDone } = forgotten;
  return acted({ process }, answer(projects, isDone), [
    `${projects} projects`,
    ...(isDone ? [] : ['more remain']),
  ]);
};

/** Has a run take up its changed configuration. */
export const reloadConfiguration: OperationOf<'reload'> = async (context, { dryRun = false }) => {
  const { reload, isRunning } = context;
  if (!reload && isRunning)
    throw new Refused('A stack takes up its configuration when it is deployed: npx changewire deploy.');
  if (!reload) throw new Refused('Changewire is not running. The next start reads the configuration.');
  const answer = await reload(dryRun);
  const { added, removed } = answer.processes;
  const details = [`processes: ${added.length} added`, `${removed.length} removed`];
  return dryRun ? { answer } : acted({ stack: true }, answer, details);
};

/** The field definitions of one process. @throws Refused before they were read */
export const showDefinitions: OperationOf<'definitions'> = async (context, asked) => {
  const process = await findProcess(context, asked);
  const { definitions } = await context.snapshots.readState(process);
  if (!definitions.read?.length)
    throw new Refused('The fields of this process are not known yet. Try again after its first pass.');
  const shown = (fields: readonly KnownField[]) =>
    fields
      .filter(({ deleted }) => !deleted)
      .map(({ externalId, name, type, options, archived = false }) => ({
        ...{ externalId, name, type, archived },
        ...(options && { options: [...options] }),
      }));
  return { ...namesOf(process), project: shown(definitions.project), task: shown(definitions.task) };
};

/** Runs the doctor on one process. */
export const examineProcess: OperationOf<'doctor'> = async (context, asked) => {
  return context.doctor(await findProcess(context, asked));
};

/** The fields that the process ignores. */
export async function ignoredOf(
  { processes }: Pick<OperationsContext, 'processes'>,
  process: ProcessKey,
): Promise<ReadonlySet<string>> {
  const configured = (await processes()).find(each => sortKeyOf(each) === sortKeyOf(process));
  return ignoredFields(configured?.ignoreFields ?? []);
}

export const namesOf = ({ workspace, processId }: ProcessKey) => ({ workspace, process: processId });

/** Identifies a process, and sorts by workspace and identifier. */
export const sortKeyOf = ({ workspace, processId }: ProcessKey): string => `${workspace}\0${processId}`;

export function inOrder<Process extends ProcessKey>(all: readonly Process[]): Process[] {
  return all.toSorted((one, other) => byText(sortKeyOf(one), sortKeyOf(other)));
}

type Known = Pick<OperationsContext, 'processes'> & { readonly roster: Pick<Roster, 'list'> };
type Asked = Pick<RequestOf<'doctor'>, 'process' | 'workspace'>;

/** The configured processes, and those that are no longer configured but still have stored data. */
async function knownProcesses({ processes, roster }: Known): Promise<readonly KnownProcess[]> {
  const [configured, kept] = await Promise.all([processes(), roster.list()]);
  const sortKeys = new Set(configured.map(sortKeyOf));
  const removed = kept.filter(each => !sortKeys.has(sortKeyOf(each)));
  return [...configured, ...removed.map(each => ({ ...each, isRemoved: true as const }))];
}

/** A configured process. @throws Refused when none or several have this identifier */
export async function findProcess(known: Known, asked: Asked): Promise<ProcessKey> {
  return onlyOne(await findConfigured(known, asked));
}

/** The processes of this identifier. @throws Refused when none of them is configured */
export async function findConfigured(known: Known, asked: Asked): Promise<readonly KnownProcess[]> {
  const found = await findProcesses(known, asked);
  if (found.some(({ isRemoved }) => !isRemoved)) return found;
  throw new Refused(
    'This process is no longer configured. Add it to the configuration again, or forget it to delete its stored data.',
  );
}

/** A configured process is preferred. @throws Refused when there are several */
export function onlyOne(found: readonly KnownProcess[]): ProcessKey {
  const configured = found.filter(({ isRemoved }) => !isRemoved);
  const [one, ...more] = (configured.length > 0 ? configured : found) as [KnownProcess, ...KnownProcess[]];
  if (more.length === 0) return { workspace: one.workspace, processId: one.processId };
  const workspaces = [one, ...more].map(({ workspace }) => workspace).join(' or ');
  throw new Refused(`Several workspaces have a process with this id. Specify one: ${workspaces}.`);
}

/** The processes of a workspace, those of an identifier, or the one of both, including those that are no
 *  longer configured, or were forgotten and still have events. Undefined when neither is given, which means
 *  all processes. */
export async function processesOf(
  context: Known & Pick<OperationsContext, 'journal' | 'clock'>,
  { process, workspace }: { [Key in keyof Asked]?: string | undefined },
): Promise<readonly ProcessKey[] | undefined> {
  if (process === undefined)
    return workspace === undefined ? undefined : inWorkspace(workspace, await knownProcesses(context));
  return findOrForgotten(context, { process, workspace }, key => hasEvents(context, key));
}

/** The processes that are known; otherwise, those of this identifier that are not, but for which `hasData` is
 *  true. @throws Refused when there are not any */
export async function findOrForgotten(
  known: Known,
  asked: Asked,
  hasData: (process: ProcessKey) => Promise<boolean>,
): Promise<readonly KnownProcess[]> {
  const { process: processId, workspace } = asked;
  try {
    return await findProcesses(known, asked);
  } catch (error) {
    const all = workspace === undefined ? await knownProcesses(known) : [{ workspace }];
    const keys = [...new Set(all.map(each => each.workspace))].map(name => ({ workspace: name, processId }));
    const kept = await Promise.all(keys.map(hasData));
    const forgotten = keys.filter((_, index) => kept[index]);
    if (forgotten.length === 0) throw error;
    return forgotten;
  }
}

async function findProcesses(known: Known, { process, workspace }: Asked): Promise<readonly KnownProcess[]> {
  const all = await knownProcesses(known);
  const candidates = workspace === undefined ? all : inWorkspace(workspace, all);
  const found = candidates.filter(({ processId }) => processId === process);
  if (found.length > 0) return found;
  const ids = candidates.map(({ processId }) => processId);
  throw new Refused(`There is no process with this id.${didYouMean(process, ids) || IN_STATUS}`);
}

function inWorkspace(workspace: string, all: readonly KnownProcess[]): KnownProcess[] {
  const found = all.filter(each => each.workspace === workspace);
  if (found.length > 0) return found;
  const names = [...new Set(all.map(each => each.workspace))];
  throw new Refused(`There is no workspace with this name.${didYouMean(workspace, names) || IN_STATUS}`);
}

const IN_STATUS = ' The status lists all processes and their workspaces.';

/** How many rechecks are shown; the others are only counted. */
const SHOWN_RECHECKS = 10;

/** The last process or endpoint of a page of the status. */
const pageEnd = z.union([z.strictObject({ process: z.string() }), z.strictObject({ endpoint: z.string() })]);

/** A page of the processes by workspace and identifier, then of the endpoints by name. */
export const showStatus: OperationOf<'status'> = async (context, { cursor, limit = DEFAULT_LIMIT }) => {
  const { label: deployment, isRunning, states, workspaces, clock } = context;
  const disk = await context.disk?.();
  const after: { process?: string; endpoint?: string } = readCursor('status', cursor, pageEnd) ?? {};
  const { process = '', endpoint } = after;
  const all = endpoint === undefined ? inOrder(await knownProcesses(context)) : [];
  const shown = all.filter(each => sortKeyOf(each) > process).slice(0, limit);
  const rows = await workspaces.all();
  const processes = await mapInParallel(shown, CONCURRENCY, async each => {
    const { pause, completions } = rows.get(each.workspace) ?? {};
    const progress = withCompletion(await states.progress(each), completions?.get(each.processId));
    return statusOf(each, { progress, pause, now: clock() });
  });
  const head = {
    at: iso(clock()),
    deployment,
    isRunning,
    ...(disk && { disk: { ...disk, isLow: isLowDisk(disk) } }),
    processes,
  };
  const last = shown.at(-1);
  if (last && shown.length === limit)
    return { ...head, endpoints: [], ...cursorTo('status', { process: sortKeyOf(last) }) };
  const found = await endpointsAfter(context, endpoint, limit - shown.length);
  const next = found.last === undefined ? undefined : { endpoint: found.last };
  return { ...head, endpoints: found.endpoints, ...cursorTo('status', next) };
};

interface Observed {
  readonly progress: Progress;
  readonly pause: WorkspacePause | undefined;
  readonly now: number;
}

function statusOf(process: KnownProcess, observed: Observed): ProcessStatus {
  const { progress, pause, now } = observed;
  const { baselinedAt, sweptAt, projects, hold, released, stalled, passes } = progress;
  const completedAt = happenedAt(progress.completedAt, now);
  const failure = failureOf(observed);
  return {
    ...namesOf(process),
    state: stateOf(process, observed),
    ...(baselinedAt !== undefined && { watchedSince: iso(baselinedAt) }),
    ...(completedAt > 0 && { completedAt: iso(completedAt) }),
    ...(sweptAt > 0 && { sweptAt: iso(sweptAt) }),
    ...(projects !== undefined && { projects }),
    ...(process.interval !== undefined && { interval: process.interval }),
    underWay: passes
      .filter(({ isBegun, leasedUntil = 0 }) => isBegun || leasedUntil >= now)
      .map(({ mode, progress }) => ({ mode, ...(progress !== undefined && { progress }) })),
    ...(hold && { hold: { since: iso(hold.since), projects: hold.missing, isReleased: released } }),
    ...(stalled && { stalledSince: iso(stalled.since) }),
    ...(failure && { failure: failureAnswer(failure) }),
    ...failuresOf(progress),
    ...(pause && { pausedUntil: iso(pause.until) }),
    rechecks: rechecksOf(progress),
  };
}

function rechecksOf({ rechecks }: Progress): ProcessStatus['rechecks'] {
  const all = [...rechecks].map(([project, recheck]) => ({ project, ...recheck }));
  const rank = (recheck: Pick<Recheck, 'isReported' | 'cause'>) =>
    2 * Number(!recheck.isReported) + Number(!isUnread(recheck));
  const inOrder = all.toSorted((one, other) => rank(one) - rank(other) || one.foundAt - other.foundAt);
  return {
    count: all.length,
    skipped: all.filter(({ isReported }) => isReported).length,
    unread: all.filter(isUnread).length,
    first: inOrder.slice(0, SHOWN_RECHECKS).map(({ project, cause, reason, since, foundAt, isReported }) => ({
      ...{ project, cause, reason, foundAt: iso(foundAt), isSkipped: isReported },
      ...(since > 0 && { since: iso(since) }),
    })),
  };
}

/** Whether a project can't be read. The other causes need no operator: a project that a sweep missed was most
 *  likely deleted, which the next sweep confirms, and an uncertain one is read again. */
function isUnread({ cause }: Pick<Recheck, 'cause'>): boolean {
  return cause === 'unreadable' || cause === 'no-task-list';
}

/** Why passes fail; where both modes do, why `changes` passes do. While the workspace is paused, that is why. */
function failureOf({ progress, pause }: Observed): PassFailure | undefined {
  return progress.changesFailure ?? progress.sweepFailure ?? pause;
}

function failuresOf({ changesFailure, sweepFailure }: Progress): Pick<ProcessStatus, 'failures'> {
  if (!changesFailure && !sweepFailure) return {};
  return {
    failures: {
      ...(changesFailure && { changes: failureAnswer(changesFailure) }),
      ...(sweepFailure && { sweep: failureAnswer(sweepFailure) }),
    },
  };
}

const failureAnswer = ({ since, reason }: PassFailure) => ({ since: iso(since), reason });

/** The worst state that applies. */
function stateOf({ interval, isRemoved }: KnownProcess, observed: Observed): ProcessStatus['state'] {
  const { progress, now } = observed;
  const { baselined, completedAt, hold, stalled, rechecks, passes } = progress;
  if (isRemoved) return 'removed';
  const isFailing = failureOf(observed) !== undefined;
  if (!baselined && isFailing) return 'failing';
  if (!baselined) return passes.length > 0 ? 'baseline' : 'unknown';
  const isSilent = interval !== undefined && now - happenedAt(completedAt, now) > maxSilenceMs(interval);
  if (stalled || isSilent) return 'stalled';
  if (isFailing) return 'failing';
  if (hold) return 'on-hold';
  return [...rechecks.values()].some(isUnread) ? 'degraded' : 'healthy';
}
