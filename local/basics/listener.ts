import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** A listener for `createServer` that closes the connection when `answer` throws or rejects. An exception in a plain
 *  listener ends the process, which for a run means that one request ends it. */
export function listener(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): RequestListener {
  return (request, response) => {
    answer(request, response).catch(() => response.destroy());
  };
}
