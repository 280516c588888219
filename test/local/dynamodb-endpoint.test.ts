import { join } from 'node:path';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startSimulatedService } from '../../simulator/server.ts';
import { hasEmbedded } from '../kit/dynamodb/binary.ts';
import { clientOptions, startDynamoDb } from '../kit/dynamodb/dynamodb.ts';
import { startModelServer } from '../kit/dynamodb/model-server.ts';
import { environmentOf, run } from '../kit/local/run.ts';
import { committedEvents } from '../kit/store-file.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const databases = [
  ...(hasEmbedded() ? [['the embedded DynamoDB', startDynamoDb] as const] : []),
  ['the model of a table, behind HTTP', () => startModelServer('changewire')] as const,
];

/** The sort keys of what the table holds, without identifiers and numbers. */
async function kindsIn(endpoint: string): Promise<string[]> {
  const client = new DynamoDBClient(clientOptions(endpoint));
  onTestFinished(() => client.destroy());
  const { Items = [] } = await client.send(
    new ScanCommand({ TableName: 'changewire', ConsistentRead: true }),
  );
  const kindOf = (pk = '', sk = '') => (pk === 'PROCESSES' ? 'roster' : sk.split('#')[0]);
  return [...new Set(Items.map(({ pk, sk }) => kindOf(pk?.S, sk?.S) ?? ''))].sort();
}

describe('with DYNAMODB_ENDPOINT', () => {
  test.each(databases)(
    'a run keeps snapshots and change records in %s, and follows its stream',
    async (_, start) => {
      const database = await start();
      onTestFinished(database.stop);
      const service = await startSimulatedService();
      onTestFinished(service.stop);
      const directory = temporaryDirectory();
      const environment = { ...environmentOf(service), DYNAMODB_ENDPOINT: database.endpoint };
      const once = async () => {
        const only = run(directory, '--once --json', environment);
        expect(await only.ended(), only.stderr()).toBe(0);
        return only.events().map(({ type, data }) => [type, (data as { project?: object }).project]);
      };
      expect(await once()).toEqual([]);
      const [processId = ''] = service.workspace.processes();
      service.workspace.createProject(processId, { name: 'Made between two runs' });
      expect(await once()).toEqual([
        ['project.created', expect.objectContaining({ name: 'Made between two runs' })],
      ]);
      expect(await once()).toEqual([]);
      expect(await kindsIn(database.endpoint)).toEqual([
        'CHANGE',
        'PASS',
        'PROJECT',
        'STATE',
        'USERS',
        'roster',
      ]);
      expect(committedEvents(join(directory, '.changewire'))).toEqual([]);
    },
  );
});
