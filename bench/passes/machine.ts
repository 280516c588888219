import { resolve } from 'node:path';
import { percentile } from '../delivery/given.ts';
import { measureLatency } from '../delivery/latency.ts';
import { type Measured, measure, type Size } from '../machine/measure.ts';
import { type Findings, median, type Print, rounded, spread } from './line.ts';

export interface MachineScale {
  readonly size: Size;
  readonly rounds: number;
  readonly stream: { readonly endpoints: number; readonly perSecond: number; readonly seconds: number };
}

const CHECKOUT = resolve(import.meta.dirname, '../..');
const GOAL = { msPerProject: 1, perSecond: 1_200, p99: 200 };

/** A local run over the simulated service: its baseline, and a bulk edit until a webhook has the events. */
export async function measureMachine(
  { size, rounds, stream }: MachineScale,
  print: Print,
): Promise<Findings> {
  const all: Measured[] = [];
  for (let round = 1; round <= rounds; round++) {
    print(`local run, round ${round} of ${rounds}`);
    all.push(await measure(CHECKOUT, size, 'webhook'));
  }
  const perProject = all.map(({ baseline }) => (1_000 * baseline.cpu) / size.projects);
  const perSecond = all.map(({ edit }) => edit.perSecond);
  const { edited } = size;
  print('commit to first attempt');
  const { waits, wanted } = await measureLatency(stream, 'one');
  const p99 = waits.length < wanted ? Number.NaN : percentile(waits, 0.99);
  return {
    lines: [
      {
        what: 'local baseline: processor ms a project',
        goal: `≤ ${GOAL.msPerProject}`,
        measured: spread(perProject),
        isMet: median(perProject) <= GOAL.msPerProject,
      },
      {
        what: `bulk edit of ${rounded(edited.projects * edited.tasks)} tasks: events a second`,
        goal: `≥ ${rounded(GOAL.perSecond)}`,
        measured: spread(perSecond),
        isMet: median(perSecond) >= GOAL.perSecond,
      },
      {
        what: `commit to first attempt, ${stream.perSecond} events a second: p99, ms`,
        goal: `≤ ${GOAL.p99}`,
        measured: rounded(p99),
        isMet: p99 <= GOAL.p99,
      },
    ],
  };
}
