import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { parseDuration } from '../../local/basics/duration.ts';
import { Coverage } from './faults.ts';
import { type AllOptions, enumerateAll } from './orders/all.ts';
import {
  actorsShare,
  actorsText,
  coverageTable,
  encounters,
  neverMet,
  neverStruck,
  planText,
} from './report.ts';
import { baseOf, type Failure, type Outcome, planOf, shrink } from './seeds.ts';
import type { WorkerShare } from './worker.ts';

const HELP = `npm run simulate -- [--seeds 1000] [--base N] [--workers N] [--first] [--releases]
                                       runs the plans of N seeds, by default today's; --first stops at the first
                                       failure; --releases takes only plans with a rollout or a rollback
npm run simulate -- --for 8h [--seeds N] [--base N] [--keep seeds.jsonl]
                                       runs fresh seeds for 8 hours, N at most, or those from a base on; --keep
                                       appends each failing seed to the file, with the commit
npm run simulate -- --all [--only TEXT] [--storage dynamodb]
                                       every order and fault of small worlds, or of those whose names contain the text
npm run simulate -- --seed N           repeats one, and shrinks it when it fails
`;

/** From so many seeds on, every fault must have struck at every boundary, … */
const ENOUGH = 1_000;
/** … and from so many on, another pass must have committed between each two calls. */
const ENOUGH_FOR_MEETINGS = 3_000;
/** From `ENOUGH` on, who made a change must be told for so many of those that the audit log tells of. */
const LEAST_WITH_ACTORS = 0.9;
/** With --releases, all that concerns two releases must have happened from so many on. */
const ENOUGH_FOR_RELEASES = 100;
const say = (text: string) => void process.stdout.write(`${text}\n`);

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    for: { type: 'string' },
    keep: { type: 'string' },
    base: { type: 'string' },
    workers: { type: 'string', default: String(availableParallelism()) },
    first: { type: 'boolean', default: false },
    releases: { type: 'boolean', default: false },
    seed: { type: 'string' },
    all: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    storage: { type: 'string', default: 'sqlite' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) say(HELP);
else if (values.all) process.exitCode = (await enumerateAll(allOptions())) > 0 ? 1 : 0;
else process.exitCode = values.seed === undefined ? await many() : await one(whole('seed', values.seed));

/** @throws naming the option */
function allOptions(): AllOptions {
  const { storage, only: named, workers } = values;
  if (storage !== 'sqlite' && storage !== 'dynamodb')
    throw new TypeError(`--storage: expected sqlite or dynamodb, found ${storage}`);
  return { storage, named, workers: whole('workers', workers), say };
}

async function many(): Promise<number> {
  const until = values.for === undefined ? undefined : Date.now() + duration('for', values.for);
  const seeds = whole('seeds', values.seeds ?? (until === undefined ? '1000' : `${Number.MAX_SAFE_INTEGER}`));
  const first = until === undefined ? baseOf(Date.now()) : randomInt(2 ** 31);
  const base = values.base === undefined ? first : whole('base', values.base);
  const workers = whole('workers', values.workers);
  const size = until === undefined ? `: ${seeds}` : ` for ${values.for}`;
  say(`Seeds from ${base} on${size}, ${workers} at a time.`);
  const began = performance.now();
  const { failures, rows, done } = await share(base, seeds, workers, until);
  const seconds = (performance.now() - began) / 1000;
  say(`How often each fault struck at each boundary, and another pass committed before a call of one:`);
  say(coverageTable(rows));
  say(actorsText(rows));
  for (const failure of failures.slice(0, 20)) say(describe(failure));
  const never = values.first ? [] : neverIn(done, rows);
  if (never.length > 0) say(`Never met, which fails the run: ${never.join('; ')}.`);
  say(
    `${done - failures.length} of ${done} seeds passed in ${seconds.toFixed(0)} s: ` +
      `${((seconds * 1000) / done).toFixed(1)} s per 1,000 seeds.` +
      `${until === undefined && done < seeds ? ` ${seeds - done} were not run.` : ''}`,
  );
  return failures.length + never.length > 0 ? 1 : 0;
}

/** What should have happened in so many seeds, but did not. */
function neverIn(seeds: number, rows: Outcome['rows']): string[] {
  if (values.releases)
    return seeds >= ENOUGH_FOR_RELEASES ? neverStruck(rows.filter(([of]) => of === 'releases')) : [];
  return [
    ...(seeds >= ENOUGH ? neverStruck(rows) : []),
    ...(seeds >= ENOUGH && encounters(rows) < seeds ? ['another pass that commits once a seed'] : []),
    ...(seeds >= ENOUGH && actorsShare(rows) < LEAST_WITH_ACTORS
      ? [`who made a change, for ${100 * LEAST_WITH_ACTORS} % of those that the audit log told of`]
      : []),
    ...(seeds >= ENOUGH_FOR_MEETINGS ? neverMet(rows) : []),
  ];
}

async function share(
  base: number,
  count: number,
  workers: number,
  until: number | undefined,
): Promise<Outcome & { readonly done: number }> {
  const coverage = new Coverage();
  const failures: Failure[] = [];
  let done = 0;
  const step = until === undefined ? Math.max(1, Math.floor(count / 10)) : 250;
  const threads = Array.from({ length: workers }, (_, index) => {
    const workerData: WorkerShare = { base, count, index, workers, until, releases: values.releases };
    return new Worker(new URL('./worker.ts', import.meta.url), { workerData });
  });
  const stop = () => Promise.all(threads.map(thread => thread.terminate()));
  const heard = ({ outcome, failure }: { outcome?: Outcome; failure?: Failure }) => {
    if (outcome) return coverage.merge(outcome.rows);
    done += 1;
    if (done % step === 0) say(until === undefined ? `  ${done} of ${count}` : `  ${done}`);
    if (!failure) return;
    if (values.keep !== undefined) keepFailure(values.keep, failure);
    failures.push(failure);
    if (!values.first || failures.length > 1) return;
    say(`The first failure came after ${done} seeds.`);
    void stop();
  };
  const ended = threads.map(thread => {
    thread.on('message', heard);
    return once(thread, 'exit');
  });
  await Promise.all(ended);
  return { failures: failures.sort((left, right) => left.seed - right.seed), rows: coverage.rows, done };
}

async function one(seed: number): Promise<number> {
  say(`Seed ${seed}:\n${planText(planOf(seed))}`);
  const shrunk = await shrink(seed);
  if (!shrunk) {
    say('It passes.');
    return 0;
  }
  say(`\nIt fails. The smallest plan found that does:\n${planText(shrunk.plan)}\n\n${shrunk.message}`);
  return 1;
}

/** In ms.
 *  @throws naming the option */
function duration(name: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw new TypeError(`--${name}: expected a duration like 30m or 8h, found ${text}`);
}

function describe({ seed, message }: Failure): string {
  return `FAILED: ${message}\n  to repeat and shrink it: npm run simulate -- --seed ${seed}`;
}

/** Appends a failing seed to the file, as a line of JSON: `{"seed", "commit", "message"}`. */
function keepFailure(path: string, { seed, message }: Failure): void {
  appendFileSync(path, `${JSON.stringify({ seed, commit: commitNow(), message })}\n`);
}

/** The commit of the code, with `-dirty` if files differ from it; null without git's history. */
function commitNow(): string | null {
  const args = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  try {
    return execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return null;
  }
}

/** @throws naming the option */
function whole(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new TypeError(`--${name}: expected a whole number, found ${text}`);
}
