import * as z from 'zod';
import type { Log } from '../basics/telemetry.ts';
import { type Caller, type Operations, readRequest } from '../operations/operations.ts';
import type { Reply } from '../operations/protocol/reply.ts';
import { isLook, lookRequests, type Request } from '../operations/protocol/requests.ts';
import { Refused } from '../operations/refused.ts';
import type { Alias } from '../operations/stack/identity.ts';
import { type SignedIdentity, signedIdentity } from '../operations/stack/identity.ts';
import type { WhoCalls } from '../operations/stack/who-calls.ts';

/** What Lambda's context tells: the ARN as it was invoked, the alias included. */
export interface OperateContext {
  readonly invokedFunctionArn: string;
}

export type Operate = (event: unknown, context: OperateContext) => Promise<Reply>;

export interface OperateDependencies {
  readonly operations: Operations;
  readonly whoCalls: WhoCalls;
  readonly log: Log;
}

const asked = z.strictObject({ request: z.unknown(), identity: signedIdentity.optional() });

/** Lambda answers with 6 MB at most; the rest is for the escapes and braces that it adds. */
const LONGEST_ANSWER = 5_500_000;

/** The front door of the operations on AWS. IAM decides who may look and who may act: each has an alias, and which one was invoked is in
 *  the context, that nobody but Lambda writes. */
export function createOperate({ operations, whoCalls, log }: OperateDependencies): Operate {
  return async (event, { invokedFunctionArn }) => {
    try {
      const { request, identity } = read(event);
      admit(request, aliasOf(invokedFunctionArn));
      const caller = isLook(request)
        ? // IAM has admitted the caller, and looking is not recorded: no name is needed.
          { who: 'somebody who may look', isProven: false }
        : await callerOf((event as { request: unknown }).request, identity, whoCalls);
      const answer = await answerWithin(request, caller, operations);
      if (!isLook(request)) log.info('Operator action', { operation: request.operation, ...caller });
      return { answer };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { refused: error.message, isUsage: error.isUsage };
    }
  };
}

/** @throws Refused for what is none */
function read(event: unknown): { readonly request: Request; readonly identity: SignedIdentity | undefined } {
  const parsed = asked.safeParse(event);
  // What was sent isn't quoted: it may hold a secret.
  if (!parsed.success)
    throw new Refused(`It takes {"request": …, "identity": …}. ${THIS_VERSION}`, { isUsage: true });
  return { request: readRequest(parsed.data.request), identity: parsed.data.identity };
}

const THIS_VERSION = 'Use the changewire command of the version that is deployed.';

function aliasOf(arn: string): Alias | undefined {
  const alias = arn.split(':')[7];
  return alias === 'look' || alias === 'act' ? alias : undefined;
}

function admit(request: Request, alias: Alias | undefined): void {
  if (alias === 'act' || (alias === 'look' && isLook(request))) return;
  throw new Refused(
    alias === undefined
      ? 'This function is asked by its aliases, look and act.'
      : 'Who may only look can not do this: it takes the policy ActPolicyArn.',
    { isUsage: true },
  );
}

async function callerOf(
  request: unknown,
  identity: SignedIdentity | undefined,
  whoCalls: WhoCalls,
): Promise<Caller> {
  if (!identity)
    throw new Refused('Whoever acts says who they are. Use the changewire command of this version.', {
      isUsage: true,
    });
  return whoCalls(request, identity);
}

/** The answer, with fewer entries than were asked for where so many would be too large: a page may be shorter than its limit. */
async function answerWithin(request: Request, caller: Caller, operations: Operations) {
  for (let limit = limitOf(request); ; limit = Math.floor(limit / 2)) {
    const answer = await operations(
      limit < limitOf(request) ? ({ ...request, limit } as Request) : request,
      caller,
    );
    const json = JSON.parse(JSON.stringify(answer));
    if (Buffer.byteLength(JSON.stringify(json)) <= LONGEST_ANSWER) return json;
    if (!isLook(request) || limit <= 1)
      throw new Refused('The answer is larger than the 6 MB that Lambda can give.');
  }
}

/** The limit of a request that has none: the largest that the operations take. */
const USUAL_LIMIT = 100;

/** Operations whose answers come in pages. */
const PAGED: ReadonlySet<string> = new Set(
  lookRequests.filter(({ shape }) => 'limit' in shape).map(({ shape }) => shape.operation.value),
);

function limitOf(request: Request): number {
  if (!PAGED.has(request.operation)) return 1;
  return ('limit' in request ? request.limit : undefined) ?? USUAL_LIMIT;
}
