import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { EndpointRow } from '../../model/endpoint-row.ts';
import { ENDPOINTS, endpointRowKey, REGISTRY_KEY, slotKey } from '../keys.ts';
import { MAX_SLOT_AHEAD_MS } from '../limits.ts';
import type { EndpointRows, Slots } from '../store.ts';
import { asRead, IS_REVISION, SLOT_IS_FREE, SLOT_IS_NEAR } from './conditions.ts';
import { numberIn } from './deliveries.ts';
import { getItem, type Item, queryItems, transact, type Write, write } from './requests.ts';
import { sendConditional, type Table, waitAfter } from './table.ts';

/** Enough for this number of concurrent writers, because each time one of them succeeds. */
const MAX_TRIES = 50;
/** After this number of tries the waits stop growing: they are 400 ms at most. */
const GROWING_WAITS = 4;
const REVISIONS = 2 ** 40;

/** The registry of endpoints in the table (design.md §6: `ENDPOINTS`). When an answer is lost, the SDK
 *  repeats the write, which then fails: `decide` is called with the row that was just written. */
export function createEndpointRows(table: Table): EndpointRows {
  return {
    list: async () => {
      const rows = await Array.fromAsync(queryItems(table, ENDPOINTS, undefined), rowOf);
      // Stryker disable next-line EqualityOperator: no two rows have the same name
      return rows.toSorted((left, right) => (left.name < right.name ? -1 : 1));
    },
    read: async name => {
      const item = await getItem(table, endpointRowKey(name));
      return item && rowOf(item);
    },
    revision: async () => (await getItem(table, REGISTRY_KEY))?.revision?.S,
    async change(name, decide) {
      for (let tried = 1; ; tried++) {
        const item = await getItem(table, endpointRowKey(name));
        const before = item && rowOf(item);
        const after = decide(before);
        if (after === undefined) return before;
        const isWritten = await writeRow(table, before, { name, item, after });
        if (isWritten) return after === 'removed' ? undefined : after;
        if (tried === MAX_TRIES || !(await waitAfter(table, Math.min(tried, GROWING_WAITS))))
          throw new Error(`Could not write the row of endpoint ${name}: other writes came first each time.`);
      }
    },
  };
}

interface Change {
  readonly name: string;
  /** The item as it was read. */
  readonly item: Item | undefined;
  readonly after: EndpointRow | 'removed';
}

/** Writes a row, or removes it; a change of its settings and the revision of the registry in one transaction.
 *  @returns false when another write came first */
async function writeRow(
  table: Table,
  before: EndpointRow | undefined,
  { name, item, after }: Change,
): Promise<boolean> {
  const isRemoved = after === 'removed';
  if (isRemoved && !item) return true;
  const read = item && numberIn(item, 'revision');
  const revision = read === undefined ? Math.floor(table.timing.random() * REVISIONS) : read + 1;
  const condition = asRead(IS_REVISION, read);
  const written = {
    ...endpointRowKey(name),
    revision: { N: String(revision) },
    row: { S: JSON.stringify(after) },
  };
  const ofRow: Write = isRemoved
    ? { Delete: { Key: endpointRowKey(name), ...condition } }
    : { Put: { Item: written, ...condition } };
  // Row revisions are never reused, so neither is this text.
  const text = `${name}#${revision}${isRemoved ? '#removed' : ''}`;
  const ofRegistry: Write = { Put: { Item: { ...REGISTRY_KEY, revision: { S: text } } } };
  const settings = isRemoved ? undefined : after.settings;
  const isOfSettings = JSON.stringify(settings) !== JSON.stringify(before?.settings);
  return (await transact(table, isOfSettings ? [ofRow, ofRegistry] : [ofRow])) === 'committed';
}

function rowOf({ row }: Item): EndpointRow {
  return JSON.parse(row?.S as string) as EndpointRow;
}

export function createSlots(table: Table): Slots {
  return { reserveSlot: (...given) => reserveSlot(table, ...given) };
}

/** Books `now` when the last booked slot is over, and otherwise the slot after it. */
async function reserveSlot(
  table: Table,
  ...[name, interval, now, within]: Parameters<Slots['reserveSlot']>
): Promise<number | undefined> {
  if (within < 0) return undefined;
  const values = { ':now': { N: String(now) } };
  const far = now + MAX_SLOT_AHEAD_MS;
  const Key = slotKey(name);
  const atOnce = {
    Key,
    UpdateExpression: 'SET nextSlot = :after',
    ConditionExpression: SLOT_IS_FREE,
    ExpressionAttributeValues: {
      ...values,
      ':far': { N: String(far) },
      ':after': { N: String(now + interval) },
    },
  };
  if (await write(table, { Update: atOnce })) return 0;
  const later = {
    TableName: table.tableName,
    Key,
    UpdateExpression: 'SET nextSlot = nextSlot + :interval',
    ConditionExpression: SLOT_IS_NEAR,
    ExpressionAttributeValues: {
      ...values,
      ':interval': { N: String(interval) },
      ':latest': { N: String(Math.min(now + within, far)) },
    },
    ReturnValues: 'UPDATED_OLD',
  } as const;
  const booked = await sendConditional(table, () => table.client.send(new UpdateItemCommand(later)));
  return booked && Number(booked.Attributes?.nextSlot?.N as string) - now;
}
