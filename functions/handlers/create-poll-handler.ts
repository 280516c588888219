import type { SQSEvent } from 'aws-lambda';
import type { SetAside } from '../aws/set-aside.ts';
import type { Log } from '../basics/telemetry.ts';
import { type PassMessage, passMessage } from '../schedule/pass-message.ts';
import type { Poll, PollContext } from './create-poll.ts';

/** What Lambda hands over of the queue: one message at a time. */
export type PollHandler = (event: Pick<SQSEvent, 'Records'>, context: PollContext) => Promise<void>;

/** Serves the queue of passes. A message does not come again, whatever became of its pass: the next message makes up for one that failed.
 *  A malformed message is set aside. */
export function createPollHandler(poll: Poll, setAside: SetAside, log: Pick<Log, 'error'>): PollHandler {
  return async ({ Records }, context) => {
    for (const record of Records) {
      const message = readMessage(record.body);
      if (!message) {
        await setAside(record, 'the message is no pass');
        const { messageId, body } = record;
        log.error('Malformed message in the passes queue; it was set aside. Deploy again.', {
          messageId,
          body,
        });
      }
      // `poll` has logged the failure already, with the process that it belongs to.
      else await poll(message, context).catch(() => undefined);
    }
  };
}

function readMessage(body: string): PassMessage | undefined {
  try {
    return passMessage.parse(JSON.parse(body));
  } catch {
    // It is malformed.
  }
  return undefined;
}
