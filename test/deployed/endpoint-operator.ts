import type { SQSClient } from '@aws-sdk/client-sqs';
import { DeleteParameterCommand, PutParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import type { EndpointRow } from '../../functions/delivery/endpoint-rows.ts';
import { paused, resumed } from '../../functions/delivery/health.ts';
import { type QueueUrls, sqsQueues } from '../../functions/delivery/queues.ts';
import type { EndpointSecret, EndpointSettings } from '../../functions/endpoints/endpoint.ts';
import { createDeliveries } from '../../functions/snapshots/dynamo-deliveries.ts';
import { createEndpointRows } from '../../functions/snapshots/dynamo-endpoint-rows.ts';
import type { Table } from '../../functions/snapshots/table.ts';

/** What an operator does with the endpoints of a stack that runs: rows and parameters are written, nothing is deployed. */
export interface EndpointOperator {
  /** The secret first, so that no event finds an endpoint without one. */
  add(endpoint: EndpointSettings, secret: EndpointSecret): Promise<void>;
  pause(name: string): Promise<void>;
  resume(endpoint: EndpointSettings): Promise<void>;
  remove(name: string): Promise<void>;
  row(name: string): Promise<EndpointRow | undefined>;
  /** How many deliveries wait for it in rows. */
  pending(name: string): Promise<number>;
}

export interface OperatorOptions {
  readonly table: Table;
  readonly ssm: SSMClient;
  readonly sqs: SQSClient;
  readonly queues: QueueUrls;
  readonly secretsPath: string;
}

export function createOperator({ table, ssm, sqs, queues, secretsPath }: OperatorOptions): EndpointOperator {
  const rows = createEndpointRows(table);
  const deliveries = createDeliveries(table);
  return {
    async add(settings, secret) {
      const { name } = settings;
      const Value = JSON.stringify(secret);
      await ssm.send(new PutParameterCommand({ Name: secretsPath + name, Value, Type: 'SecureString' }));
      await rows.change(name, row => row ?? { name, settings, health: {} });
    },
    async pause(name) {
      await rows.change(name, row => row && { ...row, health: paused(row.health, Date.now()) });
    },
    async resume(endpoint) {
      await rows.change(endpoint.name, row => row && { ...row, health: resumed(row.health, Date.now()) });
      await sqsQueues(sqs, queues).wake(endpoint, 0);
    },
    async remove(name) {
      await rows.change(name, () => 'removed');
      await ssm.send(new DeleteParameterCommand({ Name: secretsPath + name }));
    },
    row: name => rows.read(name),
    pending: async name => (await deliveries.standing(name)).pending,
  };
}
