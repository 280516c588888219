import type { OperationsHouse } from './operations-house.ts';
import type { KnownProcess } from './processes.ts';
import { didYouMean, Refused } from './refused.ts';

type Asked = { readonly process: string; readonly workspace?: string | undefined };
type House = Pick<OperationsHouse, 'processes'>;

/** @throws Refused when there is none of this identifier, or several */
export async function findProcess(asked: Asked, house: House): Promise<KnownProcess> {
  const [found, ...more] = await findProcesses(asked, house);
  if (more.length === 0) return found;
  const workspaces = [found, ...more].map(({ workspace }) => workspace).join(' or ');
  throw new Refused(`Several workspaces have a process of this identifier. Name one: ${workspaces}.`);
}

/** All of a workspace, all of one identifier, or the one of both; undefined when neither is given, which means all that there are. */
export async function processesOf(
  { process, workspace }: { readonly process?: string | undefined; readonly workspace?: string | undefined },
  house: House,
): Promise<readonly KnownProcess[] | undefined> {
  if (process !== undefined) return findProcesses({ process, workspace }, house);
  return workspace === undefined ? undefined : inWorkspace(workspace, await house.processes());
}

async function findProcesses(
  { process, workspace }: Asked,
  { processes }: House,
): Promise<[KnownProcess, ...KnownProcess[]]> {
  const all = await processes();
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
