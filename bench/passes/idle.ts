import { type Findings, type Line, type Print, rounded } from './line.ts';
import { Measurement } from './measurement.ts';
import type { TableCounts } from './table-counts.ts';

export interface IdleScale {
  readonly runs: readonly IdleRun[];
  readonly passes: number;
}

interface IdleRun {
  /** How many processes a message names. */
  readonly processes: number;
  /** Of each of them. */
  readonly projects: number;
  /** The most units and requests for each process. */
  readonly goal: { readonly writes: number; readonly reads: number };
}

const MINUTE = 60_000;
/** Passes before those that are measured: they do what the baseline leaves to do. */
const WARMING = 5;
/** Requests of a pass that finds nothing. */
const REQUESTS = 2;

interface Counts extends TableCounts {
  readonly asked: number;
}

/** What a run costs whose passes find nothing, for each of its processes: for several numbers of processes,
 *  and of projects. */
export async function measureIdle({ runs, passes }: IdleScale, print: Print): Promise<Findings> {
  const lines: Line[] = [];
  for (const { processes, projects, goal } of runs) {
    print(`idle runs over ${processes} × ${projects} projects`);
    const all = await countIdle(processes, projects, passes);
    const most = (name: keyof Counts) => Math.max(...all.map(counts => counts[name])) / processes;
    const [write, read, asked] = [most('writeUnits'), most('readUnits'), most('asked')];
    lines.push({
      what: `idle run, ${rounded(processes)} × ${rounded(projects)} projects: writes, reads, requests`,
      goal: `≤ ${goal.writes}, ≤ ${goal.reads}, ${REQUESTS}`,
      measured: [write, read, asked].map(rounded).join(', '),
      isMet: write <= goal.writes && read <= goal.reads && asked <= REQUESTS,
    });
  }
  return { lines };
}

async function countIdle(processes: number, projects: number, passes: number): Promise<Counts[]> {
  await using measurement = new Measurement();
  const service = await measurement.service({ projects, tasksPerProject: 2 });
  const { store } = await measurement.dynamodb();
  const poller = await measurement.poller({ origin: service.origin, store, processes });
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
