import type { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Config, DeployedInput } from '../../functions/config/schema.ts';
import { configurationFile } from '../bundle/configuration-file.ts';
import { ENTRIES } from '../bundle/options.ts';
import { forReadingEndpointSecrets } from './endpoint-secrets.ts';
import { Handler, type Network } from './handler.ts';
import { maySendMail } from './mail.ts';
import type { Queues } from './queues.ts';
import { CHAT, DELIVER_TIMEOUT, DRAINS, serve, WEBHOOKS } from './serving.ts';
import type { SnapshotTable } from './table.ts';
import { forDelivering } from './table-access.ts';

export interface DeliverProps {
  readonly config: Config;
  readonly deployedInput: DeployedInput;
  readonly table: SnapshotTable;
  readonly queues: Queues;
  readonly network?: Network | undefined;
}

/** The function that sends deliveries to webhooks, chats and mail servers. */
export class Deliver extends Handler {
  readonly mappings: Readonly<Record<'deliveries' | 'chat' | 'drains', EventSourceMapping>>;

  constructor(scope: Construct, id: string, { config, deployedInput, table, queues, network }: DeliverProps) {
    super(scope, id, {
      name: config.stackName,
      entry: ENTRIES.deliver,
      network,
      files: configurationFile(deployedInput),
      description: 'Changewire: delivers events to webhooks, Slack and Teams',
      // A batch has at most 6 MB; the memory is for processor time, which signing and TLS need.
      memoryMiB: 512,
      timeout: DELIVER_TIMEOUT,
      // A run that cannot send a whole backlog starts the next run: with thousands of deliveries more than 16 in a row.
      callsItself: true,
      logRetention: config.logRetentionDays,
      bindings: {
        TABLE_NAME: forDelivering(table),
        ...queues.urls,
        ...queues.forStartingDrains(),
        SECRETS_PATH: forReadingEndpointSecrets(scope, config.stackName),
      },
    });
    maySendMail(this, config);
    this.mappings = {
      deliveries: serve(this, queues.deliveries, WEBHOOKS),
      chat: serve(this, queues.chat, CHAT),
      drains: serve(this, queues.drains, DRAINS),
    };
  }
}
