import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { ACTIONS_KEPT_MS } from '../delivery/retention.ts';
import type { Action, Actions } from '../operations/actions.ts';
import { placeIn } from './delivery-items.ts';
import { ACTION, subjectPartition } from './keys.ts';
import { firstOf, queryItems } from './query-items.ts';
import { patiently, type Table } from './table.ts';

/** Tells apart what was done in one millisecond. */
const SUFFIXES = 2 ** 48;

/** Who did what, in the partition of what it was done to. */
export function createActions(table: Table): Actions {
  return {
    note: action => note(table, action),
    async list(subject, limit, position = LATEST) {
      const items = queryItems(table, subjectPartition(subject), ACTION, {
        ScanIndexForward: false,
        first: limit,
        behind: ACTION + position,
      });
      const found = await firstOf(items, limit);
      const last = found[limit - 1];
      return {
        actions: found.map(({ action }) => JSON.parse(action?.S as string) as Action),
        position: last && placeIn(last, ACTION),
      };
    },
  };
}

/** Behind all: times begin with a digit. */
const LATEST = '~';

async function note(table: Table, action: Action): Promise<void> {
  const time = String(action.at).padStart(13, '0');
  const suffix = Math.floor(table.patience.random() * SUFFIXES).toString(36);
  const Item = {
    pk: { S: subjectPartition(action.subject) },
    sk: { S: `${ACTION}${time}#${suffix}` },
    action: { S: JSON.stringify(action) },
    expiresAt: { N: String(Math.floor((action.at + ACTIONS_KEPT_MS) / 1000)) },
  };
  await patiently(table, () => table.client.send(new PutItemCommand({ TableName: table.tableName, Item })));
}
