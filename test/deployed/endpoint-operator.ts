import { randomBytes } from 'node:crypto';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SSMClient } from '@aws-sdk/client-ssm';
import { Agent, buildConnector } from 'undici';
import type { Attempt } from '../../functions/delivery/deliveries.ts';
import type { EndpointRow } from '../../functions/delivery/endpoint-rows.ts';
import { type QueueUrls, sqsQueues } from '../../functions/delivery/queues.ts';
import { senderOf } from '../../functions/delivery/sender.ts';
import type { EndpointSecret, EndpointSettings } from '../../functions/endpoints/endpoint.ts';
import {
  addEndpoint,
  pauseEndpoint,
  removeEndpoint,
  resumeEndpoint,
} from '../../functions/operations/endpoints.ts';
import { testEndpoint } from '../../functions/operations/test-event.ts';
import { parameterSecrets } from '../../functions/parameter-secrets.ts';
import { createDeliveries } from '../../functions/snapshots/dynamo-deliveries.ts';
import { createEndpointRows } from '../../functions/snapshots/dynamo-endpoint-rows.ts';
import type { Table } from '../../functions/snapshots/table.ts';
import { checkEndpoint } from '../../infra/config/check-endpoint.ts';

/** What an operator does with the endpoints of a stack that runs: nothing is deployed. */
export interface EndpointOperator {
  add(endpoint: EndpointSettings, secret: EndpointSecret): Promise<void>;
  /** Sends it a test event; its receiver listens at `port` of this machine. */
  test(name: string, port: number): Promise<Attempt>;
  pause(name: string): Promise<void>;
  resume(name: string): Promise<void>;
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

/** Looks public, as the emulated functions' internet has it. */
const PUBLIC = { address: '93.184.215.14', family: 4 };

export function createOperator({ table, ssm, sqs, queues, secretsPath }: OperatorOptions): EndpointOperator {
  const rows = createEndpointRows(table);
  const deliveries = createDeliveries(table);
  const quiet = () => undefined;
  const house = {
    configured: [],
    rows,
    deliveries,
    queues: sqsQueues(sqs, queues),
    secrets: parameterSecrets(ssm, secretsPath),
    check: checkEndpoint,
    address: { allowLoopback: false, resolve: async () => [PUBLIC] },
    log: { info: quiet, warn: quiet, error: quiet },
    clock: Date.now,
    randomBytes,
  };
  return {
    async add(settings, secret) {
      await addEndpoint({ ...settings, ...secret }, house);
    },
    test(name, port) {
      const { secrets, clock } = house;
      const sender = senderOf({ secrets, clock, allowLoopback: false, openAgent: () => agentTo(port) });
      return testEndpoint(name, { ...house, ...sender });
    },
    pause: name => pauseEndpoint(name, house),
    resume: name => resumeEndpoint(name, house),
    remove: name => removeEndpoint(name, house),
    row: name => rows.read(name),
    pending: async name => (await deliveries.standing(name)).pending,
  };
}

/** Whatever its name, the receiver is on this machine, with a certificate that this test has made for it. */
function agentTo(port: number): Agent {
  const connect = buildConnector({ rejectUnauthorized: false });
  return new Agent({
    connect: (options, callback) =>
      connect({ ...options, hostname: '127.0.0.1', host: '127.0.0.1', port: String(port) }, callback),
  });
}
