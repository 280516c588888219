import { DescribeStreamCommand, type DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { expect, test } from 'vitest';
import type { Position } from '../../../local/stream/position.ts';
import { ShardReader } from '../../../local/stream/shards.ts';

/** The embedded DynamoDB has one shard that never closes, so the other answers are made here. */
function streamOf(shards: Record<string, { parent?: string; numbers: string[]; closed: boolean }>) {
  const send = async (command: { input: Record<string, unknown> }) => {
    const { input } = command;
    if (command instanceof DescribeStreamCommand) {
      const ids = Object.keys(shards);
      const at =
        input.ExclusiveStartShardId === undefined ? 0 : ids.indexOf(`${input.ExclusiveStartShardId}`) + 1;
      const ShardId = ids[at];
      const page = ShardId === undefined ? [] : [{ ShardId, ParentShardId: shards[ShardId]?.parent }];
      return {
        StreamDescription: { Shards: page, LastEvaluatedShardId: at < ids.length - 1 ? ShardId : undefined },
      };
    }
    if (input.ShardIteratorType !== undefined)
      return { ShardIterator: `${input.ShardId}/${input.SequenceNumber ?? ''}` };
    const [id = '', after = ''] = `${input.ShardIterator}`.split('/');
    const shard = shards[id];
    const Records = (shard?.numbers ?? [])
      .filter(number => number > after)
      .map(SequenceNumber => ({ dynamodb: { SequenceNumber } }));
    return { Records, NextShardIterator: shard?.closed ? undefined : `${id}/9` };
  };
  return { send } as unknown as DynamoDBStreamsClient;
}

test('a parent is read to its end before its child, over all pages of shards', async () => {
  const stream = streamOf({
    child: { parent: 'parent', numbers: ['3'], closed: false },
    parent: { parent: 'forgotten', numbers: ['1', '2'], closed: true },
  });
  const reader = new ShardReader(stream, 'arn');
  const positions: Position['shards'] = {};
  const seen: string[] = [];
  for (let round = 0; round < 3; round++) {
    for await (const { shardId, records, ended } of reader.round(positions)) {
      seen.push(...records.map(record => `${shardId} ${record.dynamodb?.SequenceNumber}`));
      positions[shardId] = { sequenceNumber: records.at(-1)?.dynamodb?.SequenceNumber ?? '0', ended };
    }
  }
  expect(seen).toEqual(['parent 1', 'parent 2', 'child 3']);
});

test('a position is lost when its shard is gone, unless that was read to its end', async () => {
  const reader = new ShardReader(streamOf({ open: { numbers: ['1'], closed: false } }), 'arn');
  expect(await reader.has({ gone: { sequenceNumber: '1', ended: true } })).toBe(true);
  expect(await reader.has({ gone: { sequenceNumber: '1', ended: false } })).toBe(false);
});
