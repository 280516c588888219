import { type Findings, type Line, type Say, told } from './line.ts';
import { Measurement } from './measurement.ts';
import type { TableCounts } from './table-counts.ts';

export interface IdleScale {
  readonly projects: readonly number[];
  readonly passes: number;
}

const MINUTE = 60_000;
/** Passes before those that are measured: they do what the baseline leaves to do. */
const WARMING = 5;

interface Counts extends TableCounts {
  readonly asked: number;
}

/** What a pass costs that finds nothing, for processes of several sizes. */
export async function measureIdle({ projects, passes }: IdleScale, say: Say): Promise<Findings> {
  const lines: Line[] = [];
  for (const count of projects) {
    say(`idle passes over ${count} projects`);
    const all = await countIdle(count, passes);
    const most = (name: keyof Counts) => Math.max(...all.map(counts => counts[name]));
    const [write, read, asked] = [most('writeUnits'), most('readUnits'), most('asked')];
    lines.push({
      what: `idle pass over ${told(count)} projects: write units, read units, service requests (the most of ${passes})`,
      goal: '≤ 2, ≤ 4, 2',
      measured: [write, read, asked].map(units => `${units}`).join(', '),
      isMet: write <= 2 && read <= 4 && asked <= 2,
    });
  }
  return { lines };
}

async function countIdle(projects: number, passes: number): Promise<Counts[]> {
  await using measurement = new Measurement();
  const service = await measurement.service({ projects, tasksPerProject: 2 });
  const { store } = await measurement.dynamodb();
  const poller = await measurement.poller({ origin: service.origin, store });
  await poller.pass({ mode: 'changes' });
  const all: Counts[] = [];
  for (let pass = 1; pass <= WARMING + passes; pass++) {
    const ahead = pass * MINUTE;
    await service.control({ ahead });
    const { table } = await poller.pass({ mode: 'changes', ahead });
    const { served, refused } = await service.takeCounts();
    all.push({ ...table, asked: served + refused });
  }
  return all.slice(WARMING);
}
