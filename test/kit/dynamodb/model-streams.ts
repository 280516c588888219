import type { _Record, AttributeValue, DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { AttributeValue as LambdaValue } from 'aws-lambda';
import type { TableModel } from '../../simulation/models/table.ts';

export const MODEL_STREAM = 'arn:aws:dynamodb:us-east-1:000000000000:table/changewire/stream/model';
const SHARD = 'shardId-model';

/** The stream of the table's model, as DynamoDB Streams' own client shows it: one shard, which never ends, without the
 *  first `forgotten()` records. */
export function modelStreams(model: TableModel, forgotten: () => number): DynamoDBStreamsClient {
  const numberAt = (index: number) => model.stream[index]?.dynamodb?.SequenceNumber ?? '';
  const indexOf = (number: unknown) => model.stream.findIndex((_, index) => numberAt(index) === number);
  const send = async ({ input }: { input: Record<string, unknown> }) => {
    if (input.ShardIterator !== undefined) {
      const from = Number(input.ShardIterator);
      const records = model.stream.slice(from, from + Number(input.Limit));
      return {
        Records: records.map(({ dynamodb, eventName, eventID }) => ({
          eventID,
          eventName,
          dynamodb: {
            ...dynamodb,
            // The model has no clock.
            ApproximateCreationDateTime: new Date(),
            NewImage: sdkItem(dynamodb?.NewImage),
          },
        })) as _Record[],
        NextShardIterator: String(from + records.length),
      };
    }
    if (input.ShardIteratorType === 'TRIM_HORIZON') return { ShardIterator: String(forgotten()) };
    if (input.ShardIteratorType !== undefined) {
      const at = indexOf(input.SequenceNumber);
      // Records that were trimmed are gone: such an iterator begins behind the end.
      const from = at < forgotten() ? model.stream.length : at;
      return { ShardIterator: String(input.ShardIteratorType === 'AT_SEQUENCE_NUMBER' ? from : from + 1) };
    }
    return { StreamDescription: { Shards: [{ ShardId: SHARD }] } };
  };
  return { send, destroy: () => undefined } as unknown as DynamoDBStreamsClient;
}

function sdkItem(item: Record<string, LambdaValue> | undefined): Record<string, AttributeValue> | undefined {
  return item && Object.fromEntries(Object.entries(item).map(([name, value]) => [name, sdkValue(value)]));
}

function sdkValue(value: LambdaValue): AttributeValue {
  return value.B === undefined ? (value as AttributeValue) : { B: Buffer.from(value.B, 'base64') };
}
