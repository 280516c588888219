import type { DynamoDBRecord, AttributeValue as LambdaValue, StreamRecord } from 'aws-lambda';
import { lambdaItem } from '../../kit/dynamodb/lambda-record.ts';
import { keyOf, type Place } from './table-keys.ts';
import type { Item } from './table-values.ts';

/** So large that all sequence numbers have the same length: they compare alike as numbers and as text. */
const FIRST_SEQUENCE_NUMBER = 100_000_000_000_000_000_000n;

/** One write as Lambda's event source hands it to a function: with the new image, bytes as base64. Images
 *  are made only when they are read, since most never are. */
export function streamRecord(
  tableName: string,
  index: number,
  place: Place,
  before: Item | undefined,
  after: Item | undefined,
): DynamoDBRecord {
  const SequenceNumber = String(FIRST_SEQUENCE_NUMBER + BigInt(index));
  const change: StreamRecord = {
    Keys: keyOf(place) as Record<string, LambdaValue>,
    SequenceNumber,
    StreamViewType: 'NEW_IMAGE',
  };
  if (after !== undefined) addImage(change, after);
  return {
    eventID: `${tableName}-${SequenceNumber}`,
    eventName: after === undefined ? 'REMOVE' : before === undefined ? 'INSERT' : 'MODIFY',
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: 'us-east-1',
    eventSourceARN: `arn:aws:dynamodb:us-east-1:000000000000:table/${tableName}/stream/model`,
    dynamodb: change,
  };
}

function addImage(change: StreamRecord, item: Item): void {
  let made: Record<string, LambdaValue> | undefined;
  const get = () => {
    made ??= lambdaItem(item);
    return made;
  };
  Object.defineProperty(change, 'NewImage', { get, enumerable: true });
}
