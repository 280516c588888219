import type { KnownProcess } from '../store/processes.ts';
import type { Roster } from '../store/roster.ts';
import type { OperationsHouse } from './operations-house.ts';

type House = Pick<OperationsHouse, 'processes'> & { readonly roster: Pick<Roster, 'list'> };

/** The configured processes, and those that are no longer configured but of which something is kept. */
export async function knownProcesses({ processes, roster }: House): Promise<readonly KnownProcess[]> {
  const [configured, kept] = await Promise.all([processes(), roster.list()]);
  const names = new Set(configured.map(nameOf));
  const removed = kept.filter(each => !names.has(nameOf(each)));
  return [...configured, ...removed.map(each => ({ ...each, isRemoved: true as const }))];
}

function nameOf({ workspace, processId }: KnownProcess): string {
  return JSON.stringify([workspace, processId]);
}
