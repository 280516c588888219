import {
  type InvocationResponse,
  InvokeCommand,
  LambdaClient,
  type LambdaClientConfig,
} from '@aws-sdk/client-lambda';
import { type Alias, operateFunction } from '../../functions/operate/identity.ts';
import { signIdentity } from '../../functions/operate/sign-identity.ts';
import type { Operations } from '../../functions/operations/operations.ts';
import { reply } from '../../functions/operations/protocol/reply.ts';
import { isLook, type Request } from '../../functions/operations/protocol/requests.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { type Asked, unanswered } from './aws-problems.ts';

/** A stack of Changewire on AWS. */
export interface Stack {
  readonly stackName: string;
  readonly region: string;
  /** By default, those that the AWS CLI would use. */
  readonly credentials?: LambdaClientConfig['credentials'];
  /** Of an emulator; by default Lambda's own. */
  readonly endpoint?: string;
  readonly clock?: () => number;
}

/** The doctor takes minutes: as long as the function may run, and a little more. */
const PATIENCE_MS = 11 * 60_000;

/** The operations of a deployed stack, answered by its function `operate`. Who asks is found out there, from the credentials: the
 *  caller that is given here counts for nothing.
 *  @throws Refused also when the function can't be asked; the message says what is missing */
export function lambdaOperations(stack: Stack): Operations {
  const { stackName, region, clock = Date.now } = stack;
  // What was done may have been done though no answer came: to do it again is the operator's decision.
  const clients = { look: clientOf(stack, 3), act: clientOf(stack, 1) };
  const functionName = operateFunction(stackName);
  const invoke = async (request: Request, alias: Alias): Promise<InvocationResponse> => {
    const client = clients[alias];
    const sign = () =>
      signIdentity({ region, functionName, request }, client.config.credentials, new Date(clock()));
    const Payload = JSON.stringify({ request, ...(alias === 'act' && { identity: await sign() }) });
    // As part of the name, not beside it: both are the same to Lambda, and not to every emulator.
    return client.send(new InvokeCommand({ FunctionName: `${functionName}:${alias}`, Payload }));
  };
  return async given => {
    const request = JSON.parse(JSON.stringify(given)) as Request;
    const alias = isLook(request) ? 'look' : 'act';
    const asked = { functionName, alias, region, stackName } as const;
    const response = await invoke(request, alias).catch((error: unknown) => {
      throw unanswered(error, asked);
    });
    return answerOf(response, asked);
  };
}

function clientOf({ region, credentials, endpoint }: Stack, maxAttempts: number): LambdaClient {
  return new LambdaClient({
    region,
    ...(credentials !== undefined && { credentials }),
    ...(endpoint !== undefined && { endpoint }),
    requestHandler: { connectionTimeout: 5_000, requestTimeout: PATIENCE_MS, throwOnRequestTimeout: true },
    maxAttempts,
  });
}

function answerOf({ FunctionError, Payload }: InvocationResponse, asked: Asked) {
  const text = Buffer.from(Payload ?? []).toString();
  if (FunctionError !== undefined) throw unanswered(new Error(failure(text)), asked);
  const said = reply.parse(JSON.parse(text));
  if ('refused' in said) throw new Refused(said.refused, said);
  // The other end made it by the same schema, and versions may differ: what is new there is no reason to fail.
  return said.answer as never;
}

/** What the function threw, as the runtime tells it. */
function failure(text: string): string {
  try {
    const { errorMessage } = JSON.parse(text) as { errorMessage?: unknown };
    return String(errorMessage ?? text).slice(0, 1_000);
  } catch {
    return text.slice(0, 1_000);
  }
}
