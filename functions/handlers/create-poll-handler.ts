import type { SQSEvent } from 'aws-lambda';
import type { Log } from '../basics/telemetry.ts';
import { type PassMessage, passMessage } from '../schedule/pass-message.ts';
import type { Poll, PollContext } from './create-poll.ts';

/** What Lambda hands over of the queue: one message at a time. */
export type PollHandler = (event: Pick<SQSEvent, 'Records'>, context: PollContext) => Promise<void>;

/** Serves the queue of passes. Whatever became of a message, it is done with: the next one makes up for a pass that failed, and a message that
 *  can't be read can't be read tomorrow. */
export function createPollHandler(poll: Poll, log: Pick<Log, 'error'>): PollHandler {
  return async ({ Records }, context) => {
    for (const { body } of Records) {
      const message = readMessage(body);
      if (!message) log.error('A message of the queue of passes is none. Deploy again.', { body });
      // `poll` has logged the failure already, with the process that it belongs to.
      else await poll(message, context).catch(() => undefined);
    }
  };
}

function readMessage(body: string): PassMessage | undefined {
  try {
    return passMessage.parse(JSON.parse(body));
  } catch {
    // What can't be read is none.
  }
  return undefined;
}
