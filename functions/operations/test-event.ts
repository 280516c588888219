import { serialise } from '../changes/serialise.ts';
import { AttemptLog } from '../delivery/attempt-log.ts';
import { outcomeOf } from '../delivery/http/outcome.ts';
import type { Sender } from '../delivery/sender.ts';
import { webhookRequest } from '../delivery/webhook/webhook.ts';
import type { EndpointKind, EndpointRequest, EndpointSecret } from '../model/endpoint.ts';
import { testEvent } from '../model/test-event.ts';
import type { Attempt } from '../store/deliveries.ts';
import { findEndpoint, type House } from './house.ts';
import { readSecret, type SecretHouse } from './secrets.ts';

/** Reads the address and secrets each time: somebody who tests an endpoint has often just changed them. */
export type TestHouse = House & SecretHouse & Pick<Sender, 'openPoster' | 'chatFormats'>;

/** Sends a test event to one endpoint at once, whatever its filter, and even while it is paused, stopped or
 *  failing, which stays as it is. The event is signed and formatted as all are, and tried once.
 *  @returns the attempt, with the first 1 KB of the answer made harmless */
export async function testEndpoint(name: string, house: TestHouse): Promise<Attempt> {
  const { endpoint } = await findEndpoint(name, house);
  const secret = await readSecret(endpoint, house);
  const began = house.clock();
  const tag = Buffer.from(house.randomBytes(4)).toString('hex');
  const event = testEvent(name, { at: began, tag });
  const poster = house.openPoster();
  const attempts = new AttemptLog(endpoint, house);
  try {
    const answer = await poster.post(secret.url, requestOf(event, endpoint.kind, secret, house));
    const attempt = attempts.add([{ event }], { began, answer, outcome: outcomeOf(answer), secret });
    await attempts.write();
    return attempt;
  } finally {
    await poster.close();
  }
}

function requestOf(
  event: ReturnType<typeof testEvent>,
  kind: EndpointKind,
  { secrets = [] }: EndpointSecret,
  { chatFormats, clock }: TestHouse,
): EndpointRequest {
  if (kind === 'webhook') return webhookRequest({ id: event.id, body: serialise(event) }, secrets, clock());
  const [message] = chatFormats[kind]([event]);
  return { body: message?.body ?? '', headers: {} };
}
