import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { inParallel } from '../../basics/in-parallel.ts';
import type { ProcessKey } from '../../basics/process.ts';
import { type Key, PASS, partition, passKey, stateKey, TICK_KEY } from '../keys.ts';
import { MAX_CLAIM_AHEAD_MS } from '../limits.ts';
import type { TickClaims, TickProgress, TickProgresses } from '../store.ts';
import { IS_LAST_CLAIMED, NEVER_CLAIMED } from './conditions.ts';
import { batchGet, getItem, write } from './requests.ts';
import { stateOf } from './state.ts';
import type { Table } from './table.ts';

/** The claims in the table: one row, the last of them. */
export function createTickClaims(table: Table): TickClaims {
  const { clock, random } = table.patience;
  return {
    async claim({ now, to }) {
      const me = `${clock()}-${Math.floor(random() * 2 ** 48).toString(36)}`;
      const item = await getItem(table, TICK_KEY);
      const seen = item?.claimedThrough?.N;
      // Without a claim that counts, the time before `now` is left out.
      const before = seen === undefined || Number(seen) > now + MAX_CLAIM_AHEAD_MS ? now : Number(seen);
      if (before >= to) return undefined;
      const update = {
        Key: TICK_KEY,
        UpdateExpression: 'SET claimedThrough = :to, claimedBy = :me',
        ConditionExpression: seen === undefined ? NEVER_CLAIMED : IS_LAST_CLAIMED,
        ExpressionAttributeValues: {
          ':to': { N: String(to) },
          ':me': { S: me },
          ...(seen !== undefined && { ':seen': { N: seen } }),
        },
      };
      if (await write(table, { Update: update })) return before;
      // When its answer is lost, the SDK repeats the request, which then fails because its own first try
      // succeeded.
      const current = await getItem(table, TICK_KEY);
      return current?.claimedBy?.S === me ? before : undefined;
    },
  };
}

const NAMES = [
  'baselined',
  'hold',
  'released',
  'stalled',
  'completedAt',
  'pace',
  'skipped',
  'sweepCompletedAt',
] as const satisfies readonly (keyof TickProgress)[];

type TickItem = Key & {
  readonly window?: AttributeValue;
  readonly leaseUntil?: { readonly N: string };
} & Record<string, AttributeValue>;

/** Processes in one request: it takes a hundred keys, three of each process. */
const PROCESSES_PER_REQUEST = 33;
/** Requests at once. */
const WIDTH = 10;

/** Reads three rows of each process, 33 processes at a time, eventually consistent, which costs half as much.
 *  If the end of a pass is not visible yet, the worst is a pass that is started again, or before it is due,
 *  and does no harm. */
export function createTickProgresses(table: Table): TickProgresses {
  return {
    async ofAll(processes) {
      const found = new Map<(typeof processes)[number], TickProgress>();
      const batches = Map.groupBy(processes, (_, index) => Math.floor(index / PROCESSES_PER_REQUEST));
      await inParallel(batches.values(), WIDTH, async batch => {
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

async function itemsOf(table: Table, processes: readonly ProcessKey[]): Promise<TickItem[]> {
  const names = ['pk', 'sk', 'leaseUntil', 'window', ...NAMES];
  const keys = processes.flatMap(process => [
    stateKey(process),
    passKey(process, 'changes'),
    passKey(process, 'sweep'),
  ]);
  const items = await batchGet(table, keys, {
    ConsistentRead: false,
    ProjectionExpression: names.map(name => `#${name}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(names.map(name => [`#${name}`, name])),
  });
  return items as unknown as TickItem[];
}

function progressOf(items: readonly TickItem[]): TickProgress {
  const state = stateOf(items);
  const { window, leaseUntil } = items.find(({ sk }) => sk.S === `${PASS}sweep`) ?? {};
  const leasedUntil = leaseUntil && Number(leaseUntil.N);
  const sweep = {
    completedAt: state.sweepCompletedAt,
    isUnfinished: window !== undefined,
    leasedUntil,
  };
  if (state.baselined) return { ...state, sweep };
  // A run without a window has not listed the projects yet: its service may not answer at all, so it doesn't
  // count.
  return { ...state, sweep, workedUntil: window && leasedUntil };
}
