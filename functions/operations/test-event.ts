import { serialise } from '../changes/serialise.ts';
import { AttemptLog } from '../delivery/attempt-log.ts';
import { outcomeOf } from '../delivery/http/outcome.ts';
import { testEvent } from '../model/test-event.ts';
import { type Acted, type OperationsContext, onEndpoint } from './context.ts';
import { attemptAnswer } from './deliveries.ts';
import { readSecret } from './endpoint-settings.ts';
import { findEndpoint } from './endpoints.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';

/** Sends a test event to one endpoint at once, whatever its filter, and even while it is paused, stopped or
 *  failing, which stays as it is. The event is signed and formatted as all are, and tried once. The answer has
 *  the first 1 KB of the receiver's answer, made harmless.
 *
 *  Address and secrets are read each time: an operator who tests an endpoint has often just changed them. */
export async function testEndpoint(
  context: OperationsContext,
  { endpoint: name }: RequestOf<'test-endpoint'>,
): Promise<Acted<AnswerOf<'test-endpoint'>>> {
  const { endpoint } = await findEndpoint(context, name);
  const secret = await readSecret(context, endpoint);
  const began = context.clock();
  const tag = Buffer.from(context.randomBytes(4)).toString('hex');
  const event = testEvent(name, { at: began, tag });
  const poster = context.openPoster();
  const attempts = new AttemptLog(endpoint, context);
  try {
    const body = serialise(event);
    const held = { id: event.id, eventId: event.id, body, at: began, triedAt: undefined, attempts: 0 };
    const [job] = context.jobsOf([{ held, event }], endpoint).jobs;
    const request = job?.request(context.clock(), secret) ?? { body, headers: {} };
    const answer = await poster.post(secret.url, request);
    const attempt = attempts.add([{ event }], { began, answer, outcome: outcomeOf(answer), secret });
    await attempts.write();
    return onEndpoint(name, attemptAnswer(attempt), [attempt.failure ?? `answered ${attempt.status}`]);
  } finally {
    await poster.close();
  }
}
