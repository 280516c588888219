import type { Message } from '@aws-sdk/client-sqs';
import { REASON, SOURCE } from '../../queue/set-aside.ts';
import type { SetAsideMessage, SetAsideName } from '../protocol/set-aside.ts';

/** What of a message is of use to who has to repair what it tells of, by the queue that it lies in. */
export function setAsideMessageOf(queue: SetAsideName, message: Message): SetAsideMessage {
  const { reason, ...about } = TOLD[queue](parsed(message.Body ?? ''), message);
  const known = Object.entries(about).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    at: new Date(Number(message.Attributes?.SentTimestamp ?? 0)).toISOString(),
    ...(reason !== undefined && { reason }),
    about: Object.fromEntries(known),
  };
}

type Told = Readonly<Record<string, string | undefined>>;

const TOLD: Readonly<Record<SetAsideName, (body: unknown, message: Message) => Told>> = {
  // create-publish.ts writes them.
  rejected: body => ({
    reason: text(body, 'reason'),
    event: text(body, 'event', 'id'),
    type: text(body, 'event', 'type'),
    journal: text(body, 'pk'),
    record: text(body, 'sk'),
    committed: timeOf(/^CHANGE#(\d{13})/.exec(text(body, 'sk') ?? '')?.[1]),
  }),
  // Lambda writes them: https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
  unpublished: body => ({
    reason: text(body, 'requestContext', 'condition'),
    from: text(body, 'DDBStreamBatchInfo', 'approximateArrivalOfFirstRecord'),
    to: text(body, 'DDBStreamBatchInfo', 'approximateArrivalOfLastRecord'),
    records: text(body, 'DDBStreamBatchInfo', 'batchSize'),
  }),
  // What EventBridge Scheduler would have sent, and why it could not.
  unstarted: (body, message) => ({
    reason:
      [attribute(message, 'ERROR_CODE'), attribute(message, 'ERROR_MESSAGE')].filter(Boolean).join(': ') ||
      undefined,
    function: text(body, 'processId') === undefined ? 'tick' : 'poll',
    workspace: text(body, 'workspace'),
    process: text(body, 'processId'),
    mode: text(body, 'mode'),
  }),
  // SQS moves them here after too many receives, SNS when it can't put them into a queue, and a run that finds one malformed.
  unsettled: (body, message) => ({
    reason: attribute(message, REASON),
    event: text(body, 'id'),
    type: text(body, 'type'),
    endpoint: message.Attributes?.MessageGroupId,
    from:
      message.Attributes?.DeadLetterQueueSourceArn?.split(':').at(-1) ??
      attribute(message, SOURCE) ??
      'the topic',
    received: message.Attributes?.ApproximateReceiveCount,
  }),
};

function timeOf(ms: string | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(Number(ms)).toISOString();
}

function attribute({ MessageAttributes }: Message, name: string): string | undefined {
  return MessageAttributes?.[name]?.StringValue;
}

/** Texts and numbers at this place. */
function text(body: unknown, ...path: readonly string[]): string | undefined {
  let value = body;
  for (const part of path) value = (value as Record<string, unknown> | null | undefined)?.[part];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
