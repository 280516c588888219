import { ENDS_WITHIN, Killer } from './killer.ts';
import { Deadlines, type Life, seconds } from './life.ts';
import { PROCESSES, planOf } from './plan.ts';
import { Setup } from './setup.ts';

export interface CrashOptions {
  readonly seed: number;
  readonly kills: number;
  /** Everything is over by then, in ms. */
  readonly limit: number;
  /** Told how it goes on, a line at a time. */
  readonly say: (line: string) => void;
  /** Ends it before its time. */
  readonly signal?: AbortSignal;
}

/** How long everything may take to be swept twice, and to be delivered; in ms. A lease that a kill left lasts a minute. */
const SWEEPS_WITHIN = 100_000;
const DELIVERS_WITHIN = 60_000;
const BUSY_FOR = 2000;

/**
 * Kills the local run again and again while the service changes, then lets it end in peace and compares what the
 * subscribers were told with what the service shows. @returns what it came to, in lines
 * @throws Error that tells what was lost, invented or left behind, or that time is up
 */
export async function crash(options: CrashOptions): Promise<string> {
  const { seed, limit, say, signal: outer } = options;
  const setup = await Setup.start(seed);
  const time = new AbortController();
  const late = new Error(
    `It was not over within ${seconds(limit)}: the machine is too slow, or something hangs.`,
  );
  const timer = setTimeout(() => time.abort(late), limit);
  const signal = AbortSignal.any([time.signal, ...(outer ? [outer] : [])]);
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  let failed = true;
  try {
    const summary = await Promise.race([play(setup, new Deadlines(signal), options), aborted]);
    failed = false;
    return summary;
  } finally {
    clearTimeout(timer);
    time.abort(new Error('It is over.'));
    await setup.close(failed);
    if (failed) say(`What the run kept is in ${setup.data.path}`);
  }
}

async function play(setup: Setup, deadlines: Deadlines, options: CrashOptions): Promise<string> {
  const { seed, kills, say } = options;
  const began = Date.now();
  const tell = (text: string) => say(`${text}  ${howFar(setup)}  ${seconds(Date.now() - began)}`);
  if (setup.lacks) say(`No machine dies in this run: ${setup.lacks}.`);
  say(`seed ${seed}: ${kills} kills; ${setup.rhythm.join(' ')}; ${JSON.stringify(setup.side.freedoms)}`);
  const killer = new Killer(setup, deadlines);
  const counts = { byVictim: {}, byPhase: {} };
  for (const [index, kill] of planOf(seed, kills, setup.lacks ? ['process'] : undefined).entries()) {
    const phase = await killer.kill(kill);
    count(counts.byVictim, kill.victim);
    count(counts.byPhase, phase);
    tell(`${`kill ${index + 1}/${kills}`.padEnd(12)}  ${kill.victim.padEnd(7)}  during ${phase.padEnd(8)}`);
  }
  setup.raw.mood = 'healthy';
  setup.webhook.mood = 'healthy';
  const last = killer.begin(PROCESSES.length);
  tell('No more kills: a last life');
  await busyInPeace(setup, last, deadlines);
  setup.side.calm();
  tell('No more edits: it sweeps everything twice');
  const problems = [...killer.problems, ...(await sweepInPeace(setup, last, deadlines))];
  tell('It ended; one more delivers what is left');
  problems.push(...(await deliverInPeace(setup, deadlines)));
  tell('It ended, too');
  problems.push(...setup.judge());
  for (const process of PROCESSES) problems.push(...(await setup.data.verify(process)));
  if (problems.length > 0) throw new Error(problems.map(text => `- ${text}`).join('\n'));
  const { raw, webhook, receivers, takenBack } = setup;
  const { edits } = setup.side;
  const edited = Object.values(edits).reduce((sum, each) => sum + each, 0);
  const repeated = Object.fromEntries(receivers.map(each => [each.name, each.repeated]));
  return [
    `${kills} kills in ${seconds(Date.now() - began)}: ${inWords(counts.byVictim)}`,
    `  during      ${inWords(counts.byPhase)}`,
    `  taken back  ${takenBack.lost} of ${takenBack.unsafe} writes that were not on the disk when the machine died`,
    `  edits       ${edited}: ${inWords(edits)}`,
    `  events      ${raw.received.size}, each with one content`,
    `  again       ${inWords(repeated)}`,
    `  endpoints   refused ${raw.failed + webhook.failed} deliveries, left ${raw.hung + webhook.hung} without an answer`,
    'Nothing was lost, nothing invented.',
  ].join('\n');
}

/** The edits go on, until every process has its baseline and some changes were told of each. */
async function busyInPeace(setup: Setup, last: Life, deadlines: Deadlines): Promise<void> {
  const baselines = async () => {
    while (!last.isOver && setup.side.watched.some(({ baselined }) => !baselined)) await deadlines.pause(20);
  };
  const what = () => `The last life does not make every baseline (it said: ${last.said})`;
  await deadlines.within(SWEEPS_WITHIN, baselines(), what);
  await deadlines.pause(BUSY_FOR);
}

/** No edit, no kill, no trouble: two sweeps of everything. @returns what was wrong */
async function sweepInPeace(setup: Setup, last: Life, deadlines: Deadlines): Promise<string[]> {
  const what = () => `The last life does not sweep everything twice (it said: ${last.said})`;
  await deadlines.within(SWEEPS_WITHIN, sweptTwice(setup, last, deadlines), what);
  last.stop();
  return endOf(last, deadlines, ENDS_WITHIN);
}

/** One pass that must end with everything delivered. @returns what was wrong */
function deliverInPeace(setup: Setup, deadlines: Deadlines): Promise<string[]> {
  return endOf(setup.live(PROCESSES, '--once'), deadlines, DELIVERS_WITHIN);
}

/** What was made again this soon after its deletion waits until a listing is clearly later, in ms (docs/decisions/0058). */
const CLEARLY_LATER = 6_000;

/** The first sweep that ends may have listed before the last edit: two more follow it. */
async function sweptTwice(setup: Setup, life: Life, deadlines: Deadlines): Promise<void> {
  await deadlines.pause(CLEARLY_LATER);
  for (let round = 0; round < 3; round++) {
    const before = PROCESSES.map(id => setup.sweptAt(id));
    while (PROCESSES.some((id, index) => setup.sweptAt(id) <= (before[index] ?? 0))) {
      if (life.isOver) throw new Error(`The last life ended by itself. It said: ${life.said}`);
      await deadlines.pause(50);
    }
  }
}

/** What is wrong with the end of a life that nobody killed. */
async function endOf(life: Life, deadlines: Deadlines, within: number): Promise<string[]> {
  const code = await deadlines.within(
    within,
    life.ended(),
    () => `A life does not end (it said: ${life.said})`,
  );
  if (code === 0) return [];
  return [`A life that nobody killed ended with exit code ${code}. It said: ${life.said}`];
}

function howFar({ raw, webhook }: Setup): string {
  const { size, repeated } = raw.received;
  const signed = webhook.received;
  return `events: ${size} raw, ${signed.size} signed (again: ${repeated}, ${signed.repeated})`;
}

function count(all: Record<string, number>, name: string): void {
  all[name] = (all[name] ?? 0) + 1;
}

function inWords(all: Readonly<Record<string, number>>): string {
  const parts = Object.entries(all).map(([name, number]) => `${name} ${number}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}
