import { type MessageAttributeValue, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';

/** Keeps a message that no run could ever process, with the reason, for an operator. Its run is done with it then. */
export type SetAside = (record: SQSRecord, reason: string) => Promise<void>;

/** The attributes that a message gets when it is set aside. */
export const REASON = 'reason';
export const SOURCE = 'source';

/** Sets messages aside in this queue, which is also the dead-letter queue of those that they come from. The message is
 *  there before its run reports it as processed: a crash in between has it twice. */
export function setAsideIn(client: Pick<SQSClient, 'send'>, QueueUrl: string): SetAside {
  return async ({ body, attributes, messageAttributes, eventSourceARN }, reason) => {
    const { MessageGroupId } = attributes as { MessageGroupId?: string };
    const own = Object.entries(messageAttributes).flatMap(([name, { dataType, stringValue }]) =>
      stringValue === undefined ? [] : [[name, { DataType: dataType, StringValue: stringValue }] as const],
    );
    await client.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody: body,
        ...(MessageGroupId !== undefined && { MessageGroupId }),
        MessageAttributes: {
          ...Object.fromEntries(own),
          [REASON]: textOf(reason),
          [SOURCE]: textOf(eventSourceARN.split(':').at(-1) ?? ''),
        },
      }),
    );
  };
}

function textOf(StringValue: string): MessageAttributeValue {
  return { DataType: 'String', StringValue };
}
