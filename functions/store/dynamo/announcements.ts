import type { ProcessKey } from '../../basics/process.ts';
import type { Announcement, CommitResult } from '../snapshots.ts';
import { rowsOf } from '../state.ts';
import { changePuts } from './change-items.ts';
import { IS_LAST_ANNOUNCED, NONE_ANNOUNCED, NOT_BASELINED } from './conditions.ts';
import { debtWrites } from './debts.ts';
import { rowUpdate, stateWrites } from './state-writes.ts';
import type { Table } from './table.ts';
import { entryPuts } from './told-entries.ts';
import { fit, transact } from './transact.ts';

/** State, debts, entries that are told and change records in one transaction: what is told and that it was told can't part, whatever crashes. */
export async function announce(
  table: Table,
  process: ProcessKey,
  { announced, isSilent, state, debts = [], entries = [], said }: Announcement,
): Promise<CommitResult> {
  const changes = [
    ...changePuts(table, process, '', said),
    ...debtWrites(table, process, debts),
    ...entryPuts(table, process, entries, said),
  ];
  const all = { ...state, announced: said.version };
  // Checked first, because `stateWrites` stores large parts outside of the transaction.
  if (!fit(changes, rowsOf(all))) return 'too-large';
  const rows = await stateWrites(table, process, all);
  const isFirst = announced === 0;
  const isLast = isFirst ? NONE_ANNOUNCED : IS_LAST_ANNOUNCED;
  const condition = {
    text: isSilent ? `${isLast} AND ${NOT_BASELINED}` : isLast,
    values: isFirst ? {} : { ':before': { N: String(announced) } },
  };
  const updates = [...rows].map(row => ({
    Update: rowUpdate(table, process, row, row[0] === 'rare' ? condition : undefined),
  }));
  return transact(table, [...updates, ...changes]);
}
