import { ACTION, ANY_ACTION, STACK, subjectPartition } from '../keys.ts';
import { ACTIONS_KEPT_MS, expiryOf } from '../limits.ts';
import { merged } from '../merged.ts';
import type { Action, Actions } from '../store.ts';
import { firstOf, type Item, queryItems, write } from './requests.ts';
import type { Table } from './table.ts';

/** Distinguishes actions of one millisecond. */
const SUFFIXES = 2 ** 48;

/** Actions of operators, in the partition of their subject, with a copy in that of the stack, for a list
 *  of all. */
export function createActions(table: Table): Actions {
  return {
    note: action => note(table, action),
    async list(subject, limit, position = LATEST) {
      const of = (pk: string, prefix: string) =>
        queryItems(table, pk, prefix, { ScanIndexForward: false, first: limit, after: prefix + position });
      const items = subject
        ? of(subjectPartition(subject), ACTION)
        : merged([of(STACK, ANY_ACTION), of(STACK, ACTION)], (one, other) => placeOf(one) > placeOf(other));
      const found = await firstOf(items, limit);
      const last = found[limit - 1];
      return {
        actions: found.map(({ action }) => JSON.parse(action?.S as string) as Action),
        position: last && placeOf(last),
      };
    },
  };
}

/** The time and the random part, without either prefix. */
function placeOf({ sk }: Item): string {
  return sk.S.replace(/^[^#]*#/, '');
}

/** After all: times begin with a digit. */
const LATEST = '~';

async function note(table: Table, action: Action): Promise<void> {
  const time = String(action.at).padStart(13, '0');
  const suffix = Math.floor(table.timing.random() * SUFFIXES).toString(36);
  const place = `${time}#${suffix}`;
  const pk = subjectPartition(action.subject);
  const keys = [{ pk: { S: pk }, sk: { S: ACTION + place } }];
  if (pk !== STACK) keys.push({ pk: { S: STACK }, sk: { S: ANY_ACTION + place } });
  for (const key of keys) {
    const Item = {
      ...key,
      action: { S: JSON.stringify(action) },
      expiresAt: { N: String(expiryOf(action.at, ACTIONS_KEPT_MS)) },
    };
    await write(table, { Put: { Item } });
  }
}
