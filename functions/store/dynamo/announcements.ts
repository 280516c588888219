import type { ProcessKey } from '../../basics/process.ts';
import { auditKey, changeKey, entryIn } from '../keys.ts';
import { ENTRIES_KEPT_MS, expiryOf, rowsOf } from '../limits.ts';
import type { Announcement, CommitRequest, CommitResult } from '../store.ts';
import { IS_ABSENT, IS_LAST_ANNOUNCED, NONE_ANNOUNCED, NOT_BASELINED } from './conditions.ts';
import { changePuts } from './journal.ts';
import { batchGet, fit, transact, type Write } from './requests.ts';
import { recheckWrites, rowUpdate, stateWrites } from './state.ts';
import type { Table } from './table.ts';

/** Writes state, rechecks, emitted entries and change records in one transaction: the events and the
 *  record that they were emitted can't part, even in a crash. */
export async function announce(
  table: Table,
  process: ProcessKey,
  { announced, isSilent, state, rechecks = [], entries = [], request }: Announcement,
): Promise<CommitResult> {
  const changes = [
    ...changePuts(table, process, { ...request, projectId: '' }),
    ...recheckWrites(table, process, rechecks),
    ...entryPuts(process, entries, request),
  ];
  const all = { ...state, announced: request.version };
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
    Update: rowUpdate(process, row, row[0] === 'rare' ? condition : undefined),
  }));
  return transact(table, [...updates, ...changes]);
}

/** The rows of the audit entries of an announcement. Each names the change record of its event, because
 *  the event's id does not contain the time of its commit. */
function entryPuts(
  process: ProcessKey,
  entries: readonly string[],
  { version, at }: Pick<CommitRequest, 'version' | 'at'>,
): Write[] {
  const { sk } = changeKey(process, at, '', version, 0);
  const expiresAt = { N: String(expiryOf(at, ENTRIES_KEPT_MS)) };
  return entries.map(digest => ({
    Put: {
      Item: { ...auditKey(process, digest), change: sk, expiresAt },
      ConditionExpression: IS_ABSENT,
    },
  }));
}

export async function emittedEntries(
  table: Table,
  process: ProcessKey,
  digests: Iterable<string>,
): Promise<Set<string>> {
  const keys = [...new Set(digests)].map(digest => auditKey(process, digest));
  const items = await batchGet(table, keys, { ConsistentRead: true, ProjectionExpression: 'sk' });
  return new Set(items.map(({ sk }) => entryIn(sk.S)));
}
