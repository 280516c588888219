import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { lambdaOperations, type Stack } from '../../cli/connect/stack.ts';
import { createWhoCalls } from '../../functions/handlers/create-operate.ts';
import type { Request } from '../../functions/operations/protocol/requests.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { listenInTest } from '../kit/listen-in-test.ts';
import { ARN, CREDENTIALS, REGION, startSts } from '../kit/operations/stack/fake-sts.ts';

const NOW = Date.parse('2026-03-04T05:06:07Z');
const caller = { who: 'nobody', isProven: false };
const look: Request = { operation: 'endpoint', endpoint: 'shop' };
const act: Request = { operation: 'pause-endpoint', endpoint: 'shop' };

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
}

/** Lambda's side of an invocation. */
async function startLambda(answer: Answer | 'hangs up') {
  const asked: { path: string; payload: { request: unknown; identity?: never } }[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const payload = JSON.parse((await incoming.toArray()).join(''));
    asked.push({ path: decodeURIComponent(incoming.url ?? ''), payload });
    if (answer === 'hangs up') incoming.socket.destroy();
    else outgoing.writeHead(answer.status ?? 200, answer.headers).end(JSON.stringify(answer.body));
  });
  const { url: endpoint } = await listenInTest(server);
  return { asked, endpoint };
}

function operationsAt(endpoint: string, over: Partial<Stack> = {}) {
  const stack = { stackName: 'Changewire', region: REGION, credentials: CREDENTIALS, endpoint };
  return lambdaOperations({ ...stack, clock: () => NOW, ...over });
}

const refusedWith = (type: string, status: number): Answer => ({
  status,
  headers: { 'x-amzn-errortype': type },
  body: { Message: 'The security token included in the request is expired.' },
});

async function problem(answer: Answer | 'hangs up', asked: Request): Promise<Refused> {
  const { endpoint } = await startLambda(answer);
  const error = await operationsAt(endpoint)(asked, caller).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Refused);
  return error as Refused;
}

describe('asking a stack', () => {
  test('to look goes to the alias for looking, and says nothing of who asks', async () => {
    const { asked, endpoint } = await startLambda({ body: { answer: { name: 'shop' } } });
    expect(await operationsAt(endpoint)(look, caller)).toEqual({ name: 'shop' });
    const path = '/2015-03-31/functions/Changewire-operate:look/invocations';
    expect(asked).toEqual([{ path, payload: { request: look } }]);
  });

  test('to act goes to the alias for acting, with an identity that STS confirms', async () => {
    const { asked, endpoint } = await startLambda({ body: { answer: {} } });
    await operationsAt(endpoint)({ ...act, limit: undefined } as Request, caller);
    const [{ path = '', payload = undefined } = {}] = asked;
    expect(path).toContain('/functions/Changewire-operate:act/');
    const note = () => undefined;
    const whoCalls = createWhoCalls({
      ...{ region: REGION, functionName: 'Changewire-operate', sts: (await startSts()).url },
      ...{ clock: () => NOW, log: { info: note, warn: note, error: note } },
    });
    const known = await whoCalls(payload?.request, payload?.identity as never);
    expect(known).toEqual({ who: ARN, isProven: true });
  });

  test('gives a refusal as one, and says whether the request was at fault', async () => {
    const body = { refused: 'There is no endpoint with this name.', isUsage: true };
    expect(await problem({ body }, look)).toMatchObject({ message: body.refused, isUsage: true });
  });
});

describe('a stack that does not answer', () => {
  test.each<[string, Answer, RegExp]>([
    [
      'is not there',
      refusedWith('ResourceNotFoundException', 404),
      /function Changewire-operate .*does not exist in eu-central-1/,
    ],
    ['denies access', refusedWith('AccessDeniedException', 403), /ActPolicyArn/],
    ['finds the credentials expired', refusedWith('ExpiredTokenException', 403), /expired.*aws sso login/],
    ['does not know the credentials', refusedWith('UnrecognizedClientException', 403), /invalid/],
    ['is throttled', refusedWith('TooManyRequestsException', 429), /nothing was changed/],
    [
      'fails',
      { headers: { 'x-amz-function-error': 'Unhandled' }, body: { errorMessage: 'a defect' } },
      /a defect.*changewire logs operate --since 15m --stack Changewire --region eu-central-1/,
    ],
  ])('says what to do when it %s', async (_name, answer, message) => {
    expect((await problem(answer, act)).message).toMatch(message);
  });

  test('says that both policies are enough to look', async () => {
    const { message } = await problem(refusedWith('AccessDeniedException', 403), look);
    expect(message).toMatch(/LookPolicyArn or ActPolicyArn/);
  });

  test('is asked to act only once, for what was asked may have been done', async () => {
    const { asked, endpoint } = await startLambda('hangs up');
    await expect(operationsAt(endpoint)(act, caller)).rejects.toThrow(/changewire actions/);
    expect(asked).toHaveLength(1);
  });

  test('is asked to look again', async () => {
    const { asked, endpoint } = await startLambda('hangs up');
    await expect(operationsAt(endpoint)(look, caller)).rejects.toThrow(/Could not reach Lambda/);
    expect(asked).toHaveLength(3);
  });

  test('says so when there are no credentials', async () => {
    const { endpoint } = await startLambda({ body: {} });
    const credentials = () =>
      Promise.reject(Object.assign(new Error('Could not load'), { name: 'CredentialsProviderError' }));
    await expect(operationsAt(endpoint, { credentials })(look, caller)).rejects.toThrow(/AWS_PROFILE/);
  });
});
