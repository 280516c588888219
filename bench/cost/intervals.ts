import type { Pace } from '../../functions/model/process-state.ts';
import { dueBetween } from '../../functions/schedule/due.ts';
import { isDue, nextPace } from '../../functions/schedule/pace.ts';
import type { Rhythm } from '../../functions/schedule/scheduled.ts';
import { billOf, totalOf } from './bill.ts';
import type { Measured } from './measure.ts';
import { runsOf } from './month.ts';
import { MONTH_S } from './stack.ts';
import { NOTHING as NO_USE, plus, type Used } from './used.ts';

/** What a process costs with one setting of `changes`: idle, and busy. */
export interface Choice {
  readonly text: string;
  readonly idle: Cost;
  /** With changes at any time of the day. */
  readonly evenly: Cost;
  /** With as many changes, all in some parts of the day. */
  readonly atWork: Cost;
}

export interface Cost {
  readonly passes: number;
  /** Dollars a month, before what is free. */
  readonly dollars: number;
  /** Mean time from a change to the pass that finds it, in s. */
  readonly age: number;
}

const CHOICES: readonly [text: string, rhythm: Rhythm][] = [
  ['5s', { fastest: 5_000, slowest: 5_000 }],
  ['10s', { fastest: 10_000, slowest: 10_000 }],
  ['1m', { fastest: 60_000, slowest: 60_000 }],
  ['5m', { fastest: 300_000, slowest: 300_000 }],
  ['{"fastest": "10s", "slowest": "5m"}', { fastest: 10_000, slowest: 300_000 }],
];
const BUSY_PER_DAY = 100;
/** Into how many parts a working day is divided. */
const STRETCHES = 5;
export type Pattern = 'evenly' | 'at work';
const DAYS = 2;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

export function choices(measured: Measured): Choice[] {
  return CHOICES.map(([text, rhythm]) => {
    const cost = (perDay: number, how: Pattern = 'evenly'): Cost => {
      const ran = run(rhythm, perDay, how);
      return { passes: perMonth(ran.passes), dollars: dollarsOf(measured, ran), age: ran.age / 1000 };
    };
    return { text, idle: cost(0), evenly: cost(BUSY_PER_DAY), atWork: cost(BUSY_PER_DAY, 'at work') };
  });
}

const perMonth = (count: number) => (count / DAYS) * (MONTH_S / 86_400);

interface Run {
  readonly messages: number;
  readonly passes: number;
  readonly found: number;
  readonly age: number;
}

/** Simulates some days of one process by the rules of the schedule: tick sends messages each minute, and
 *  poll drops those that are not due. */
export function run(changes: Rhythm, perDay: number, how: Pattern = 'evenly'): Run {
  const process = { workspace: 'w1', processId: 'p1', changes, sweep: DAY_MS };
  const times = changeTimes(perDay, how);
  let pace: Pace | undefined;
  let [messages, passes, found, age] = [0, 0, 0, 0];
  for (let now = DAY_MS; now < (1 + DAYS) * DAY_MS; now += MINUTE_MS) {
    const known = { baselined: true, pace, completedAt: now, stalled: undefined };
    const due = dueBetween([process], { from: now, to: now + MINUTE_MS, now }, () => known);
    for (const { at } of due.filter(({ mode }) => mode === 'changes')) {
      messages += 1;
      if (!isDue(pace, changes, at)) continue;
      passes += 1;
      const before = found;
      for (let time = times[found]; time !== undefined && time <= at; time = times[found]) {
        found += 1;
        age += at - time;
      }
      pace = nextPace(pace, changes, { began: at, found: found > before });
    }
  }
  return { messages, passes, found, age: found === 0 ? 0 : age / found };
}

/** The times of changes, the same in every run: with `evenly` all through the day, at equal distances;
 *  with `at work` in five parts of 20 minutes a day. */
export function changeTimes(perDay: number, how: Pattern): number[] {
  const stretches = perDay === 0 ? 0 : STRETCHES;
  const evenly = (count: number, from: number, length: number) =>
    Array.from({ length: count }, (_, index) => from + ((index + 1) / (count + 1)) * length);
  return Array.from({ length: DAYS }, (_, day) => {
    const from = (1 + day) * DAY_MS;
    if (how === 'evenly') return evenly(perDay, from, DAY_MS);
    return Array.from({ length: stretches }, (_stretch, index) =>
      evenly(perDay / stretches, from + (index + 8) * 100 * MINUTE_MS, 20 * MINUTE_MS),
    ).flat();
  }).flat();
}

function dollarsOf(
  { idlePass, dropped, change, functions }: Measured,
  { messages, passes, found }: Run,
): number {
  const poll = functions.poll ?? { memoryMb: 0, initMs: 0 };
  const runs = (count: number, used: Used) => billOf(runsOf({ ...poll, initMs: 0 }, perMonth(count), used));
  // SQS requests per message: a tenth sends it, since ten are sent at once; one receives and one deletes
  // it. Each has a group.
  const taken = 2.1;
  const queued = (used: Used) => plus(used, { ...NO_USE, sqs: taken, sqsGrouped: taken });
  const changed = billOf(runsOf({ ...poll, initMs: 0 }, 0, NO_USE, plus(NO_USE, change, perMonth(found))));
  return [runs(passes, queued(idlePass)), runs(messages - passes, queued(dropped ?? NO_USE)), changed].reduce(
    (sum, lines) => sum + totalOf(lines).withoutFree,
    0,
  );
}
