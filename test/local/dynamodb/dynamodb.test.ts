import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { DescribeTimeToLiveCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { describe, expect, test, vi } from 'vitest';
import { findBinary } from '../../../local/dynamodb/binary.ts';
import { startDynamoDb } from '../../../local/dynamodb/dynamodb.ts';
import { ensureTable } from '../../../local/dynamodb/table.ts';
import {
  commit,
  isAlive,
  moduleUrl,
  otherProcess,
  type Started,
  started,
  temporaryDirectory,
} from './support.ts';

describe('the embedded DynamoDB', () => {
  test('gets the table with its stream and expiry, and takes the one that is there', async () => {
    const { client, streams } = await started();
    const { streamArn } = await ensureTable(client, 'changewire');
    expect(await ensureTable(client, 'changewire')).toEqual({ streamArn });
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: streamArn }));
    expect(StreamDescription?.StreamViewType).toBe('NEW_IMAGE');
    const expiry = await client.send(new DescribeTimeToLiveCommand({ TableName: 'changewire' }));
    expect(expiry.TimeToLiveDescription?.AttributeName).toBe('expiresAt');
  });

  test('keeps items, stream and table across a restart', async () => {
    const dataDirectory = temporaryDirectory();
    const first = await started({ dataDirectory });
    const { streamArn } = await ensureTable(first.client, 'changewire');
    await commit(first.client, '1');
    await first.stop();
    const second = await started({ dataDirectory });
    expect(await ensureTable(second.client, 'changewire')).toEqual({ streamArn });
    expect(await itemKeys(second)).toHaveLength(2);
    expect(await streamKeys(second, streamArn)).toHaveLength(2);
  });

  test('is started again on the same port when it is killed, and has every commit it answered, whole', async () => {
    const notices: string[] = [];
    const dynamodb = await started({
      dataDirectory: temporaryDirectory(),
      onNotice: text => notices.push(text),
    });
    const { streamArn } = await ensureTable(dynamodb.client, 'changewire');
    const answered = new Set<string>();
    const write = async (writer: number) => {
      for (let n = 0; ; n++) {
        await commit(dynamodb.client, `${writer}-${n}`);
        answered.add(`${writer}-${n}`);
        if (answered.size === 40) process.kill(dynamodb.pid() as number, 'SIGKILL');
        if (answered.size >= 40) return;
      }
    };
    await Promise.allSettled([write(1), write(2), write(3)]);
    await vi.waitFor(() => expect(notices).toContain('The embedded DynamoDB is back.'), 10_000);
    const items = await itemKeys(dynamodb);
    const records = await streamKeys(dynamodb, streamArn);
    expect(items).toEqual(records.toSorted());
    for (const id of answered) expect(items).toContain(`PROJECT#${id}`);
    expect(items.filter(key => key.startsWith('CHANGE#')).length * 2).toBe(items.length);
  });

  test('that a killed parent left behind is ended by the next start', async () => {
    const dataDirectory = temporaryDirectory();
    const { child, line } = await otherProcess(`
      const { startDynamoDb } = await import(${JSON.stringify(moduleUrl('local/dynamodb/dynamodb.ts'))});
      const dynamodb = await startDynamoDb({ dataDirectory: ${JSON.stringify(dataDirectory)} });
      console.log(dynamodb.pid());`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isAlive(Number(line))).toBe(true);
    const { pid } = await started({ dataDirectory });
    expect(isAlive(Number(line))).toBe(false);
    expect(isAlive(pid() as number)).toBe(true);
  });

  test.each(['process.exit(0)', 'throw new Error("expected")'])(
    'ends with its parent on %s',
    async ending => {
      const { child, line } = await otherProcess(`
      const { startDynamoDb } = await import(${JSON.stringify(moduleUrl('local/dynamodb/dynamodb.ts'))});
      const dynamodb = await startDynamoDb();
      process.on('uncaughtException', () => process.exit(1));
      console.log(dynamodb.pid());
      setTimeout(() => { ${ending} }, 1);`);
      if (child.exitCode === null) await once(child, 'exit');
      await vi.waitFor(() => expect(isAlive(Number(line))).toBe(false));
    },
  );

  test('is not started when an endpoint is given', async () => {
    const dynamodb = await startDynamoDb({ endpoint: 'http://127.0.0.1:8000' });
    expect(dynamodb.clientOptions.endpoint).toBe('http://127.0.0.1:8000');
    expect(dynamodb.pid()).toBeUndefined();
  });

  test('names the remedy where there is no program for the platform', () => {
    expect(() => findBinary('@dynoxide/plan9-mips')).toThrow(
      /@dynoxide\/plan9-mips.*Set DYNAMODB_ENDPOINT to a running DynamoDB/,
    );
  });

  test('names the log when it does not start', async () => {
    const dataDirectory = temporaryDirectory();
    writeFileSync(`${dataDirectory}/table.sqlite`, 'no database'.repeat(100));
    await expect(startDynamoDb({ dataDirectory })).rejects.toThrow(/dynamodb\.log/);
  });

  test('forgets stream records before a position, and counts on from there', async () => {
    const dynamodb = await started({ dataDirectory: temporaryDirectory() });
    const { streamArn } = await ensureTable(dynamodb.client, 'changewire');
    for (const id of ['1', '2', '3']) await commit(dynamodb.client, id);
    expect(dynamodb.trim('changewire', '6')).toBe(5);
    expect(await streamKeys(dynamodb, streamArn)).toHaveLength(1);
    await commit(dynamodb.client, '4');
    expect(dynamodb.trim('changewire', '8')).toBe(2);
  });
});

async function itemKeys({ client }: Started): Promise<string[]> {
  const { Items } = await client.send(
    new QueryCommand({
      TableName: 'changewire',
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: 'W#w#P#p' } },
    }),
  );
  return (Items ?? []).map(item => item.sk?.S ?? '');
}

async function streamKeys({ streams }: Started, StreamArn: string): Promise<string[]> {
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  const ShardId = StreamDescription?.Shards?.[0]?.ShardId;
  const { ShardIterator } = await streams.send(
    new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
  );
  const { Records } = await streams.send(new GetRecordsCommand({ ShardIterator }));
  return (Records ?? []).map(record => record.dynamodb?.Keys?.sk?.S ?? '');
}
