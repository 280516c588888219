import type { Log } from '../basics/telemetry.ts';
import type { Serve } from '../queue/queue.ts';
import type { SetAside } from '../queue/set-aside.ts';
import { type PassMessage, passMessage } from '../schedule/pass-message.ts';
import type { Poll, PollContext } from './create-poll.ts';

/** Serves the queue of passes. A message does not come again, whatever became of its pass: the next message makes up for one that failed.
 *  A malformed message is set aside. */
export function createPollHandler(
  poll: Poll,
  setAside: SetAside,
  log: Pick<Log, 'error'>,
): Serve<PollContext> {
  return async ({ messages, queue }, context) => {
    for (const received of messages) {
      const { id: messageId, body } = received;
      const message = readMessage(body);
      if (!message) {
        await setAside(received, queue.name, 'the message is no pass');
        log.error('Malformed message in the passes queue; it was set aside. Deploy again.', {
          messageId,
          body,
        });
      }
      // `poll` has logged the failure already, with the process that it belongs to.
      else await poll(message, context).catch(() => undefined);
    }
    return [];
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
