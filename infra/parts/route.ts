import type { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Config, DeployedInput } from '../../functions/config/schema.ts';
import { configurationFile } from '../bundle/configuration-file.ts';
import { ENTRIES } from '../bundle/options.ts';
import { Handler } from './handler.ts';
import type { Queues } from './queues.ts';
import { EVENTS, serve } from './serving.ts';
import type { SnapshotTable } from './table.ts';
import { forRouting } from './table-access.ts';

export interface RouteProps {
  readonly config: Config;
  readonly deployedInput: DeployedInput;
  readonly table: SnapshotTable;
  readonly queues: Queues;
}

/** The function that finds the endpoints of each event. */
export class Route extends Handler {
  readonly mapping: EventSourceMapping;

  constructor(scope: Construct, id: string, { config, deployedInput, table, queues }: RouteProps) {
    super(scope, id, {
      name: config.stackName,
      entry: ENTRIES.route,
      files: configurationFile(deployedInput),
      description: 'Changewire: queues a delivery of each event for each endpoint whose filter matches',
      // The memory is for processor time: an event for thousands of endpoints takes hundreds of requests to SQS.
      memoryMiB: 1024,
      timeout: EVENTS.timeout,
      logRetention: config.logRetentionDays,
      bindings: { TABLE_NAME: forRouting(table), ...queues.forSending(), ...queues.forFailedMessages() },
    });
    this.mapping = serve(this, queues.events, EVENTS);
  }
}
