import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { askWith, Disconnected, NotAllowed, Refusal } from '../../console/state/api.ts';
import { seal, unseal } from '../../local/operate/seal.ts';

const TOKEN = 'a-token-of-a-run';
const NEXT = 'the-token-of-the-next-run';
const HTML = { 'content-type': 'text/html' };

/** What answers at the address of the page: a sealed answer for each token that it knows. */
type Listener = Record<string, object> | ((body: Uint8Array<ArrayBuffer>) => Response);

/** A page that was opened with `TOKEN`, and what is on the wire. */
function opened(...listeners: readonly Listener[]) {
  const [kept, wire]: [string[], string[]] = [[], []];
  const send = (async (url: string, { body, ...init }: RequestInit) => {
    const sealed = body as Uint8Array<ArrayBuffer>;
    const listener = listeners[Math.min(wire.length, listeners.length - 1)] ?? {};
    wire.push(`${url} ${JSON.stringify(init)} ${Buffer.from(sealed).toString('latin1')}`);
    if (typeof listener === 'function') return listener(sealed);
    for (const [token, answer] of Object.entries(listener))
      if ((await unseal(token, sealed)) !== undefined)
        return new Response(await seal(token, JSON.stringify(answer), sealed));
    return Response.json({ error: 'It takes the token of this run.' }, { status: 401 });
  }) as typeof fetch;
  return { kept, wire, ask: askWith(TOKEN, send, token => kept.push(token)) };
}

describe('asking who serves the page', () => {
  it('sends the request sealed, and gives the answer', async () => {
    const { wire, ask } = opened(body => new Response(body));
    await ask({ operation: 'status' }).catch(() => undefined);
    expect(wire).toEqual([expect.stringMatching(/^\/operations \{"method":"POST",/)]);
    for (const secret of [TOKEN, 'status']) expect(wire[0]).not.toContain(secret);
    const answer = { deployment: 'run' };
    expect(await opened({ [TOKEN]: { answer } }).ask({ operation: 'status' })).toEqual(answer);
  });

  it.each([
    [{ refused: 'It is paused.', isUsage: false }, 'It is paused.'],
    [{ reply: 1 }, 'Unknown response: reload this page.'],
    [[], 'Unknown response: reload this page.'],
  ])('tells what %j means', async (answer, message) => {
    const answered = opened({ [TOKEN]: answer }).ask({ operation: 'status' });
    await expect(answered).rejects.toBeInstanceOf(Refusal);
    await expect(answered).rejects.toMatchObject({ message });
  });

  it('says that nobody answers, unless it was ended', async () => {
    const failing = () => {
      throw new TypeError('Failed to fetch');
    };
    const ending = new AbortController();
    const { ask } = opened(failing);
    await expect(ask({ operation: 'status' }, ending.signal)).rejects.toBeInstanceOf(Disconnected);
    ending.abort();
    await expect(ask({ operation: 'status' }, ending.signal)).rejects.toBeInstanceOf(TypeError);
  });

  it('ends a request to read that gets no answer, but not one that may take long', async () => {
    const expired = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    onTestFinished(() => expired.mockRestore());
    const send = async (_: unknown, { signal }: RequestInit = {}) => {
      signal?.throwIfAborted();
      return new Response();
    };
    const ask = askWith(TOKEN, send as typeof fetch, () => undefined);
    await expect(ask({ operation: 'status' })).rejects.toBeInstanceOf(Disconnected);
    await expect(ask({ operation: 'doctor', process: 'launch' })).rejects.toBeInstanceOf(NotAllowed);
  });

  it.each([
    ['a reverse proxy while Changewire does not run', { status: 502 }, Disconnected],
    ['a reverse proxy that wants a sign-in', { status: 401, headers: HTML }, Disconnected],
    ['a reverse proxy that cannot check the sign-in', { status: 500, headers: HTML }, Disconnected],
    ['a reverse proxy that got too many requests', { status: 429 }, Disconnected],
    ['a page to sign in, to which a reverse proxy redirected', { headers: HTML }, Disconnected],
    ['the server, to a filter that is too long', { status: 413 }, Refusal],
    ['the server, which does not know the token', { status: 401 }, NotAllowed],
    ['the server, to an address that it does not allow', { status: 403 }, Refusal],
  ])('knows the answer of %s', async (_, init, kind) => {
    const { ask } = opened(() => new Response('Why.', init));
    await expect(ask({ operation: 'status' })).rejects.toBeInstanceOf(kind);
  });

  it('goes on with the token of the run that came since, and keeps it', async () => {
    const [first, next] = [{ answer: 1 }, { [TOKEN]: { token: NEXT }, [NEXT]: { answer: 2 } }];
    const { kept, wire, ask } = opened({ [TOKEN]: first }, next);
    expect(await ask({ operation: 'status' })).toBe(1);
    expect(await Promise.all([ask({ operation: 'status' }), ask({ operation: 'status' })])).toEqual([2, 2]);
    expect(await ask({ operation: 'status' })).toBe(2);
    expect(new Set(kept)).toEqual(new Set([NEXT]));
    expect(wire).toHaveLength(6);
  });

  it.each<[string, Listener]>([
    ['an answer without a seal', () => Response.json({ answer: {} })],
    ['a token without a seal', () => Response.json({ token: NEXT })],
    ['the request itself', body => new Response(body)],
    ['nothing', () => new Response()],
    ['an answer of another run', { [NEXT]: { answer: {} } }],
  ])('trusts no program on its port that answers with %s, and tells it nothing', async (_, stranger) => {
    const { kept, wire, ask } = opened({ [TOKEN]: { answer: 1 } }, stranger);
    await ask({ operation: 'status' });
    await expect(ask({ operation: 'pause-endpoint', endpoint: 'crm' })).rejects.toBeInstanceOf(NotAllowed);
    expect([kept, wire.length]).toEqual([[], 2]);
    for (const secret of [TOKEN, 'pause-endpoint']) expect(wire[1]).not.toContain(secret);
  });
});
