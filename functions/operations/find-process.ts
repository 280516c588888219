import type { ProcessKey } from '../basics/process.ts';
import type { KnownProcess } from '../store/processes.ts';
import type { Roster } from '../store/roster.ts';
import { knownProcesses } from './known-processes.ts';
import type { OperationsHouse } from './operations-house.ts';
import { didYouMean, Refused } from './refused.ts';

const REMOVED =
  'The configuration has this process no more. Take it in again, or forget it, which deletes what is kept of it.';

type Asked = { readonly process: string; readonly workspace?: string | undefined };
type House = Pick<OperationsHouse, 'processes'> & { readonly roster: Pick<Roster, 'list'> };

/** A configured process. @throws Refused when none or several have this identifier */
export async function findProcess(asked: Asked, house: House): Promise<KnownProcess> {
  const found = await findProcesses(asked, house);
  const configured = found.filter(({ isRemoved }) => !isRemoved);
  if (configured.length > 0) return onlyOne(configured);
  throw new Refused(REMOVED);
}

/** A configured process, else one that is no longer configured. @throws as above */
export async function findKnownProcess(asked: Asked, house: House): Promise<KnownProcess> {
  const found = await findProcesses(asked, house);
  const configured = found.filter(({ isRemoved }) => !isRemoved);
  return onlyOne(configured.length > 0 ? configured : found);
}

/** A process of which something is kept, but which is no longer configured. @throws Refused when it is
 *  configured, and as above */
export async function findRemovedProcess(
  asked: Asked,
  house: House & Pick<OperationsHouse, 'toApply'>,
): Promise<KnownProcess> {
  const found = await findProcesses(asked, house);
  const removed = found.filter(({ isRemoved }) => isRemoved);
  if (removed.length > 0) return onlyOne(removed);
  throw new Refused(
    `This process is in the configuration. Take it out of it first, and ${house.toApply}: only then can it be forgotten.`,
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
export async function checkConfigured(process: string, house: House): Promise<void> {
  const found = await findProcesses({ process }, house);
  if (found.every(({ isRemoved }) => isRemoved)) throw new Refused(REMOVED);
}

/** The processes of a workspace, those of an identifier, or the one of both, including those that are no
 *  longer configured, or were forgotten and still have events. Undefined when neither is given, which means all processes. */
export async function processesOf(
  { process, workspace }: { readonly process?: string | undefined; readonly workspace?: string | undefined },
  house: House & Pick<OperationsHouse, 'journal'>,
): Promise<readonly ProcessKey[] | undefined> {
  if (process !== undefined)
    return orForgotten(
      { process, workspace },
      house,
      () => findProcesses({ process, workspace }, house),
      key => hasEvents(key, house),
    );
  return workspace === undefined ? undefined : inWorkspace(workspace, await knownProcesses(house));
}

async function hasEvents(
  process: ProcessKey,
  { journal }: Pick<OperationsHouse, 'journal'>,
): Promise<boolean> {
  const all = { order: 'newest-first', since: 0, until: Number.MAX_SAFE_INTEGER } as const;
  for await (const _ of journal.search({ ...all, processes: [process] })) return true;
  return false;
}

/** What `find` finds; else the processes of this identifier of which nothing is known any more, but something is kept.
 *  @throws what `find` throws when there is none */
export async function orForgotten(
  { process, workspace }: Asked,
  house: House,
  find: () => Promise<readonly ProcessKey[]>,
  isKept: (process: ProcessKey) => Promise<boolean>,
): Promise<readonly ProcessKey[]> {
  try {
    return await find();
  } catch (error) {
    const known = (await knownProcesses(house)).map(each => each.workspace);
    const workspaces = workspace === undefined ? new Set(known) : [workspace];
    const keys = [...workspaces].map(each => ({ workspace: each, processId: process }));
    const kept = await Promise.all(keys.map(isKept));
    const forgotten = keys.filter((_, index) => kept[index]);
    if (forgotten.length === 0) throw error;
    return forgotten;
  }
}

async function findProcesses(
  { process, workspace }: Asked,
  house: House,
): Promise<[KnownProcess, ...KnownProcess[]]> {
  const all = await knownProcesses(house);
  const there = workspace === undefined ? all : inWorkspace(workspace, all);
  const [found, ...more] = there.filter(({ processId }) => processId === process);
  if (found) return [found, ...more];
  const hint = didYouMean(
    process,
    there.map(({ processId }) => processId),
  );
  throw new Refused(
    `There is no process of this identifier.${hint || ' The status lists all that there are.'}`,
  );
}

function inWorkspace(workspace: string, all: readonly KnownProcess[]): KnownProcess[] {
  const found = all.filter(each => each.workspace === workspace);
  if (found.length > 0) return found;
  const hint = didYouMean(workspace, [...new Set(all.map(each => each.workspace))]);
  throw new Refused(`There is no workspace of this name.${hint || ' The status lists all that there are.'}`);
}
