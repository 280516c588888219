import type { Clock } from '../../basics/clock.ts';
import type { Log } from '../../basics/telemetry.ts';
import type { Caller } from '../operations.ts';
import { Refused } from '../refused.ts';
import { headersOf, type SignedIdentity, WHO_AM_I } from './identity.ts';
import { post } from './post.ts';

export interface WhoCallsDependencies {
  readonly region: string;
  readonly functionName: string;
  /** Where STS of this region is reached. */
  readonly sts: URL;
  readonly clock: Clock;
  readonly log: Log;
}

/** @throws Refused for who can't be believed */
export type WhoCalls = (request: unknown, identity: SignedIdentity) => Promise<Caller>;

/** So old, or so far ahead, a signature may be. STS itself allows 5 to 15 minutes. */
const LONGEST_MS = 5 * 60_000;
const PATIENCE_MS = 3_000;

/** Finds out who signed an identity, by sending the request that was signed to STS. Where that was meant to go, and what it was to ask,
 *  the caller has no say in: a signature of another request doesn't fit.
 *
 *  While STS can't be reached, operators can act all the same, for IAM let them in: the key that they name is taken on trust then.
 *  Nothing that the caller hands over may bring this about. */
export function createWhoCalls(dependencies: WhoCallsDependencies): WhoCalls {
  const { region, clock, log } = dependencies;
  return async (request, identity) => {
    const key = keyOf(identity, region);
    // An impossible date is NaN, which is not larger than anything.
    if (!(Math.abs(clock() - timeOf(identity)) <= LONGEST_MS))
      throw new Refused(
        "Who asks was signed more than 5 minutes ago, or in the future. Ask again; if that doesn't help, set the clock of your machine.",
      );
    const said = await askSts(request, identity, dependencies);
    if ('arn' in said) return { who: said.arn, isProven: true };
    if (said.isAway) {
      log.warn('Who asks could not be verified: STS does not answer.', { error: said.code, key });
      return { who: `access key ${key}`, isProven: false };
    }
    log.warn('STS does not know who asks.', { code: said.code, key });
    throw new Refused(
      `AWS does not confirm who you are (${said.code}). Your credentials have expired, or are not valid.`,
    );
  };
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=(\w{4,128})\/(\d{8})\/([\w-]+)\/sts\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=[0-9a-f]{64}$/;

/** The access key that signed.
 *  @throws Refused when anything but what must be was signed */
function keyOf({ authorization, date, token }: SignedIdentity, region: string): string {
  const [, key, day, signedRegion, signed] = AUTHORIZATION.exec(authorization) ?? [];
  const named = ['x-amz-date', ...(token === undefined ? [] : ['x-amz-security-token'])];
  const names = [...Object.keys(headersOf({ region, functionName: '', request: null })), ...named];
  if (
    key === undefined ||
    !date.startsWith(String(day)) ||
    signedRegion !== region ||
    signed !== names.toSorted().join(';')
  )
    throw new Refused('Who asks is not signed as it must be. Use the changewire command of this version.');
  return key;
}

function timeOf({ date }: SignedIdentity): number {
  return Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}

/** Errors of a connection that the caller can not cause. Any other one refuses the caller, like one that is thrown before anything
 *  was sent: otherwise who sends what STS never sees would be taken on trust. */
const AWAY = new Set([
  ...['ABORT_ERR', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'],
  ...['EPIPE', 'ETIMEDOUT'],
]);

type Verdict =
  | { readonly arn: string }
  /** `isAway`: STS could not be reached, failed, or is throttled, and so said nothing of the signature. */
  | { readonly code: string; readonly isAway: boolean };

async function askSts(
  request: unknown,
  { authorization, date, token }: SignedIdentity,
  { region, functionName, sts }: WhoCallsDependencies,
): Promise<Verdict> {
  const headers = {
    ...headersOf({ region, functionName, request }),
    authorization,
    'x-amz-date': date,
    ...(token !== undefined && { 'x-amz-security-token': token }),
  };
  try {
    const { status, text } = await post(sts, headers, WHO_AM_I, PATIENCE_MS);
    const arn = /<Arn>(arn:[\x21-\x3b\x3d-\x7e]{1,2048})<\/Arn>/.exec(text)?.[1];
    if (status === 200 && arn !== undefined) return { arn };
    const code = /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1] ?? String(status);
    return { code, isAway: status >= 500 || status === 429 || /Throttl|RequestLimit/.test(code) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { code: code ?? message, isAway: AWAY.has(code ?? '') };
  }
}
