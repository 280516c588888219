import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../functions/basics/clock.ts';
import { HttpError } from './errors.ts';

/** Issues and checks access tokens: JWTs signed with HS256 (service-api.md §5). */
export interface Tokens {
  /** A token that lives for `lifetime` seconds. */
  issue(lifetime: number): string;
  /** @throws HttpError 401 unless the whole header is a valid token of this service */
  check(authorization: string | undefined): void;
  /** Makes every token issued so far invalid. */
  revoke(): void;
}

const HEADER = encode({ alg: 'HS256', typ: 'JWT' });

/** The signing key is derived from `secret`, so that tokens stay valid after a restart. */
export function createTokens(options: {
  clock: Clock;
  secret: string;
  issuer: string;
  audience: string;
}): Tokens {
  const { clock, issuer, audience } = options;
  let revoked = 0;
  const sign = (content: string): string =>
    createHmac('sha256', `${options.secret}#${revoked}`).update(content).digest('base64url');
  return {
    issue(lifetime) {
      const iat = Math.floor(clock() / 1000);
      const content = `${HEADER}.${encode({ iss: issuer, aud: audience, iat, exp: iat + lifetime })}`;
      return `${content}.${sign(content)}`;
    },
    check(authorization) {
      if (!authorization) throw refused('The Authorization header is missing');
      if (/^bearer\b/i.test(authorization)) throw refused('Send the bare token, without the Bearer keyword');
      const [header, payload, signature, ...more] = authorization.split('.');
      if (header !== HEADER || !payload || !signature || more.length > 0)
        throw refused('The token is not a JWT of this service');
      if (!same(signature, sign(`${header}.${payload}`)))
        throw refused('The signature of the token is wrong');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number; aud: string };
      if (claims.aud !== audience) throw refused('The token is for another audience');
      if (clock() >= claims.exp * 1000) throw refused('The token has expired');
    },
    revoke() {
      revoked += 1;
    },
  };
}

function refused(message: string): HttpError {
  return new HttpError(401, 'unauthorized', message);
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function same(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
