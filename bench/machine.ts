import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Measured, measure, type Size } from './machine/measure.ts';

/**
 * The cost of a local run: start, a baseline, and a bulk edit until a webhook has its events, or with
 * `--subscribe` a raw HTTP subscriber.
 * Linux only. `npm run bench:machine -- --against DIR` also measures another checkout in the same run,
 * and prints ratios: only these can be compared between machines.
 */
const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    rounds: { type: 'string', default: '1' },
    small: { type: 'boolean' },
    subscribe: { type: 'boolean' },
  },
});
const SIZE: Size = values.small
  ? { projects: 500, tasksPerProject: 20, edited: { projects: 100, tasks: 20 } }
  : { projects: 5_000, tasksPerProject: 20, edited: { projects: 300, tasks: 20 } };

const here = resolve(import.meta.dirname, '..');
const checkouts = values.against ? [resolve(values.against), here] : [here];
const rounds: Measured[][] = [];
for (let round = 0; round < Number(values.rounds); round++) {
  const measured: Measured[] = [];
  for (const checkout of checkouts)
    measured.push(await measure(checkout, SIZE, values.subscribe ? 'subscribe' : 'webhook'));
  rounds.push(measured);
}

const ROWS: readonly [what: string, value: (of: Measured) => number][] = [
  ['start until the first request, s', ({ start }) => start],
  ['baseline, s', ({ baseline }) => baseline.seconds],
  ['baseline, processor s', ({ baseline }) => baseline.cpu],
  ['baseline, peak memory MB', ({ baseline }) => baseline.memory],
  ['bulk edit, events/s', ({ edit }) => edit.perSecond],
  ['bulk edit, processor s', ({ edit }) => edit.cpu],
  ['bulk edit, peak memory MB', ({ edit }) => edit.memory],
];

const out = (text: string) => process.stdout.write(`${text}\n`);
const { projects, tasksPerProject, edited } = SIZE;
out(
  `${projects} projects of ${tasksPerProject} tasks; the edit changes ${edited.projects * edited.tasks} tasks\n`,
);
out(
  ['', ...(values.against ? ['before', 'now', 'now ÷ before'] : ['now'])]
    .map((cell, index) => (index ? cell.padStart(14) : cell.padEnd(36)))
    .join(''),
);
for (const [what, value] of ROWS) {
  const columns = checkouts.map((_, index) => median(rounds.map(round => value(round[index] as Measured))));
  const [before = 0, now = 0] = columns;
  const cells = columns.map(each => each.toFixed(each < 10 ? 2 : 0));
  if (values.against) cells.push((now / before).toFixed(2));
  out(what.padEnd(36) + cells.map(cell => cell.padStart(14)).join(''));
}

function median(all: readonly number[]): number {
  return all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? 0;
}
