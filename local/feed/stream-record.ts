import type { DynamoDBRecord } from 'aws-lambda';
import type { StoredChange } from '../../functions/store/sqlite/journal.ts';

/** A change record as the table's stream hands it to `publish.ts`. */
export function streamRecord({ position, process, key, events }: StoredChange): DynamoDBRecord {
  const Keys = { pk: { S: process }, sk: { S: key } };
  return {
    eventID: String(position),
    eventName: 'INSERT',
    eventSource: 'aws:dynamodb',
    dynamodb: {
      Keys,
      NewImage: { ...Keys, events: { B: Buffer.from(events).toString('base64') } },
      SequenceNumber: String(position),
      StreamViewType: 'NEW_IMAGE',
    },
  };
}
