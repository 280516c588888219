import type { Server } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { signIdentity } from '../../cli/connect/stack.ts';
import { createWhoCalls } from '../../functions/handlers/create-operate.ts';
import { Refused } from '../../functions/operations/refused.ts';
import {
  headersOf,
  type SignedIdentity,
  signedIdentity,
  stsHost,
  WHO_AM_I,
} from '../../functions/operations/stack/identity.ts';
import { ARN, CREDENTIALS, REGION, type Sts, startSts } from '../kit/operations/stack/fake-sts.ts';

const NOW = Date.parse('2026-03-04T05:06:07Z');
const request = { operation: 'pause-endpoint', endpoint: 'shop' };
const asking = { region: REGION, functionName: 'Changewire-operate', request };

const signed = (over: Partial<typeof asking> = {}, at = NOW, credentials: object = CREDENTIALS) =>
  signIdentity({ ...asking, ...over }, credentials as typeof CREDENTIALS, new Date(at));

async function ask(identity: SignedIdentity, of: unknown = request, sts?: Sts) {
  const logged: unknown[] = [];
  const note = (message: string, details?: object) => void logged.push(message, details);
  const whoCalls = createWhoCalls({
    ...{ region: REGION, functionName: 'Changewire-operate', sts: (sts ?? (await startSts())).url },
    clock: () => NOW,
    log: { info: note, warn: note, error: note },
  });
  return { caller: await whoCalls(of, identity), logged };
}

describe('who asks', () => {
  test('signs temporary credentials with their token', async () => {
    const identity = await signed({}, NOW, { ...CREDENTIALS, sessionToken: 'token' });
    expect(identity.token).toBe('token');
    const { caller } = await ask(identity);
    expect(caller).toEqual({ who: ARN, isProven: true });
  });

  test.each([
    ['another request', { request: { operation: 'pause-endpoint', endpoint: 'other' } }],
    ['another function', { functionName: 'Other-operate' }],
  ])('is refused when %s was signed', async (_name, over) => {
    await expect(ask(await signed(over))).rejects.toThrow(/SignatureDoesNotMatch/);
  });

  test('is refused with a key that AWS does not know', async () => {
    const identity = await signed({}, NOW, { ...CREDENTIALS, secretAccessKey: 'guessed' });
    await expect(ask(identity)).rejects.toThrow(Refused);
  });

  test.each([
    ['a minute ago', -60_000, true],
    ['in a minute, by a clock that is ahead', 60_000, true],
    ['six minutes ago', -360_000, false],
    ['in six minutes', 360_000, false],
  ])('may have signed it %s: %s', async (_name, ms, isAllowed) => {
    const asked = ask(await signed({}, NOW + ms));
    if (isAllowed) expect((await asked).caller.isProven).toBe(true);
    else await expect(asked).rejects.toThrow(/5 minutes/);
  });

  test.each<[string, (identity: SignedIdentity) => Partial<SignedIdentity>, RegExp?]>([
    ['without the header that names the function', without('x-changewire-function')],
    ['without the header that names the request', without('x-changewire-request')],
    ['without the host', without('host')],
    ['without the date', without('x-amz-date')],
    ['for another service', withOther('/sts/', '/s3/')],
    ['for another region', withOther(`/${REGION}/`, '/us-east-1/')],
    ['for another day', withOther('/20260304/', '/20260303/')],
    ['by another algorithm', withOther('AWS4-HMAC-SHA256', 'AWS4-ECDSA-P256-SHA256')],
    ['with a second header', withOther('AWS4', 'AWS4\r\nx-more: 1\r\n')],
    ...['20260399T050607Z', '20260304T990607Z'].map(
      (date): [string, (identity: SignedIdentity) => Partial<SignedIdentity>, RegExp] => [
        `at ${date}, which there is not`,
        identity => ({ date, ...withOther('/20260304/', `/${date.slice(0, 8)}/`)(identity) }),
        /5 minutes/,
      ],
    ),
  ])('is refused without asking STS when it was signed %s', async (_name, change, reason = /not signed/) => {
    const sts = await startSts();
    const identity = await signed();
    const changed = { ...identity, ...change(identity) };
    expect(changed).not.toEqual(identity);
    await expect(ask(changed, request, sts)).rejects.toThrow(reason);
    expect(sts.asked).toBe(0);
  });

  test.each([
    ['fails', 500, '<Code>InternalFailure</Code>'],
    ['is away', 503, ''],
    ['is throttled', 400, '<Code>Throttling</Code>'],
    ['is throttled, by its status', 429, ''],
  ])('is taken on trust, and that is said, while STS %s', async (_name, status, text) => {
    const sts = await startSts();
    sts.answer(status, text);
    const { caller, logged } = await ask(await signed(), request, sts);
    expect(caller).toEqual({ who: 'access key AKIDEXAMPLE', isProven: false });
    expect(logged[0]).toMatch(/Could not verify the caller/);
  });

  test.each([
    ['refuses a connection', (server: Server) => void server.close().closeAllConnections()],
    ['resets a connection', (server: Server) => void server.on('connection', socket => socket.destroy())],
    ['gives no answer in time', () => vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort())],
  ])('is taken on trust while STS %s', async (_name, fail) => {
    const sts = await startSts();
    fail(sts.server);
    onTestFinished(() => void vi.restoreAllMocks());
    expect((await ask(await signed(), request, sts)).caller.isProven).toBe(false);
  });

  test.each([
    [403, 'ExpiredToken', undefined],
    [400, 'IncompleteSignature', undefined],
    [413, '413', ''],
    [431, '431', ''],
    [302, '302', ''],
    [200, '200', '<html>a proxy</html>'],
    [200, 'the answer is too long', `<Arn>${ARN}</Arn>${'x'.repeat(100_000)}`],
  ])('is refused: STS answers %i: %s', async (status, code, text = `<Error><Code>${code}</Code></Error>`) => {
    const sts = await startSts();
    sts.answer(status, text);
    await expect(ask(await signed(), request, sts)).rejects.toThrow(
      `AWS did not confirm your identity (${code})`,
    );
  });

  test.each(['x\n', 'x\u{1f600}'])('is refused with a token that no header can have: %j', async token => {
    const sts = await startSts();
    const identity = await signed({}, NOW, { ...CREDENTIALS, sessionToken: 'token' });
    expect(signedIdentity.safeParse(identity).success).toBe(true);
    expect(signedIdentity.safeParse({ ...identity, token }).success).toBe(false);
    await expect(ask({ ...identity, token }, request, sts)).rejects.toThrow(/ERR_INVALID_CHAR/);
    expect(sts.asked).toBe(0);
  });

  test('can have no token of more than 8,192 characters, for which a server may reset the connection', async () => {
    const identity = await signed();
    const [longest, longer] = [8192, 8193].map(length => ({ ...identity, token: 'x'.repeat(length) }));
    expect(signedIdentity.safeParse(longest).success).toBe(true);
    expect(signedIdentity.safeParse(longer).success).toBe(false);
  });

  test('can do nothing with what it hands over but say who they are', async () => {
    expect(WHO_AM_I).toBe('Action=GetCallerIdentity&Version=2011-06-15');
    expect(headersOf(asking).host).toBe('sts.eu-central-1.amazonaws.com');
    expect(stsHost('cn-north-1')).toBe('sts.cn-north-1.amazonaws.com.cn');
    expect(JSON.stringify(await signed())).not.toContain('secret');
  });
});

function withOther(was: string | RegExp, is: string) {
  return ({ authorization }: SignedIdentity) => ({ authorization: authorization.replace(was, is) });
}

function without(header: string) {
  return withOther(new RegExp(`${header};|;${header}(?=,)`), '');
}
