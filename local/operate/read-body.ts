import type { IncomingMessage } from 'node:http';
import { type Refusal, refusal } from './admit.ts';

/** The longest body, in bytes: a filter of thousands of values takes that much. */
const LONGEST = 256 * 1024;

/** The body of a request that was admitted. */
export async function readBody(message: IncomingMessage): Promise<Buffer | Refusal> {
  const tooLong = refusal(413, `A request has at most ${LONGEST} bytes.`);
  if (Number(message.headers['content-length'] ?? 0) > LONGEST) return tooLong;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > LONGEST) return tooLong;
      chunks.push(chunk);
    }
  } catch {
    return refusal(400, 'The request broke off.');
  }
  return Buffer.concat(chunks);
}
