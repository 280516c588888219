import { request as https } from 'node:https';
import * as z from 'zod';
import type { Clock } from '../basics/clock.ts';
import { request as http } from '../basics/http.ts';
import type { Log } from '../basics/telemetry.ts';
import { type Caller, type Operations, readRequest, replyOf } from '../operations/operations.ts';
import { isLook, isPull, lookRequests, type Reply, type Request } from '../operations/protocol/requests.ts';
import { Refused, wrongRequest } from '../operations/refused.ts';
import {
  type Alias,
  headersOf,
  type SignedIdentity,
  signedIdentity,
  WHO_AM_I,
} from '../operations/stack/identity.ts';

/** Lambda's context: the ARN as it was invoked, with the alias. */
interface OperateContext {
  readonly invokedFunctionArn: string;
}

export type Operate = (event: unknown, context: OperateContext) => Promise<Reply>;

interface OperateDependencies {
  readonly operations: Operations;
  readonly whoCalls: WhoCalls;
  readonly log: Log;
}

const invocation = z.strictObject({ request: z.unknown(), identity: signedIdentity.optional() });

/** Lambda allows answers of 6 MB; the rest is for the escapes and braces that it adds. */
const MAX_ANSWER_BYTES = 5_500_000;

/** Answers the operations on AWS. IAM decides who may look and who may act: each has an alias. Lambda
 *  writes the invoked alias into the context, so the caller can't forge it. */
export function createOperate({ operations, whoCalls, log }: OperateDependencies): Operate {
  return (event, { invokedFunctionArn }) =>
    replyOf(async () => {
      const parsed = invocation.safeParse(event);
      // The request isn't quoted, because it may contain a secret.
      if (!parsed.success) throw wrongRequest(`Expected {"request": …, "identity": …}. ${THIS_VERSION}`);
      const { identity } = parsed.data;
      const request = readRequest(parsed.data.request);
      authorise(request, aliasOf(invokedFunctionArn));
      // IAM has admitted the caller, and read requests are not recorded: no name is needed.
      if (isLook(request) || isPull(request))
        return answerWithin(request, { who: 'a caller of the alias', isProven: false }, operations);
      if (!identity) throw wrongRequest(`This operation needs the identity of the caller. ${THIS_VERSION}`);
      const caller = await whoCalls((event as { request: unknown }).request, identity);
      const answer = await answerWithin(request, caller, operations);
      log.info('Operator action.', { code: 'operator.action', operation: request.operation, ...caller });
      return answer;
    });
}

const THIS_VERSION = 'Use the changewire command of the deployed version.';

function aliasOf(arn: string): Alias | undefined {
  const alias = arn.split(':')[7];
  return alias === 'look' || alias === 'act' || alias === 'pull' ? alias : undefined;
}

function authorise(request: Request, alias: Alias | undefined): void {
  if (alias === 'act' || (alias === 'look' && isLook(request)) || (alias === 'pull' && isPull(request)))
    return;
  throw wrongRequest(
    alias === undefined
      ? 'Invoke this function through one of its aliases, look, act or pull.'
      : isPull(request)
        ? 'This operation needs the policy PullPolicyArn or ActPolicyArn.'
        : 'Read-only access: this operation needs the policy ActPolicyArn.',
  );
}

/** The answer, with fewer entries than requested if it would be too large: a page may be shorter than its limit. */
async function answerWithin(request: Request, caller: Caller, operations: Operations) {
  for (let limit = limitOf(request); ; limit = Math.floor(limit / 2)) {
    const answer = await operations(
      limit < limitOf(request) ? ({ ...request, limit } as Request) : request,
      caller,
    );
    const json = JSON.parse(JSON.stringify(answer));
    if (Buffer.byteLength(JSON.stringify(json)) <= MAX_ANSWER_BYTES) return json;
    if (!isLook(request) || limit <= 1) throw new Refused('The answer exceeds the 6 MB limit of Lambda.');
  }
}

/** The limit of a request without one: the largest that the operations accept. */
const MAX_LIMIT = 100;

/** Operations with pages of results. */
const PAGED: ReadonlySet<string> = new Set(
  lookRequests.filter(({ shape }) => 'limit' in shape).map(({ shape }) => shape.operation.value),
);

function limitOf(request: Request): number {
  if (!PAGED.has(request.operation)) return 1;
  return ('limit' in request ? request.limit : undefined) ?? MAX_LIMIT;
}

interface WhoCallsDependencies {
  readonly region: string;
  readonly functionName: string;
  /** The address of STS in this region. */
  readonly sts: URL;
  readonly clock: Clock;
  readonly log: Log;
}

/** Verifies a caller. @throws Refused for an identity that is not valid */
type WhoCalls = (request: unknown, identity: SignedIdentity) => Promise<Caller>;

/** The maximum age of a signature, or how far it may be in the future. STS itself allows 5 to 15 minutes. */
const MAX_SIGNATURE_AGE_MS = 5 * 60_000;
const STS_TIMEOUT_MS = 3_000;

/** Identifies the signer by sending the signed request to STS. The caller decides neither its address nor its
 *  content: a signature of another request doesn't fit.
 *  While STS can't be reached, operators can still act, because IAM admitted them: the key that they name
 *  is recorded without proof. No input of the caller may cause this. */
export function createWhoCalls(dependencies: WhoCallsDependencies): WhoCalls {
  const { region, clock, log } = dependencies;
  return async (request, identity) => {
    const key = keyOf(identity, region);
    // An impossible date is NaN, which is not larger than anything.
    if (!(Math.abs(clock() - timeOf(identity)) <= MAX_SIGNATURE_AGE_MS))
      throw new Refused(
        "The request was signed more than 5 minutes ago, or in the future. Retry; if that doesn't help, set the clock of your machine.",
      );
    const verdict = await askSts(request, identity, dependencies);
    if ('arn' in verdict) return { who: verdict.arn, isProven: true };
    if (verdict.isUnreachable) {
      log.warn('Could not verify the caller: STS does not respond.', {
        code: 'caller.unverified',
        error: verdict.code,
        key,
      });
      return { who: `access key ${key}`, isProven: false };
    }
    log.warn('STS rejected the identity of the caller.', {
      code: 'caller.rejected',
      error: verdict.code,
      key,
    });
    throw new Refused(
      `AWS did not confirm your identity (${verdict.code}): your credentials are invalid or have expired.`,
    );
  };
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=(\w{4,128})\/(\d{8})\/([\w-]+)\/sts\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=[0-9a-f]{64}$/;

/** The access key that signed.
 *  @throws Refused when other headers were signed than those of this request */
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
    throw new Refused(`The request is not signed as required. ${THIS_VERSION}`);
  return key;
}

function timeOf({ date }: SignedIdentity): number {
  return Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}

/** Connection errors that the caller can't cause. Any other error refuses the caller, even if it is thrown
 *  before anything was sent: otherwise a request that never reaches STS would be accepted without proof. */
const UNREACHABLE = new Set([
  ...['ABORT_ERR', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'],
  ...['EPIPE', 'ETIMEDOUT'],
]);

type Verdict =
  | { readonly arn: string }
  /** `isUnreachable`: STS could not be reached, failed, or is throttled: the signature may be valid. */
  | { readonly code: string; readonly isUnreachable: boolean };

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
    const { status, text } = await post(sts, headers, WHO_AM_I, STS_TIMEOUT_MS);
    const arn = /<Arn>(arn:[\x21-\x3b\x3d-\x7e]{1,2048})<\/Arn>/.exec(text)?.[1];
    if (status === 200 && arn !== undefined) return { arn };
    const code = /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1] ?? String(status);
    return { code, isUnreachable: status >= 500 || status === 429 || /Throttl|RequestLimit/.test(code) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { code: code ?? message, isUnreachable: UNREACHABLE.has(code ?? '') };
  }
}

/** STS's answers are far shorter. */
const MAX_STS_ANSWER_CHARACTERS = 65_536;

/** Posts a form without following redirects. The `host` header may differ from the address, as with an
 *  emulator.
 *  @throws an error when no complete answer comes in time */
function post(
  address: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  withinMs: number,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const send = address.protocol === 'http:' ? http : https;
    const options = { method: 'POST', headers, signal: AbortSignal.timeout(withinMs) };
    const outgoing = send(address, options, answer => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', part => {
        text += part;
        if (text.length > MAX_STS_ANSWER_CHARACTERS) answer.destroy(new Error('the answer is too long'));
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
