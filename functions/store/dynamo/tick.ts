import { inParallel } from '../../basics/in-parallel.ts';
import type { ProcessKey } from '../../basics/process.ts';
import { PASS, partition, passKey, stateKey, TICK_KEY } from '../keys.ts';
import type { TickClaims, TickProgress, TickProgresses } from '../store.ts';
import { claimFrom, TICK_FIELDS, tickProgressOf } from '../tick.ts';
import { IS_LAST_CLAIMED, NEVER_CLAIMED } from './conditions.ts';
import { batchGet, getItem, type Item, projectionOf, write } from './requests.ts';
import { stateOf } from './state.ts';
import type { Table } from './table.ts';

/** The last claim, in one row of the table. */
export function createTickClaims(table: Table): TickClaims {
  const { clock, random } = table.timing;
  return {
    async claim(time) {
      const me = `${clock()}-${Math.floor(random() * 2 ** 48).toString(36)}`;
      const item = await getItem(table, TICK_KEY);
      const seen = item?.claimedThrough?.N;
      const before = claimFrom(seen === undefined ? undefined : Number(seen), time);
      if (before === undefined) return undefined;
      const update = {
        Key: TICK_KEY,
        UpdateExpression: 'SET claimedThrough = :to, claimedBy = :me',
        ConditionExpression: seen === undefined ? NEVER_CLAIMED : IS_LAST_CLAIMED,
        ExpressionAttributeValues: {
          ':to': { N: String(time.to) },
          ':me': { S: me },
          ...(seen !== undefined && { ':seen': { N: seen } }),
        },
      };
      if (await write(table, { Update: update })) return before;
      // When the answer is lost, the SDK repeats the request, which fails because its own first try
      // succeeded.
      const current = await getItem(table, TICK_KEY);
      return current?.claimedBy?.S === me ? before : undefined;
    },
  };
}

/** A request takes a hundred keys, three for each process. */
const PROCESSES_PER_REQUEST = 33;
const CONCURRENCY = 10;

/** Reads three rows of each process, 33 processes at a time, eventually consistent, which costs half as
 *  much. If the end of a pass is not visible yet, a pass is started again, or too early, which is
 *  harmless. */
export function createTickProgresses(table: Table): TickProgresses {
  return {
    async ofAll(processes) {
      const found = new Map<(typeof processes)[number], TickProgress>();
      const batches = Map.groupBy(processes, (_, index) => Math.floor(index / PROCESSES_PER_REQUEST));
      await inParallel(batches.values(), CONCURRENCY, async batch => {
        const items = await itemsOf(table, batch);
        for (const process of batch) {
          const own = items.filter(({ pk }) => pk.S === partition(process));
          found.set(process, progressOf(own));
        }
      });
      return found;
    },
  };
}

function itemsOf(table: Table, processes: readonly ProcessKey[]): Promise<Item[]> {
  const keys = processes.flatMap(process => [
    stateKey(process),
    passKey(process, 'changes'),
    passKey(process, 'sweep'),
  ]);
  return batchGet(table, keys, {
    ConsistentRead: false,
    ...projectionOf(['pk', 'sk', 'leaseUntil', 'window', ...TICK_FIELDS]),
  });
}

function progressOf(items: readonly Item[]): TickProgress {
  const sweep = items.find(({ sk }) => sk.S === `${PASS}sweep`);
  const leasedUntil = sweep?.leaseUntil && Number(sweep.leaseUntil.N);
  return tickProgressOf(stateOf(items), { isUnfinished: sweep?.window !== undefined, leasedUntil });
}
