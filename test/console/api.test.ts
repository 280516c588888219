import { describe, expect, it } from 'vitest';
import { askWith, Disconnected, NotAllowed, Refusal } from '../../console/api.ts';

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
});
