import type { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Config, DeployedInput } from '../../functions/config/schema.ts';
import { configurationFile } from '../bundle/configuration-file.ts';
import { ENTRIES } from '../bundle/options.ts';
import { forReadingEndpointSecrets } from './endpoint-secrets.ts';
import { Handler } from './handler.ts';
import type { Queues } from './queues.ts';
import { CHAT, DELIVER_TIMEOUT, DRAINS, serve, WEBHOOKS } from './serving.ts';
import type { SnapshotTable } from './table.ts';
import { forDelivering } from './table-leave.ts';

export interface DeliverProps {
  readonly config: Config;
  readonly written: DeployedInput;
  readonly table: SnapshotTable;
  readonly queues: Queues;
}

/** The function that sends deliveries to webhooks, Slack and Teams. */
export class Deliver extends Handler {
  readonly mappings: Readonly<Record<'deliveries' | 'chat' | 'drains', EventSourceMapping>>;

  constructor(scope: Construct, id: string, { config, written, table, queues }: DeliverProps) {
    super(scope, id, {
      name: config.stackName,
      entry: ENTRIES.deliver,
      files: configurationFile(written),
      description: 'Changewire: delivers events to webhooks, Slack and Teams',
      // A batch holds 6 MB at most; with more memory Lambda gives more processor time, for signing and
      // TLS.
      memoryMiB: 512,
      timeout: DELIVER_TIMEOUT,
      // A run whose turn is over before a backlog is sent wakes the next: for thousands of deliveries that
      // is more than 16 in a row.
      callsItself: true,
      logRetention: config.logRetentionDays,
      bindings: {
        TABLE_NAME: forDelivering(table),
        ...queues.urls,
        ...queues.forWaking(),
        SECRETS_PATH: forReadingEndpointSecrets(scope, config.stackName),
      },
    });
    this.mappings = {
      deliveries: serve(this, queues.deliveries, WEBHOOKS),
      chat: serve(this, queues.chat, CHAT),
      drains: serve(this, queues.drains, DRAINS),
    };
  }
}
