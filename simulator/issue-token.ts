import type { JsonObject } from '../functions/basics/json.ts';
import type { Freedoms } from './data/freedoms.ts';
import { BadRequest, HttpError } from './errors.ts';
import type { ServiceRequest } from './messages.ts';
import type { Tokens } from './tokens.ts';

/** One credential set, as the operator issues it (service-api.md §5.3). */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly audience: string;
}

const FORM_FIELDS = ['grant_type', 'client_id', 'client_secret', 'audience'] as const;
/** The limit of a token request's form. */
export const MAX_FORM_BYTES = 16 * 1024;

/** Request #8: reads the form, checks each of its four fields, and issues a token (service-api.md §5.4).
 *  @throws HttpError with the OAuth error code */
export function tokenEndpoint(
  { contentType, body }: ServiceRequest,
  credentials: Credentials,
  tokens: Tokens,
  freedoms: Freedoms,
): JsonObject {
  if (contentType?.split(';')[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw new HttpError(400, 'invalid_request', 'content-type must be application/x-www-form-urlencoded');
  }
  if (body.length > MAX_FORM_BYTES) throw new BadRequest(`The form is larger than ${MAX_FORM_BYTES} bytes`);
  checkForm(new URLSearchParams(body), credentials);
  return {
    access_token: tokens.issue(freedoms.tokenLifetime),
    token_type: 'Bearer',
    ...(freedoms.expiresIn ? { expires_in: freedoms.tokenLifetime } : {}),
  };
}

function checkForm(form: URLSearchParams, credentials: Credentials): void {
  for (const name of FORM_FIELDS) {
    if (form.getAll(name).length !== 1) {
      throw new HttpError(400, 'invalid_request', `The form must contain "${name}" exactly once`);
    }
  }
  if (form.size !== FORM_FIELDS.length) {
    throw new HttpError(400, 'invalid_request', `The form may only contain ${FORM_FIELDS.join(', ')}`);
  }
  if (form.get('grant_type') !== 'client_credentials') {
    throw new HttpError(400, 'unsupported_grant_type', 'grant_type must be client_credentials');
  }
  const known = form.get('client_id') === credentials.clientId;
  if (!known || form.get('client_secret') !== credentials.clientSecret) {
    throw new HttpError(401, 'invalid_client', 'client_id or client_secret is wrong');
  }
  if (form.get('audience') !== credentials.audience) {
    throw new HttpError(403, 'access_denied', 'The audience is unknown');
  }
}
