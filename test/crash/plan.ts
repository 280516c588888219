import type { Random } from '../../functions/clock.ts';
import { pick, seededRandom } from '../../local/service/random.ts';

/** Who is killed. `runner`: its database is left behind, for the next start to find. `database`: the runner goes on. */
export type Victim = 'runner' | 'database' | 'both';

/** What a kill's moment counts from: the start, the first request to the service, the first listing of a process that has
 *  no baseline, or a polite request to stop. */
export type Since = 'start' | 'first request' | 'baseline' | 'SIGTERM';

/** How an endpoint behaves. */
export type Mood = 'well' | 'failing' | 'hanging';

export interface Kill {
  readonly victim: Victim;
  readonly since: Since;
  /** 0 to 1: which part of the span that `since` begins. */
  readonly at: number;
  /** Of two victims, who is first; the other one follows after `gap` ms. */
  readonly databaseFirst: boolean;
  readonly gap: number;
  /** How many processes are watched up to this kill. */
  readonly processes: number;
  readonly moods: { readonly raw: Mood; readonly webhook: Mood };
}

/** Processes that join one after the other, so that there are baselines to be killed in all along. */
export const PROCESSES = ['alpha', 'beta', 'gamma', 'delta'] as const;

/** In turn, so that a short run has each of them. */
const VICTIMS: readonly Victim[] = ['runner', 'runner', 'database', 'both'];
const SINCE: readonly Since[] = [
  'start',
  'first request',
  'first request',
  'first request',
  'first request',
  'SIGTERM',
];
const MOODS: readonly Mood[] = ['well', 'well', 'well', 'failing', 'hanging'];

/** The kills of a run: the same for the same seed. */
export function planOf(seed: number, kills: number): Kill[] {
  const random = seededRandom(seed);
  const first = Math.floor(random() * VICTIMS.length);
  const joined = (index: number) =>
    Math.min(PROCESSES.length, 1 + Math.floor((index * PROCESSES.length) / kills));
  return Array.from({ length: kills }, (_, index) => {
    const processes = joined(index);
    const joins = index === 0 || joined(index - 1) < processes;
    const victim = VICTIMS[(index + first) % VICTIMS.length] ?? 'runner';
    const kill: Kill = { ...anywhere(random, processes), victim, ...(joins && { since: 'baseline' }) };
    // A life watches the same processes to its end.
    const isLast = index === kills - 1 || joined(index + 1) > processes;
    return isLast && kill.victim === 'database' ? { ...kill, victim: 'both' } : kill;
  });
}

function anywhere(random: Random, processes: number): Omit<Kill, 'victim'> {
  return {
    since: pick(random, SINCE),
    // More happens soon after a beginning than later, but what is killed too soon each time gets nowhere.
    at: random() < 0.7 ? random() * 0.3 : random(),
    databaseFirst: random() < 0.5,
    gap: random() < 0.5 ? 0 : Math.floor(random() * 200),
    processes,
    moods: { raw: pick(random, MOODS), webhook: pick(random, MOODS) },
  };
}
