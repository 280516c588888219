import type { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Config, DeployedInput } from '../../functions/config/schema.ts';
import { configurationFile } from '../bundle/configuration-file.ts';
import { ENTRIES } from '../bundle/options.ts';
import { Handler, type Network } from './handler.ts';
import type { PassQueue } from './pass-queue.ts';
import type { Queues } from './queues.ts';
import { mayReadCredentials } from './secrets.ts';
import { PASSES, serve } from './serving.ts';
import type { SnapshotTable } from './table.ts';
import { forCommits } from './table-access.ts';

export interface PollProps {
  readonly config: Config;
  readonly deployedInput: DeployedInput;
  readonly table: SnapshotTable;
  readonly passes: PassQueue;
  readonly queues: Queues;
  readonly network?: Network | undefined;
}

/** The function that makes a pass of each process in a message. The lease lets only one run per process and mode commit
 *  at a time. */
export class Poll extends Handler {
  readonly mapping: EventSourceMapping;

  constructor(
    scope: Construct,
    id: string,
    { config, deployedInput, table, passes, queues, network }: PollProps,
  ) {
    super(scope, id, {
      name: config.stackName,
      entry: ENTRIES.poll,
      network,
      files: configurationFile(polledIn(deployedInput)),
      description: 'Changewire: reads processes, compares them with their snapshots, commits changes',
      // A run mostly waits for the service, so more memory only costs more. docs/performance.md shows what large
      // processes need.
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

/** Limits of the heap and its young generation: with V8's defaults garbage fills the memory of the function. */
function heapIn(memoryMiB: number): string[] {
  return [`--max-old-space-size=${Math.floor(0.7 * memoryMiB)}`, '--max-semi-space-size=8'];
}

/** The part that the function uses, so that a change of receivers does not deploy it again: without subscriptions, and
 *  with those endpoints whose filters name fields. Networks of one's own matter with a proxy only. */
function polledIn({ subscriptions: _, endpoints = [], networks, ...used }: DeployedInput): DeployedInput {
  const naming = endpoints.filter(({ filter = {} }) => filter.fields ?? filter.values ?? filter.where);
  return {
    ...used,
    ...(used.proxy !== undefined && { networks }),
    ...(naming.length > 0 && { endpoints: naming }),
  };
}
