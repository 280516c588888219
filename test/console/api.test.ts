import { describe, expect, it } from 'vitest';
import { askWith, Disconnected, NotAllowed, Refusal } from '../../console/state/api.ts';
import { proofOf } from '../../local/operate/address.ts';

const TOKEN = 'a-token-of-a-run';

/** Asks of a server that answers so. */
function asked(status: number, body: string) {
  const sent: { url: string; init: RequestInit | undefined }[] = [];
  const send = (async (url: string, init?: RequestInit) => {
    sent.push({ url, init });
    return new Response(body, { status });
  }) as typeof fetch;
  return { sent, answer: askWith(TOKEN, send)({ operation: 'status' }) };
}

describe('asking who serves the page', () => {
  it('sends the request with the token, and gives the answer', async () => {
    const { sent, answer } = asked(200, '{"answer":{"house":"run"}}');
    expect(await answer).toEqual({ house: 'run' });
    expect(sent).toMatchObject([
      {
        url: '/operations',
        init: {
          method: 'POST',
          headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
          body: '{"operation":"status"}',
        },
      },
    ]);
  });

  it.each([
    [409, '{"refused":"It is paused.","isUsage":false}', Refusal, 'It is paused.'],
    [400, '{"refused":"limit: too large","isUsage":true}', Refusal, 'limit: too large'],
    [500, '{"error":"This failed in the run."}', Refusal, 'This failed in the run.'],
    [401, '{"error":"It takes the token."}', NotAllowed, 'It takes the token.'],
    [403, '{"error":"Ask 127.0.0.1."}', NotAllowed, 'Ask 127.0.0.1.'],
    [200, '{"reply":1}', Refusal, 'The answer is none that this page knows: reload it.'],
    [200, '[]', Refusal, 'The answer is none that this page knows: reload it.'],
    [200, '{"answer":', Disconnected, 'The answer broke off.'],
  ])('tells what %i with %s means', async (status, body, kind, message) => {
    const error: unknown = await asked(status, body).answer.catch(thrown => thrown);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ message });
  });

  it('says that nobody answers, unless it was ended', async () => {
    const send = (async () => {
      throw new TypeError('Failed to fetch');
    }) as typeof fetch;
    const ending = new AbortController();
    const ask = askWith(TOKEN, send);
    await expect(ask({ operation: 'status' }, ending.signal)).rejects.toBeInstanceOf(Disconnected);
    ending.abort();
    await expect(ask({ operation: 'status' }, ending.signal)).rejects.toBeInstanceOf(TypeError);
  });

  /** A server that goes away after its first answer, and what listens there then. */
  function afterwards(next: (url: string) => unknown) {
    const sent: string[] = [];
    const send = (async (url: string, init?: RequestInit) => {
      sent.push(`${init?.method ?? 'GET'} ${url.split('?')[0]} ${JSON.stringify(init?.headers ?? {})}`);
      if (sent.length === 1) return new Response('{"answer":{}}');
      if (sent.length === 2) throw new TypeError('Failed to fetch');
      return new Response(JSON.stringify(next(url)));
    }) as typeof fetch;
    return { sent, ask: askWith(TOKEN, send) };
  }

  it('goes on with the run that comes back, once it has proved that it knows the token', async () => {
    const { sent, ask } = afterwards(url => {
      const challenge = new URL(url, 'http://here').searchParams.get('challenge');
      return challenge === null ? { answer: { house: 'run' } } : { proof: proofOf(TOKEN, challenge) };
    });
    await ask({ operation: 'status' });
    await expect(ask({ operation: 'status' })).rejects.toBeInstanceOf(Disconnected);
    expect(await ask({ operation: 'status' })).toEqual({ house: 'run' });
    expect(await ask({ operation: 'status' })).toEqual({ house: 'run' });
    expect(sent.map(one => one.split(' ')[0])).toEqual(['POST', 'POST', 'GET', 'POST', 'POST']);
  });

  it.each([[{ proof: 'x'.repeat(43) }], [{}], [null]])(
    'tells the token to nobody who answers %j there instead',
    async answer => {
      const { sent, ask } = afterwards(() => answer);
      await ask({ operation: 'status' });
      await expect(ask({ operation: 'status' })).rejects.toBeInstanceOf(Disconnected);
      await expect(ask({ operation: 'status' })).rejects.toBeInstanceOf(NotAllowed);
      expect(sent.slice(2).join()).not.toContain(TOKEN);
      expect(sent.slice(2)).toHaveLength(1);
    },
  );
});
