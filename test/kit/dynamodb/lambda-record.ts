import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { _Record } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord, AttributeValue as LambdaValue } from 'aws-lambda';

/** A stream record as Lambda hands it to a function: binary values as base64, times in seconds. */
export function lambdaRecord(record: _Record, streamArn: string): DynamoDBRecord {
  const { eventName = 'INSERT', dynamodb = {} } = record;
  const { Keys, NewImage, SequenceNumber = '', ApproximateCreationDateTime } = dynamodb;
  return {
    eventID: record.eventID,
    eventName,
    eventVersion: record.eventVersion,
    eventSource: 'aws:dynamodb',
    awsRegion: record.awsRegion,
    eventSourceARN: streamArn,
    dynamodb: {
      ApproximateCreationDateTime: (ApproximateCreationDateTime?.getTime() ?? 0) / 1000,
      Keys: lambdaItem(Keys ?? {}),
      ...(eventName !== 'REMOVE' && { NewImage: lambdaItem(NewImage ?? {}) }),
      SequenceNumber,
      StreamViewType: 'NEW_IMAGE',
    },
  };
}

/** The stream record of an item's insertion, made from the item. `sequenceNumber` need only be unique. */
export function recordOfItem(
  item: Record<string, AttributeValue>,
  streamArn: string,
  sequenceNumber: string,
): DynamoDBRecord {
  const { pk = { S: '' }, sk = { S: '' } } = item;
  const dynamodb = { Keys: { pk, sk }, NewImage: item, SequenceNumber: sequenceNumber };
  return lambdaRecord({ eventID: sequenceNumber, dynamodb } as _Record, streamArn);
}

/** An item as a stream record for Lambda has it. */
export function lambdaItem(item: Record<string, AttributeValue>): Record<string, LambdaValue> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, lambdaValue(value)]));
}

function lambdaValue(value: AttributeValue): LambdaValue {
  if (value.B !== undefined)
    return { B: Buffer.from(value.B.buffer, value.B.byteOffset, value.B.byteLength).toString('base64') };
  if (value.L !== undefined) return { L: value.L.map(lambdaValue) };
  if (value.M !== undefined) return { M: lambdaItem(value.M) };
  return { ...value } as LambdaValue;
}
