import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { configuredFile } from './bundle/configured-file.ts';
import type { Config } from './config/schema.ts';
import { Handler } from './handler.ts';
import type { Queues } from './queues.ts';
import type { SnapshotTable } from './table.ts';
import type { ChangeTopic } from './topic.ts';

export interface TickProps {
  readonly config: Config;
  readonly entry: string;
  readonly table: SnapshotTable;
  readonly queues: Queues;
  readonly topic: ChangeTopic;
}

/** The function that runs each minute: it probes endpoints that fail, sends what waits, works off replays, and sees whether the
 *  native subscriptions are confirmed. */
export class Tick extends Handler {
  constructor(scope: Construct, id: string, { config, entry, table, queues, topic }: TickProps) {
    super(scope, id, {
      entry,
      files: configuredFile(config),
      description: 'Changewire: each minute, probes endpoints that fail, sends what waits, works off replays',
      // A replay unpacks stretches of the journal; the memory buys processor time for that.
      memoryMiB: 512,
      // As long as until the next one, which goes on where this one stopped.
      timeout: Duration.minutes(1),
      logRetention: config.logRetentionDays,
      bindings: {
        TABLE_NAME: table.forTicking(),
        ...queues.forSending(),
        ...(config.subscriptions.length > 0 && { TOPIC_ARN: topic.forWatching() }),
      },
    });
  }
}
