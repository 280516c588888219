import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import { respond } from './respond.ts';

const sqs = new SQSClient({});
const seen = new Map<string, number>();

/** The function of the event source mappings: sends the names of a batch to the results queue, and answers as its
 *  items say. */
export async function handler({ Records }: SQSEvent | DynamoDBStreamEvent) {
  const { names, results, answer } = respond(Records, seen);
  const MessageBody = JSON.stringify({ at: Date.now(), names });
  await sqs.send(new SendMessageCommand({ QueueUrl: results, MessageBody }));
  return answer();
}
