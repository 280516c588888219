import { type AssertionsScale, measureAssertions } from './assertions.ts';
import { type BaselineScale, measureLatency, measureRate } from './baseline.ts';
import { type CompareScale, measureCompare } from './compare.ts';
import { type HeapScale, measureHeap } from './heap.ts';
import { type IdleScale, measureIdle } from './idle.ts';
import type { Findings, Print } from './line.ts';
import { type MachineScale, measureMachine } from './machine.ts';
import { measureStart, type StartScale } from './start.ts';
import { measureSweep, type SweepScale } from './sweep.ts';

export interface Scale {
  readonly sweep: SweepScale;
  readonly compare: CompareScale;
  readonly assertions: AssertionsScale;
  readonly idle: IdleScale;
  readonly baseline: BaselineScale;
  readonly heap: HeapScale;
  readonly machine: MachineScale;
  readonly start: StartScale;
}

/** The sizes that the goals are about. */
export const WHOLE: Scale = {
  sweep: { size: { projects: 5_000, tasksPerProject: 30 }, rounds: 7, seconds: 60 },
  compare: { rounds: 250 },
  assertions: { rounds: 250 },
  idle: {
    runs: [
      { processes: 25, projects: 10, goal: { writes: 0.2, reads: 1.5 } },
      { processes: 5, projects: 10, goal: { writes: 1, reads: 2 } },
      { processes: 1, projects: 10_000, goal: { writes: 3, reads: 4 } },
    ],
    passes: 15,
  },
  baseline: { size: { projects: 1_000, tasksPerProject: 5 }, latency: 100, rate: 20 },
  heap: { projects: 20_000, tasks: [5, 50] },
  machine: {
    size: { projects: 5_000, tasksPerProject: 20, edited: { projects: 300, tasks: 20 } },
    rounds: 3,
    stream: { endpoints: 20, perSecond: 100, seconds: 10 },
  },
  start: { rounds: 5 },
};

/** By name, in the order of the table. */
export const MEASUREMENTS: Readonly<Record<string, (scale: Scale, print: Print) => Promise<Findings>>> = {
  sweep: ({ sweep }, print) => measureSweep(sweep, print),
  compare: ({ compare }, print) => measureCompare(compare, print),
  assertions: ({ assertions }, print) => measureAssertions(assertions, print),
  idle: ({ idle }, print) => measureIdle(idle, print),
  latency: ({ baseline }, print) => measureLatency(baseline, print),
  rate: ({ baseline }, print) => measureRate(baseline, print),
  heap: ({ heap }, print) => measureHeap(heap, print),
  machine: ({ machine }, print) => measureMachine(machine, print),
  start: ({ start }, print) => measureStart(start, print),
};
