import type { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Config, DeployedInput } from '../../functions/config/schema.ts';
import { configurationFile } from '../bundle/configuration-file.ts';
import { ENTRIES } from '../bundle/options.ts';
import { Handler } from './handler.ts';
import type { PassQueue } from './pass-queue.ts';
import type { Queues } from './queues.ts';
import { mayReadCredentials } from './secrets.ts';
import { PASSES, serve } from './serving.ts';
import type { SnapshotTable } from './table.ts';
import { forCommits } from './table-leave.ts';

export interface PollProps {
  readonly config: Config;
  readonly written: DeployedInput;
  readonly table: SnapshotTable;
  readonly passes: PassQueue;
  readonly queues: Queues;
}

/** The function that makes one pass over each of the processes of a message. The lease makes sure that one
 *  run per process and mode commits at a time. */
export class Poll extends Handler {
  readonly mapping: EventSourceMapping;

  constructor(scope: Construct, id: string, { config, written, table, passes, queues }: PollProps) {
    super(scope, id, {
      name: config.stackName,
      entry: ENTRIES.poll,
      files: configurationFile(polledIn(written)),
      description: 'Changewire: reads processes, compares them with their snapshots, commits what changed',
      // A run waits for the service most of the time, so half of the memory is half of the price.
      // `docs/performance.md` has what passes over large processes take.
      memoryMiB: config.pollMemory,
      nodeOptions: heapIn(config.pollMemory),
      timeout: PASSES.timeout,
      logRetention: config.logRetentionDays,
      bindings: { TABLE_NAME: forCommits(table), ...queues.forFailedMessages() },
    });
    mayReadCredentials(this, config);
    this.mapping = serve(this, passes.queue, PASSES);
  }
}

/** A young generation that stays small, and a heap that leaves room for what is outside of it: with V8's own
 *  sizes garbage alone fills the memory. */
function heapIn(memoryMiB: number): string[] {
  return [`--max-old-space-size=${Math.floor(0.7 * memoryMiB)}`, '--max-semi-space-size=8'];
}

/** The part that the function uses: a change of what receives events is then no change of its code. */
function polledIn({ workspaces, changes, sweep }: DeployedInput): DeployedInput {
  return { workspaces, changes, sweep };
}
