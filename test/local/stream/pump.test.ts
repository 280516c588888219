import type { DynamoDBStreamEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { memoryPosition } from '../../../local/stream/position.ts';
import {
  collecting,
  commit,
  idsOf,
  startedModel,
  startedPump,
  startedTable,
} from '../../kit/local/stream.ts';

describe('the stream pump', () => {
  test('hands over the inserted change records alone, in order, as Lambda does', async () => {
    const table = await startedTable();
    const events: DynamoDBStreamEvent[] = [];
    const pump = startedPump(table, {
      publish: async event => {
        events.push(event);
        return { batchItemFailures: [] };
      },
    });
    for (const id of ['1', '2', '3']) await commit(table.client, id);
    await pump.drained();
    expect(events.flatMap(idsOf)).toEqual(['1', '2', '3']);
    const [record] = events.flatMap(event => event.Records);
    expect(record).toMatchObject({ eventName: 'INSERT', eventSourceARN: table.table.streamArn });
    expect(record?.dynamodb?.NewImage?.events).toEqual({ B: Buffer.from('1').toString('base64') });
    expect(record?.dynamodb?.ApproximateCreationDateTime).toBeGreaterThan(1.7e9);
  });

  test('goes on from the first record that failed, and from the start after an error', async () => {
    const table = await startedTable();
    for (const id of ['1', '2', '3', '4']) await commit(table.client, id);
    const calls: string[][] = [];
    const pump = startedPump(table, {
      publish: async event => {
        calls.push(idsOf(event));
        if (calls.length === 1) throw new Error('SNS is away');
        const failed = calls.length === 2 ? [3, 1] : [];
        return {
          batchItemFailures: failed.map(index => ({
            itemIdentifier: event.Records[index]?.dynamodb?.SequenceNumber ?? '',
          })),
        };
      },
    });
    await pump.drained();
    expect(calls).toEqual([
      ['1', '2', '3', '4'],
      ['1', '2', '3', '4'],
      ['2', '3', '4'],
    ]);
  });

  test('sends the whole batch again when it cannot tell which record failed', async () => {
    const table = await startedTable();
    for (const id of ['1', '2']) await commit(table.client, id);
    const calls: string[][] = [];
    const pump = startedPump(table, {
      publish: async event => {
        calls.push(idsOf(event));
        return { batchItemFailures: calls.length === 1 ? [{ itemIdentifier: 'unheard of' }] : [] };
      },
    });
    await pump.drained();
    expect(calls).toEqual([
      ['1', '2'],
      ['1', '2'],
    ]);
  });

  test('after a restart goes on where it stood', async () => {
    const table = await startedTable();
    const position = memoryPosition();
    const first = startedPump(table, { position });
    await commit(table.client, '1');
    await first.drained();
    await first.stop();
    await commit(table.client, '2');
    const { ids, publish } = collecting();
    await startedPump(table, { position, publish }).drained();
    expect(ids).toEqual(['2']);
  });

  test('takes lost change records from the table, from the persisted time on, and only once', async () => {
    const { table, forgetStream } = startedModel();
    const day = 24 * 3600_000;
    await commit(table.client, 'long ago', 1 * day);
    await commit(table.client, 'lost', 3 * day);
    forgetStream();
    const position = memoryPosition();
    position.save({
      streamArn: table.table.streamArn,
      // The stream has no such record: it forgot it.
      shards: { 'shardId-forgotten': { sequenceNumber: '2', ended: false } },
      time: 3 * day,
    });
    const notices: string[] = [];
    const { ids, publish } = collecting();
    const pump = startedPump(table, { position, publish, onNotice: text => notices.push(text) });
    await pump.drained();
    await pump.stop();
    expect(new Set(ids)).toEqual(new Set(['lost']));
    expect(notices).toEqual([expect.stringContaining('sending the latest changes again')]);
    const again = collecting();
    await startedPump(table, { position, publish: again.publish }).drained();
    expect(again.ids).toEqual([]);
  });

  test('takes the journal when the table was made anew or its database is older than the position', async () => {
    const table = await startedTable();
    await commit(table.client, '1', 1);
    const shard = 'shardId-00000001-changewire';
    for (const [streamArn, sequenceNumber] of [
      ['arn:of-another-table', '2'],
      [table.table.streamArn, '99'],
    ] as const) {
      const position = memoryPosition();
      position.save({ streamArn, shards: { [shard]: { sequenceNumber, ended: false } }, time: 1 });
      const { ids, publish } = collecting();
      await startedPump(table, { position, publish }).drained();
      expect(new Set(ids)).toEqual(new Set(['1']));
    }
  });

  test('rejects whoever waits for it when it is stopped', async () => {
    const table = await startedTable();
    await commit(table.client, '1');
    const pump = startedPump(table, { publish: async () => Promise.reject(new Error('SNS is away')) });
    const waiting = expect(pump.drained()).rejects.toThrow('The stream of changes is not read any more.');
    await pump.stop();
    await waiting;
    await expect(pump.drained()).rejects.toThrow('The stream of changes is not read any more.');
  });

  test('saves no position before what it stands for is published', async () => {
    const table = await startedTable();
    const position = memoryPosition();
    const published = Promise.withResolvers<void>();
    const pump = startedPump(table, {
      position,
      publish: async () => {
        expect(position.load()).toBeUndefined();
        published.resolve();
        return { batchItemFailures: [] };
      },
    });
    await commit(table.client, '1', 7);
    await published.promise;
    await pump.drained();
    expect(position.load()).toMatchObject({ time: 7 });
  });
});
