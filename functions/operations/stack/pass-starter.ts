import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Clock } from '../../basics/clock.ts';
import { ASKED_FOR_MS, type PassMessage } from '../../schedule/pass-message.ts';
import type { Passes } from '../../store/processes.ts';

/** Puts a pass into the queue of passes, as one that an operator wants: it is run whether it is due or not. Nobody waits for its end. */
export function passStarter(
  client: Pick<SQSClient, 'send'>,
  QueueUrl: string,
  clock: Clock,
): Passes['start'] {
  return async ({ workspace, processId }, mode) => {
    const expiresAt = clock() + ASKED_FOR_MS;
    const message: PassMessage = { workspace, processId, mode, expiresAt, isAsked: true };
    const MessageBody = JSON.stringify(message);
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: workspace }));
  };
}
