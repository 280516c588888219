import {
  type InvocationResponse,
  InvokeCommand,
  LambdaClient,
  type LambdaClientConfig,
} from '@aws-sdk/client-lambda';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { parseAnswer } from '../../functions/basics/json.ts';
import type { Operations } from '../../functions/operations/operations.ts';
import { isLook, isPull, type Request, reply } from '../../functions/operations/protocol/requests.ts';
import { Refused } from '../../functions/operations/refused.ts';
import {
  type Alias,
  headersOf,
  operateFunction,
  type SignedIdentity,
  WHO_AM_I,
} from '../../functions/operations/stack/identity.ts';
import { type Asked, unanswered } from './aws-problems.ts';
import type { Connection, Place } from './connection.ts';
import { regionOf } from './region.ts';

/** A stack of Changewire on AWS. */
export interface Stack {
  readonly stackName: string;
  readonly region: string;
  /** By default, the credentials that the AWS CLI would use. */
  readonly credentials?: LambdaClientConfig['credentials'];
  /** The address of an emulator; by default Lambda's own. */
  readonly endpoint?: string;
  readonly clock?: () => number;
}

/** Longer than the timeout of the function, which the doctor may use up. */
const ANSWER_TIMEOUT_MS = 11 * 60_000;

/** The operations of a deployed stack, answered by its function `operate`. The function identifies the caller
 *  by the credentials; the caller that is given here is ignored.
 *  @throws Refused also if the function cannot be invoked; the message contains a remedy */
export function lambdaOperations(stack: Stack): Operations {
  const { stackName, region, clock = Date.now } = stack;
  // Only a read is retried. An action may have been performed although the response was lost.
  const clients = { look: clientOf(stack, 3), act: clientOf(stack, 1), pull: clientOf(stack, 1) };
  const functionName = operateFunction(stackName);
  const invoke = async (request: Request, alias: Alias): Promise<InvocationResponse> => {
    const client = clients[alias];
    const sign = () =>
      signIdentity({ region, functionName, request }, client.config.credentials, new Date(clock()));
    const Payload = JSON.stringify({ request, ...(alias === 'act' && { identity: await sign() }) });
    // The alias is part of the name, not a `Qualifier`: both are the same to Lambda, but not to every
    // emulator.
    return client.send(new InvokeCommand({ FunctionName: `${functionName}:${alias}`, Payload }));
  };
  return async given => {
    const request = JSON.parse(JSON.stringify(given)) as Request;
    const alias = isLook(request) ? 'look' : isPull(request) ? 'pull' : 'act';
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
    requestHandler: {
      connectionTimeout: 5_000,
      requestTimeout: ANSWER_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
    maxAttempts,
  });
}

function answerOf({ FunctionError, Payload }: InvocationResponse, asked: Asked) {
  const text = Buffer.from(Payload ?? []).toString();
  if (FunctionError !== undefined) throw unanswered(new Error(failure(text)), asked);
  const answered = reply.parse(parseAnswer(text));
  if ('refused' in answered) throw new Refused(answered.refused, answered);
  // Not validated: a newer version of the function may have added fields.
  return answered.answer as never;
}

/** The error that the function threw, as the Lambda runtime reports it. */
function failure(text: string): string {
  try {
    const { errorMessage } = JSON.parse(text) as { errorMessage?: unknown };
    return String(errorMessage ?? text).slice(0, 1_000);
  } catch {
    return text.slice(0, 1_000);
  }
}

/** Connects to a stack's function `operate`, which identifies the caller by the credentials. */
export function openStack(stackName: string, place: Place): Connection {
  const operations = lambdaOperations({ stackName, region: regionOf(place) });
  const caller = { who: 'the caller of the function', isProven: false };
  return { ask: request => operations(request, caller), close: async () => undefined };
}

/** The caller's credentials, or a provider of them. */
type Credentials = ConstructorParameters<typeof SignatureV4>[0]['credentials'];

/** Signs the caller's identity, for `createWhoCalls` to verify. The key's secret does not leave this machine, and
 *  the signature is of no use for another request. */
export async function signIdentity(
  asking: Parameters<typeof headersOf>[0],
  credentials: Credentials,
  at: Date,
): Promise<SignedIdentity> {
  const { region } = asking;
  // The checksum would be one more header, for a body that is constant.
  const signer = new SignatureV4({
    ...{ credentials, region, service: 'sts', sha256: Sha256, applyChecksum: false },
  });
  const request = {
    ...{ method: 'POST', protocol: 'https:', path: '/', query: {} },
    hostname: headersOf(asking).host ?? '',
    headers: headersOf(asking),
    body: WHO_AM_I,
  };
  const { headers } = await signer.sign(request, { signingDate: at });
  const token = headers['x-amz-security-token'];
  return {
    authorization: headers.authorization ?? '',
    date: headers['x-amz-date'] ?? '',
    ...(token !== undefined && { token }),
  };
}
