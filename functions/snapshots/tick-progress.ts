import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { inParallel } from '../basics/in-parallel.ts';
import { batchGet } from './batch-get.ts';
import { partition, passKey, stateKey } from './keys.ts';
import type { ProcessKey } from './snapshots.ts';
import type { ProcessState } from './state.ts';
import { stateOf } from './state-item.ts';
import { loadLargeParts } from './state-parts.ts';
import type { Table } from './table.ts';

const PARTS = [
  'baselined',
  'completedAt',
  'sweepCompletedAt',
  'sweptAt',
  'held',
  'released',
  'stalled',
  'skipped',
  'pace',
] as const satisfies readonly (keyof ProcessState)[];

/** What a tick wants to know of a process. */
export interface TickProgress extends Pick<ProcessState, (typeof PARTS)[number]> {
  /** Of one without a baseline: until when, at the latest, a run walks its projects, in ms since 1970; undefined: none does. */
  readonly workedUntil?: number | undefined;
}

/** How far processes are. */
export interface TickProgresses {
  /** Of all of these, by the process. */
  ofAll<Process extends ProcessKey>(
    processes: readonly Process[],
  ): Promise<ReadonlyMap<Process, TickProgress>>;
}

type Item = Record<string, AttributeValue>;

const BATCH = 100;
/** Requests at once. */
const WIDTH = 10;

/** Reads a hundred processes at a time. */
export function createTickProgresses(table: Table): TickProgresses {
  return {
    async ofAll(processes) {
      const found = new Map<(typeof processes)[number], TickProgress>();
      const batches = Map.groupBy(processes, (_, index) => Math.floor(index / BATCH));
      await inParallel(batches.values(), WIDTH, async batch => {
        const items = await itemsOf(table, batch);
        for (const process of batch) {
          const item = items.get(partition(process));
          found.set(process, stateOf(item && (await loadLargeParts(table, process, item))));
        }
        const unread = batch.filter(process => !(found.get(process) as TickProgress).baselined);
        const working = await leasesOf(table, unread);
        for (const process of unread) {
          const progress = found.get(process) as TickProgress;
          found.set(process, { ...progress, workedUntil: working.get(partition(process)) });
        }
      });
      return found;
    },
  };
}

async function itemsOf(table: Table, processes: readonly ProcessKey[]): Promise<Map<string, Item>> {
  const names = ['pk', ...PARTS];
  const items = await batchGet(table, processes.map(stateKey), {
    ConsistentRead: true,
    ProjectionExpression: names.map(name => `#${name}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(names.map(name => [`#${name}`, name])),
  });
  return new Map(items.map(({ pk, ...item }) => [pk?.S as string, item]));
}

/** Until when the baselines of these are under way. One that has no list of projects yet is none: its service may not answer. */
async function leasesOf(table: Table, processes: readonly ProcessKey[]): Promise<Map<string, number>> {
  const keys = processes.map(process => passKey(process, 'sweep'));
  const items = await batchGet(table, keys, {
    ConsistentRead: true,
    ProjectionExpression: 'pk, leaseUntil, #window',
    ExpressionAttributeNames: { '#window': 'window' },
  });
  return new Map(
    items.flatMap(({ pk, leaseUntil, window }) =>
      leaseUntil && window ? [[pk?.S as string, Number(leaseUntil.N)] as const] : [],
    ),
  );
}
