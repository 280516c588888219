import { isJsonObject, type Json, type JsonObject } from '../basics/json.ts';
import { keysOf, typeName } from './describe.ts';
import { ServiceAnswerError } from './errors.ts';

const UNKNOWN_LIFETIME = 5 * 60_000;

/** What the authorization server answered: the token, and how long it lives, in ms. */
export interface TokenAnswer {
  readonly token: string;
  readonly lifetime: number;
  /** Where the lifetime was read. */
  readonly lifetimeFrom: 'expires_in' | 'exp' | 'nothing';
}

/**
 * Reads the authorization server's answer, whose fields service-api.md §5 leaves open: lifetime from
 * `expires_in`, else the JWT's `exp`, else 5 minutes. `now` is the service's time, in ms; `hide` takes
 * secrets out of a text. Throws a ServiceAnswerError that shows keys, no values.
 */
export function readTokenAnswer(
  request: string,
  body: Json,
  about: { now: number; hide: (text: string) => string },
): TokenAnswer {
  if (!isJsonObject(body)) {
    throw new ServiceAnswerError(request, {
      path: '$',
      expected: 'an object with access_token',
      found: typeName(body),
    });
  }
  const token = body.access_token;
  if (typeof token !== 'string' || token === '') {
    const where = {
      path: '$.access_token',
      expected: 'a text that is not empty',
      found: about.hide(keysOf(plainKeys(body))),
    };
    throw new ServiceAnswerError(request, where);
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    const where = { path: '$.access_token', expected: 'what a header can carry', found: 'other characters' };
    throw new ServiceAnswerError(request, where);
  }
  return { token, ...lifetimeOf(token, body, about.now) };
}

function lifetimeOf(token: string, body: JsonObject, now: number): Omit<TokenAnswer, 'token'> {
  const given = seconds(body.expires_in);
  if (given !== undefined) return { lifetime: given, lifetimeFrom: 'expires_in' };
  const ofJwt = jwtLifetime(token, now);
  if (ofJwt !== undefined) return { lifetime: ofJwt, lifetimeFrom: 'exp' };
  return { lifetime: UNKNOWN_LIFETIME, lifetimeFrom: 'nothing' };
}

/** Only keys that can't be tokens themselves keep their name. */
function plainKeys(body: JsonObject): JsonObject {
  const named = Object.entries(body).map(([key, value]) => {
    return [/^[A-Za-z_]{1,32}$/.test(key) ? key : 'another', value] as const;
  });
  return Object.fromEntries(named);
}

function seconds(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && number > 0 && Number.isFinite(number) ? number * 1000 : undefined;
}

function jwtLifetime(token: string, now: number): number | undefined {
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const lifetime = isJsonObject(payload) && typeof payload.exp === 'number' ? payload.exp * 1000 - now : 0;
    return lifetime > 0 ? lifetime : undefined;
  } catch {
    return undefined;
  }
}
