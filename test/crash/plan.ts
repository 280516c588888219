import type { Random } from '../../functions/basics/clock.ts';
import { pick, seededRandom } from '../../simulator/data/random.ts';

/** Who dies: the process, with a SIGKILL, or the machine with it, which takes back writes that were not on the disk yet. */
export type Victim = 'process' | 'machine';

/** What a kill's moment counts from: the start, the first request to the service, the first listing of a process that has
 *  no baseline, or a polite request to stop. */
export type Since = 'start' | 'first request' | 'baseline' | 'SIGTERM';

/** How an endpoint behaves. */
export type Mood = 'healthy' | 'failing' | 'hanging';

/** What was under way when something was killed. */
export type Phase = 'start-up' | 'baseline' | 'changes' | 'sweep' | 'shutdown';

export interface Kill {
  readonly victim: Victim;
  readonly since: Since;
  /** 0 to 1: which part of the span that `since` begins. */
  readonly at: number;
  /** How many processes are watched up to this kill. */
  readonly processes: number;
  readonly moods: { readonly raw: Mood; readonly webhook: Mood };
}

/** Processes that join one after the other, so that there are baselines to be killed in all along. */
export const PROCESSES = ['alpha', 'beta', 'gamma', 'delta'] as const;

/** In turn, so that a short run has each of them. */
const VICTIMS: readonly Victim[] = ['process', 'machine'];
const SINCE: readonly Since[] = ['start', ...Array<Since>(4).fill('first request'), 'SIGTERM'];
const MOODS: readonly Mood[] = ['healthy', 'healthy', 'healthy', 'failing', 'hanging'];

/** The kills of a run: the same for the same seed. Where no machine can die, the process does in its stead. */
export function planOf(seed: number, kills: number, victims: readonly Victim[] = VICTIMS): Kill[] {
  const random = seededRandom(seed);
  const first = Math.floor(random() * victims.length);
  const joined = (index: number) =>
    Math.min(PROCESSES.length, 1 + Math.floor((index * PROCESSES.length) / kills));
  return Array.from({ length: kills }, (_, index) => {
    const processes = joined(index);
    const joins = index === 0 || joined(index - 1) < processes;
    const victim = victims[(index + first) % victims.length] ?? 'process';
    return { ...anywhere(random, processes), victim, ...(joins && { since: 'baseline' }) };
  });
}

function anywhere(random: Random, processes: number): Omit<Kill, 'victim'> {
  return {
    since: pick(random, SINCE),
    // More happens soon after a beginning than later, but what is killed too soon each time gets nowhere.
    at: random() < 0.7 ? random() * 0.3 : random(),
    processes,
    moods: { raw: pick(random, MOODS), webhook: pick(random, MOODS) },
  };
}
