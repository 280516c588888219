import { expect } from 'vitest';
import { webhookRequest } from '../../../functions/delivery/webhook/webhook.ts';
import type { SentEvent } from '../../../functions/model/event.ts';
import { Refusal } from '../../../receiver/index.ts';

export type Headers = Readonly<Record<string, string>>;

/** What a sender posts. */
export interface Posted {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers: Headers;
}

/** A secret of Standard Webhooks, whose key is `text` again and again. */
export const secretOf = (text: string) => `whsec_${Buffer.alloc(24, text).toString('base64')}`;

/** The request that deliver.ts makes of an event; `at` in ms since 1970. */
export function signedWebhook(
  event: Pick<SentEvent, 'id'>,
  { secrets = [secretOf('one')], at = Date.now() } = {},
): { body: string; headers: Headers } {
  return webhookRequest({ id: event.id, body: JSON.stringify(event) }, secrets, at);
}

/** As the web's Request. */
export function webRequest({ body, headers }: Posted): Request {
  return new Request('http://receiver.example/', { method: 'POST', body, headers });
}

/** As a request of Node's whose framework kept the raw body. */
export function keptRequest({ body, headers }: Posted) {
  return { headers, rawBody: Buffer.from(body as string) };
}

/** A message in which an attacker changed something; undefined takes a field out. */
export const changed = ({ body, headers }: Posted, change: object): Posted => ({
  headers,
  body: JSON.stringify({ ...(JSON.parse(String(body)) as object), ...change }),
});

/** Both kinds of request. */
export const BOTH_KINDS = [webRequest, keptRequest] as const;

/** The status and the message of the refusal by which `verifying` ends. */
export async function refusalOf(verifying: Promise<unknown>): Promise<{ status: number; message: string }> {
  const error = await verifying.then(
    value => expect.fail(`It was taken: ${JSON.stringify(value)}`),
    caught => caught,
  );
  if (!(error instanceof Refusal)) throw error;
  return { status: error.status, message: error.message };
}
