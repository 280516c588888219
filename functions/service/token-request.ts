import { plausibleDate } from '../basics/http-date.ts';
import { pathOf } from './address.ts';
import type { Context } from './context.ts';
import { ServiceAnswerError, ServiceError, ServiceStatusError, TokenError } from './errors.ts';
import { exchangeFailure, malformedFailure, statusFailure, type Trying } from './failures.ts';
import { parseBody } from './parse.ts';
import { persist, type Try } from './persist.ts';
import type { HttpRequest } from './send-once.ts';
import { isSuccess } from './send-once.ts';
import { readTokenAnswer, type TokenAnswer } from './token-answer.ts';
import type { TokenWait } from './tokens.ts';

/**
 * Asks for a token (service-api.md §4 #8, §5), with the retries that a failure deserves. Throws a
 * ServiceError that names the path of the request, a TokenError where the authorization server answered. Its
 * answer is never quoted: it may repeat secrets that were sent.
 */
export async function requestToken(context: Context, wait: TokenWait): Promise<TokenAnswer> {
  const { settings, closing } = context;
  const request = await tokenRequest(context);
  const name = `${request.method} ${request.path}`;
  const pacing = {
    ...settings,
    closing,
    deadline: wait.deadline,
    onRetry: (met: ServiceError) => wait.onRetry(ofToken(met)),
  };
  try {
    const outcome = await persist(name, pacing, attempt => tryOnce(context, request, attempt));
    if ('error' in outcome) throw outcome.error;
    context.secrets.add(outcome.value.token);
    return outcome.value;
  } catch (error) {
    throw ofToken(error);
  }
}

function ofToken<Thrown>(error: Thrown): Thrown | TokenError {
  const isAnswer = error instanceof ServiceStatusError || error instanceof ServiceAnswerError;
  return isAnswer ? new TokenError(error) : error;
}

async function tokenRequest(context: Context): Promise<HttpRequest> {
  const { auth, audience, credentials } = context.settings;
  const path = pathOf(auth, ['oauth', 'token']);
  const { clientId, clientSecret } = await credentials();
  if (!clientId || !clientSecret) {
    throw new ServiceError(`POST ${path}`, 'the credentials lack clientId or clientSecret; fill them in');
  }
  context.secrets.add(clientSecret);
  const form = {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    audience,
  };
  return {
    origin: auth.origin,
    path,
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  };
}

async function tryOnce(context: Context, request: HttpRequest, attempt: number): Promise<Try<TokenAnswer>> {
  const { settings } = context;
  const name = `${request.method} ${request.path}`;
  const trying: Trying = {
    request: name,
    scope: 'everybody',
    maxAttempts: settings.maxAttempts,
    brief: false,
  };
  const { answers } = context;
  const result = await context.send(request, attempt);
  if ('why' in result) {
    const limits = { timeout: settings.requestTimeout, maxBodyBytes: settings.maxBodyBytes };
    const isSilent = result.why === 'time-out' && context.answers === answers;
    return { failure: exchangeFailure(trying, result, limits, isSilent) };
  }
  if (!isSuccess(result.status)) return { failure: statusFailure(trying, result, result.at) };
  const body = parseBody(result.body);
  if (body === undefined) return { failure: malformedFailure(trying, 'other text') };
  const about = { now: plausibleDate(result.date, result.at) ?? result.at, hide: context.secrets.hide };
  return { value: readTokenAnswer(name, body, about) };
}
