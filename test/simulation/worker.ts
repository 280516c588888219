import { parentPort, workerData } from 'node:worker_threads';
import { planOf, runSeeds } from './seeds.ts';

/** A thread's share of `count` seeds from `base` on: each `workers`-th, none begun after `until` (ms since 1970). With `releases`, of
 *  those with a rollout. */
export interface WorkerShare {
  readonly base: number;
  readonly count: number;
  readonly index: number;
  readonly workers: number;
  readonly until: number | undefined;
  readonly releases: boolean;
}

function* seedsOf({ base, count, index, workers, until = Number.POSITIVE_INFINITY, releases }: WorkerShare) {
  let at = 0;
  for (let seed = base; at < count && Date.now() < until; seed += 1) {
    if (releases && !planOf(seed).rollout) continue;
    if (at % workers === index) yield seed;
    at += 1;
  }
}

const seeds = seedsOf(workerData as WorkerShare);
parentPort?.postMessage({ outcome: await runSeeds(seeds, failure => parentPort?.postMessage({ failure })) });
