import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { inParallel } from '../../basics/in-parallel.ts';
import type { ProcessKey } from '../../basics/process.ts';
import { type Key, PASS, partition, passKey, stateKey } from '../keys.ts';
import type { ProcessState } from '../state.ts';
import { batchGet } from './batch-get.ts';
import { stateOf } from './state-item.ts';
import type { Table } from './table.ts';

/** What a tick wants to know of a process. */
export interface TickProgress extends Pick<ProcessState, (typeof NAMES)[number]> {
  /** Where there is no baseline: when the lease of the run that walks the projects ends, in ms since 1970;
   *  undefined when none walks them. */
  readonly workedUntil?: number | undefined;
  readonly sweep?: SweepProgress | undefined;
}

/** How far the sweeps of a process are; for one without a baseline, the baseline. Times are by our clock. */
export interface SweepProgress {
  readonly completedAt: number;
  /** One began, and has not ended: `changes` passes go on with it. */
  readonly isUnfinished: boolean;
  /** When the lease of the run that makes one ends; undefined when none does. */
  readonly leasedUntil: number | undefined;
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
] as const satisfies readonly (keyof ProcessState)[];

/** How far processes are. */
export interface TickProgresses {
  /** Of all of these, by the process. */
  ofAll<Process extends ProcessKey>(
    processes: readonly Process[],
  ): Promise<ReadonlyMap<Process, TickProgress>>;
}

type TickItem = Key & {
  readonly window?: AttributeValue;
  readonly leaseUntil?: { readonly N: string };
} & Record<string, AttributeValue>;

/** Processes in one request: it takes a hundred keys, three of each process. */
const BATCH = 33;
/** Requests at once. */
const WIDTH = 10;

/** Reads three rows of each process, 33 processes at a time, eventually consistent, which costs half as much.
 *  If the end of a pass is not visible yet, the worst is a pass that is started again, or before it is due,
 *  and does no harm. */
export function createTickProgresses(table: Table): TickProgresses {
  return {
    async ofAll(processes) {
      const found = new Map<(typeof processes)[number], TickProgress>();
      const batches = Map.groupBy(processes, (_, index) => Math.floor(index / BATCH));
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
