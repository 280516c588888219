import type { DynamoDBRecord } from 'aws-lambda';
import type { Random } from '../../functions/basics/clock.ts';
import type { Log } from '../../functions/basics/telemetry.ts';
import type { Clocks } from './clocks.ts';
import type { Coverage } from './faults.ts';
import type { Nature } from './life.ts';
import type { Plan } from './plan.ts';
import type { Releases } from './releases/releases.ts';
import type { Scheduler } from './scheduler.ts';
import type { Storage } from './storage/storage.ts';

export const WORKSPACE = 'eu';
export const PROCESS = 'onboarding';
/** Further processes of the workspace, as far as a plan has some: before and behind the first one in their order. */
const OTHERS = ['billing', 'renewals'] as const;
export const TABLE_NAME = 'changewire';

/** The identifiers of a plan's processes, the one that most of it is about first. */
export function processesIn({ others }: Pick<Plan, 'others'>): readonly string[] {
  return [PROCESS, ...OTHERS.slice(0, others)];
}

/** What the parts of one simulated world share. */
export interface Shared {
  readonly plan: Plan;
  readonly scheduler: Scheduler;
  readonly clocks: Clocks;
  readonly random: Random;
  readonly coverage: Coverage;
  readonly nature: Nature;
  readonly releases: Releases;
  readonly storage: Storage;
  /** The storage's stream, in the order in which Lambda gets it. */
  readonly shard: DynamoDBRecord[];
  /** Called after every call of the storage; `by`: the pass that sent it, if one did. */
  readonly wrote: (by?: string) => void;
  readonly log: Log;
  /** Ends the run with an error that was found far from the code that drives it. */
  readonly fail: (error: unknown) => void;
  /** Runs a check: a violation ends the run, not the code in which it is found. */
  readonly judge: (check: () => void) => void;
}
