import { Agent, type Dispatcher, request } from 'undici';
import { BODY_LIMIT, beginning, quote } from '../../functions/delivery/http/quote.ts';
import type { Outgoing } from './messages.ts';

/** The result of a POST. SNS retries after `failed` (the server's fault: 5xx, 429, no answer), never after `refused`
 *  (any other 4xx). */
export type PostResult =
  | { readonly outcome: 'delivered' }
  | {
      readonly outcome: 'failed' | 'refused';
      readonly reason: string;
      /** The beginning of the receiver's answer, in one line. */
      readonly answer?: string | undefined;
    };

/** Posts to one receiver, over its own connections, so that a slow receiver does not delay others. */
export interface Poster {
  post(outgoing: Outgoing): Promise<PostResult>;
  /** Closes every connection at once. */
  close(): Promise<void>;
}

/** `timeout` in ms covers connecting, sending and the head of the answer, as SNS's 15 s do. Redirects are
 *  not followed. */
export function poster(url: URL, connections: number, timeout: number): Poster {
  const agent = new Agent({ connections });
  const target = new URL(url);
  target.username = '';
  target.password = '';
  const authorization = basicAuthorization(url);
  return {
    async post({ headers, body }) {
      try {
        const response = await request(target, {
          method: 'POST',
          headers: { ...headers, ...authorization },
          body,
          dispatcher: agent,
          signal: AbortSignal.timeout(timeout),
        });
        const judged = judge(response.statusCode);
        if (judged.outcome !== 'delivered') return { ...judged, answer: await answerIn(response.body, url) };
        response.body.dump({ limit: BODY_LIMIT }).catch(() => {});
        return judged;
      } catch (error) {
        return noAnswer(error as NodeJS.ErrnoException, timeout);
      }
    },
    close: () => agent.destroy(),
  };
}

/** The beginning of the answer's body, as one line. A body that can't be read is ignored: the status is known. */
async function answerIn(body: Dispatcher.ResponseData['body'], url: URL): Promise<string | undefined> {
  try {
    return quote(await beginning(body), { url: url.href });
  } catch {
    return undefined;
  }
}

function judge(status: number): PostResult {
  if (status >= 200 && status < 300) return { outcome: 'delivered' };
  const permanent = status >= 400 && status < 500 && status !== 429;
  return { outcome: permanent ? 'refused' : 'failed', reason: `answered ${status}` };
}

function noAnswer(error: NodeJS.ErrnoException, timeout: number): PostResult {
  if (error.name === 'TimeoutError') {
    return { outcome: 'failed', reason: `no answer within ${timeout / 1000} s` };
  }
  const code = error.code ?? error.name;
  return { outcome: 'failed', reason: code === 'ECONNREFUSED' ? 'connection refused' : code };
}

function basicAuthorization(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {};
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
