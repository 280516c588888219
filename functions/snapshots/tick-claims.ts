import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { IS_LAST_CLAIMED, NEVER_CLAIMED } from './conditions.ts';
import { getItem } from './get-item.ts';
import { TICK_KEY } from './keys.ts';
import { holds, type Table } from './table.ts';

/** Which tick starts the passes of which time. */
export interface TickClaims {
  /** Claims the time up to `to`, in ms since 1970 by our clock: whoever asks gets what is behind the last claim, and nobody gets it again.
   *  @returns where that begins; undefined when that time is another's already */
  claim(request: { readonly now: number; readonly to: number }): Promise<number | undefined>;
}

/** No tick claims so far ahead: who did had a clock that was wrong. */
const FARTHEST_MS = 2 * 60_000;

/** The claims in the table: one row, the last of them. */
export function createTickClaims(table: Table): TickClaims {
  const { clock, random } = table.patience;
  return {
    async claim({ now, to }) {
      const me = `${clock()}-${Math.floor(random() * 2 ** 48).toString(36)}`;
      const item = await getItem(table, TICK_KEY);
      const seen = item?.claimedThrough?.N;
      // Nobody has begun: what lies before is nobody's.
      const before = seen === undefined || Number(seen) > now + FARTHEST_MS ? now : Number(seen);
      if (before >= to) return undefined;
      const update = {
        TableName: table.tableName,
        Key: TICK_KEY,
        UpdateExpression: 'SET claimedThrough = :to, claimedBy = :me',
        ConditionExpression: seen === undefined ? NEVER_CLAIMED : IS_LAST_CLAIMED,
        ExpressionAttributeValues: {
          ':to': { N: String(to) },
          ':me': { S: me },
          ...(seen !== undefined && { ':seen': { N: seen } }),
        },
      };
      if (await holds(table, () => table.client.send(new UpdateItemCommand(update)))) return before;
      // A request whose answer was lost is repeated, and then refused because of itself.
      const current = await getItem(table, TICK_KEY);
      return current?.claimedBy?.S === me ? before : undefined;
    },
  };
}
