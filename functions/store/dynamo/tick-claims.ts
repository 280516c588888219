import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { TICK_KEY } from '../keys.ts';
import { IS_LAST_CLAIMED, NEVER_CLAIMED } from './conditions.ts';
import { getItem } from './get-item.ts';
import { holds, type Table } from './table.ts';

/** Which tick starts the passes of which time. */
export interface TickClaims {
  /** Claims the time from the end of the last claim up to `to`, in ms since 1970 by our clock. No other tick
   *  gets it again.
   *  @returns where it begins; undefined when another tick has claimed it already */
  claim(request: { readonly now: number; readonly to: number }): Promise<number | undefined>;
}

/** No tick claims further ahead than this: a claim that does was made by a wrong clock, and is ignored. */
const FARTHEST_MS = 2 * 60_000;

/** The claims in the table: one row, the last of them. */
export function createTickClaims(table: Table): TickClaims {
  const { clock, random } = table.patience;
  return {
    async claim({ now, to }) {
      const me = `${clock()}-${Math.floor(random() * 2 ** 48).toString(36)}`;
      const item = await getItem(table, TICK_KEY);
      const seen = item?.claimedThrough?.N;
      // Without a claim that counts, the time before `now` is left out.
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
      // When its answer is lost, the SDK repeats the request, which then fails because its own first try
      // succeeded.
      const current = await getItem(table, TICK_KEY);
      return current?.claimedBy?.S === me ? before : undefined;
    },
  };
}
