import { once } from 'node:events';
import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { lambdaOperations } from '../../../cli/connect/stack.ts';
import type { Operations } from '../../../functions/operations/operations.ts';
import { createEndpointRows } from '../../../functions/store/dynamo/endpoints.ts';
import { createRoster } from '../../../functions/store/dynamo/processes.ts';
import { createDeliveries, createSnapshots } from '../../../functions/store/dynamo/store.ts';
import type { Setting } from '../../kit/operations/setting.ts';
import { TABLE_TIMING } from '../../kit/table.ts';
import { operationsContract } from '../../operations/contract.ts';
import { CONTRACT, HOSTS } from '../config.ts';
import { CREDENTIALS, REGION } from '../emulator/environment.ts';
import type { ContractOptions } from '../scenario/contract.ts';

const options = JSON.parse(process.env.CONTRACT_OPTIONS ?? '{}') as ContractOptions;

operationsContract('of a deployed stack', open, false);

async function open(): Promise<Setting> {
  const { endpoint, stackName, tableName, credentials, arn } = options;
  const client = new DynamoDBClient({ endpoint, region: REGION, credentials: CREDENTIALS });
  const table = { client, tableName, timing: TABLE_TIMING };
  const asked = lambdaOperations({ ...{ stackName, region: REGION, credentials, endpoint } });
  const started: (readonly [string, string])[] = [];
  const operations: Operations = async (request, caller) => {
    const answer = await asked(request, caller);
    // Nobody polls these processes, and the poll function says nothing to who started it: that it runs, the test of people shows.
    if (request.operation === 'pass') started.push([request.process, request.mode]);
    return answer;
  };
  const receiver = await startReceiver();
  return {
    operations,
    stores: {
      endpoints: createEndpointRows(table),
      deliveries: createDeliveries(table),
      snapshots: createSnapshots(table),
      // It takes for remembered what it wrote once: the function over there forgets behind its back.
      roster: { ...createRoster(table), remember: processes => createRoster(table).remember(processes) },
    },
    processes: CONTRACT,
    now: Date.now,
    receiver,
    started: () => started,
    caller: { who: arn, isProven: true },
    close: async () => {
      client.destroy();
      await receiver.close();
    },
  };
}

/** Answers every POST with 200 and `ok`, at the name that leads here. */
async function startReceiver() {
  const bodies: string[] = [];
  const server = createServer(options.certificate, async (request, response) => {
    bodies.push(await text(request));
    response.end('ok');
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://${HOSTS.contract}/contract`,
    got: () => bodies,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
