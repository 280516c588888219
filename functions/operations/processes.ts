import type { ProcessKey } from '../basics/process.ts';
import type { KnownProcess, Roster } from '../store/store.ts';
import type { Acted, OperationsContext } from './context.ts';
import { iso, MAX_COUNTED } from './page.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';
import { didYouMean, Refused } from './refused.ts';

/** Starts a pass; the answer does not wait for it. */
export async function startPass(
  context: OperationsContext,
  { mode, ...asked }: RequestOf<'pass'>,
): Promise<Acted<AnswerOf<'pass'>>> {
  const process = keyOf(await findProcess(context, asked));
  const startedAt = iso(context.clock());
  await context.passes.start(process, mode);
  return {
    answer: { workspace: process.workspace, process: process.processId, mode, startedAt },
    action: { subject: { process }, details: mode },
  };
}

/** Lets the deletions of a process that is on hold go ahead. Refused for others: a release in advance would
 *  mean that their deletions never wait. */
export async function releaseProcess(
  context: OperationsContext,
  { dryRun = false, ...asked }: RequestOf<'release'>,
): Promise<Acted<AnswerOf<'release'>>> {
  const process = keyOf(await findProcess(context, asked));
  const { hold } = await context.states.progress(process);
  const isOnHold = hold !== undefined && (dryRun || (await context.states.release(process)));
  if (!isOnHold) throw new Refused('This process is not on hold: no deletions wait.');
  const { workspace, processId } = process;
  const answer = { workspace, process: processId, projects: hold.missing, since: iso(hold.since), dryRun };
  if (dryRun) return { answer };
  return { answer, action: { subject: { process }, details: `${hold.missing} projects` } };
}

/** Deletes the stored data of a process that is no longer configured, at most a thousand projects with each
 *  request. If it is configured again, it begins with a new baseline. */
export async function forgetProcess(
  context: OperationsContext,
  { dryRun = false, ...asked }: RequestOf<'forget'>,
): Promise<Acted<AnswerOf<'forget'>>> {
  const { isRunning, roster, clock } = context;
  if (!isRunning)
    throw new Refused('Nothing runs: only a run knows what is configured. Start it, and ask again.');
  const process = keyOf(await findRemovedProcess(context, asked));
  const { workspace, processId } = process;
  const answer = (atLeast: number, isExact: boolean) => ({
    ...{ workspace, process: processId, dryRun },
    projects: { atLeast, isExact },
  });
  if (dryRun) {
    const projects = await roster.count(process, MAX_COUNTED);
    return { answer: answer(projects, projects < MAX_COUNTED) };
  }
  const forgotten = await roster.forget(process, { now: clock(), most: MAX_COUNTED });
  if (forgotten === 'busy')
    throw new Refused('A pass walks it still. When the status shows none under way, ask again.');
  const { projects, isDone } = forgotten;
  const details = `${projects} projects${isDone ? '' : ', and more are left'}`;
  return { answer: answer(projects, isDone), action: { subject: { process }, details } };
}

/** Runs the doctor on one process. */
export async function examineProcess(
  context: OperationsContext,
  asked: RequestOf<'doctor'>,
): Promise<AnswerOf<'doctor'>> {
  return context.doctor(await findProcess(context, asked));
}

function keyOf({ workspace, processId }: KnownProcess) {
  return { workspace, processId };
}

type Known = Pick<OperationsContext, 'processes'> & { readonly roster: Pick<Roster, 'list'> };
type Asked = { readonly process: string; readonly workspace?: string | undefined };

/** The configured processes, and those that are no longer configured but still have stored data. */
export async function knownProcesses({ processes, roster }: Known): Promise<readonly KnownProcess[]> {
  const [configured, kept] = await Promise.all([processes(), roster.list()]);
  const nameOf = ({ workspace, processId }: ProcessKey) => JSON.stringify([workspace, processId]);
  const names = new Set(configured.map(nameOf));
  const removed = kept.filter(each => !names.has(nameOf(each)));
  return [...configured, ...removed.map(each => ({ ...each, isRemoved: true as const }))];
}

const REMOVED =
  'The configuration has this process no more. Take it in again, or forget it, which deletes what is kept of it.';

/** A configured process. @throws Refused when none or several have this identifier */
async function findProcess(known: Known, asked: Asked): Promise<KnownProcess> {
  const configured = (await findProcesses(known, asked)).filter(({ isRemoved }) => !isRemoved);
  if (configured.length > 0) return onlyOne(configured);
  throw new Refused(REMOVED);
}

/** A configured process, else one that is no longer configured. @throws as above */
export async function findKnownProcess(known: Known, asked: Asked): Promise<KnownProcess> {
  const found = await findProcesses(known, asked);
  const configured = found.filter(({ isRemoved }) => !isRemoved);
  return onlyOne(configured.length > 0 ? configured : found);
}

/** A process that has stored data, but is no longer configured. @throws Refused when it is configured, and as
 *  above */
async function findRemovedProcess(context: OperationsContext, asked: Asked): Promise<KnownProcess> {
  const removed = (await findProcesses(context, asked)).filter(({ isRemoved }) => isRemoved);
  if (removed.length > 0) return onlyOne(removed);
  throw new Refused(
    `This process is in the configuration. Take it out of it first, and ${context.toApply}: only then can it be forgotten.`,
  );
}

/** @throws Refused when there are several */
export function onlyOne<Process extends ProcessKey>(found: readonly Process[]): Process {
  const [one, ...more] = found as [Process, ...Process[]];
  if (more.length === 0) return one;
  const workspaces = found.map(({ workspace }) => workspace).join(' or ');
  throw new Refused(`Several workspaces have a process of this identifier. Name one: ${workspaces}.`);
}

/** @throws Refused when no configured process has this identifier */
export async function checkConfigured(known: Known, process: string): Promise<void> {
  const found = await findProcesses(known, { process });
  if (found.every(({ isRemoved }) => isRemoved)) throw new Refused(REMOVED);
}

/** The processes of a workspace, those of an identifier, or the one of both, including those that are no
 *  longer configured, or were forgotten and still have events. Undefined when neither is given, which means
 *  all processes. */
export async function processesOf(
  known: Known & Pick<OperationsContext, 'journal'>,
  { process, workspace }: Partial<Record<keyof Asked, string | undefined>>,
): Promise<readonly ProcessKey[] | undefined> {
  if (process === undefined)
    return workspace === undefined ? undefined : inWorkspace(workspace, await knownProcesses(known));
  const asked = { process, workspace };
  const find = () => findProcesses(known, asked);
  return orForgotten(known, asked, { find, hasData: key => hasEvents(known, key) });
}

async function hasEvents(
  { journal }: Pick<OperationsContext, 'journal'>,
  process: ProcessKey,
): Promise<boolean> {
  const all = { order: 'newest-first', since: 0, until: Number.MAX_SAFE_INTEGER } as const;
  for await (const _ of journal.search({ ...all, processes: [process] })) return true;
  return false;
}

/** The processes that `find` finds; otherwise, those of this identifier that are unknown, but for which
 *  `hasData` is true. @throws the error of `find` when there are none */
export async function orForgotten(
  known: Known,
  { process, workspace }: Asked,
  {
    find,
    hasData,
  }: {
    readonly find: () => Promise<readonly ProcessKey[]>;
    readonly hasData: (process: ProcessKey) => Promise<boolean>;
  },
): Promise<readonly ProcessKey[]> {
  try {
    return await find();
  } catch (error) {
    const workspaces =
      workspace === undefined
        ? new Set((await knownProcesses(known)).map(each => each.workspace))
        : [workspace];
    const keys = [...workspaces].map(each => ({ workspace: each, processId: process }));
    const kept = await Promise.all(keys.map(hasData));
    const forgotten = keys.filter((_, index) => kept[index]);
    if (forgotten.length === 0) throw error;
    return forgotten;
  }
}

async function findProcesses(
  known: Known,
  { process, workspace }: Asked,
): Promise<[KnownProcess, ...KnownProcess[]]> {
  const all = await knownProcesses(known);
  const candidates = workspace === undefined ? all : inWorkspace(workspace, all);
  const [found, ...more] = candidates.filter(({ processId }) => processId === process);
  if (found) return [found, ...more];
  const names = candidates.map(({ processId }) => processId);
  const hint = didYouMean(process, names) || ' The status lists all that there are.';
  throw new Refused(`There is no process of this identifier.${hint}`);
}

function inWorkspace(workspace: string, all: readonly KnownProcess[]): KnownProcess[] {
  const found = all.filter(each => each.workspace === workspace);
  if (found.length > 0) return found;
  const hint = didYouMean(workspace, [...new Set(all.map(each => each.workspace))]);
  throw new Refused(`There is no workspace of this name.${hint || ' The status lists all that there are.'}`);
}
