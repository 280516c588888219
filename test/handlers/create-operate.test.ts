import { describe, expect, test } from 'vitest';
import { createOperate } from '../../functions/handlers/create-operate.ts';
import type { Caller, Operations } from '../../functions/operations/operations.ts';
import { actRequests } from '../../functions/operations/protocol/requests.ts';
import { Refused } from '../../functions/operations/refused.ts';

const ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:Changewire-operate';
const identity = { authorization: 'AWS4-HMAC-SHA256 …', date: '20260304T050607Z' };
const look = { operation: 'endpoint', endpoint: 'shop' };
const act = { operation: 'pause-endpoint', endpoint: 'shop' };
const refused = (why: RegExp) => ({ refused: expect.stringMatching(why) });

function operateWith(
  operations: (asked: never, caller: Caller) => Promise<unknown> = async asked => ({ did: asked }),
) {
  const calls: Caller[] = [];
  const verified: unknown[] = [];
  const logged: object[] = [];
  const note = (message: string, details?: object) => void logged.push({ message, ...details });
  const operate = createOperate({
    operations: (async (asked: never, caller: Caller) => {
      calls.push(caller);
      return operations(asked, caller);
    }) as unknown as Operations,
    whoCalls: async request => {
      verified.push(request);
      return { who: 'arn:aws:iam::1:user/anna', isProven: true };
    },
    log: { info: note, warn: note, error: note },
  });
  const ask = (event: unknown, alias?: string) =>
    operate(event, { invokedFunctionArn: alias === undefined ? ARN : `${ARN}:${alias}` });
  return { ask, calls, verified, logged };
}

describe('the front door on AWS', () => {
  test('answers who may look', async () => {
    const { ask, verified } = operateWith();
    expect(await ask({ request: look }, 'look')).toEqual({ answer: { did: look } });
    expect(verified).toEqual([]);
  });

  const acts = actRequests.map(({ shape }) => shape.operation.value);
  test.each(acts)('refuses who may only look to act: %s', async operation => {
    const { ask, calls } = operateWith();
    // Whatever else stands in it: that it acts is enough.
    const asked = { ...anything(operation), operation };
    const refusal = refused(/^Read-only access.*ActPolicyArn/);
    expect(await ask({ request: asked, identity }, 'look')).toMatchObject(refusal);
    expect(calls).toEqual([]);
  });

  test('has who may act look as well, and act as who they are', async () => {
    const { ask, calls, verified, logged } = operateWith();
    expect(await ask({ request: look }, 'act')).toHaveProperty('answer');
    expect(await ask({ request: act, identity }, 'act')).toHaveProperty('answer');
    expect(verified).toEqual([act]);
    expect(calls[1]).toEqual({ who: 'arn:aws:iam::1:user/anna', isProven: true });
    expect(logged).toMatchObject([{ operation: 'pause-endpoint', who: 'arn:aws:iam::1:user/anna' }]);
  });

  test('refuses to act for who does not say who they are', async () => {
    const { ask, calls } = operateWith();
    expect(await ask({ request: act }, 'act')).toMatchObject(refused(/identity of the caller/));
    expect(calls).toEqual([]);
  });

  test.each([undefined, '$LATEST', '1', 'LOOK'])('refuses everything without an alias: %s', async alias => {
    const { ask, calls } = operateWith();
    for (const request of [look, act])
      expect(await ask({ request, identity }, alias)).toMatchObject(refused(/alias/));
    expect(calls).toEqual([]);
  });

  test.each([
    undefined,
    null,
    {},
    { request: { operation: 'drop-table' } },
    { request: { ...look, more: 'sesame' } },
    { request: look, caller: 'root' },
    { request: { ...look, endpoint: 1 } },
  ])('refuses what is no request of this version, without quoting it: %j', async event => {
    const { ask } = operateWith();
    const said = (await ask(event, 'act')) as { refused: string; isUsage: boolean };
    expect(said.isUsage).toBe(true);
    expect(said.refused).not.toMatch(/sesame|root|drop-table/);
  });

  test('tells why something can not be done, and whether the request itself was at fault', async () => {
    const { ask } = operateWith(async () => {
      throw new Refused('No such endpoint.', { isUsage: true });
    });
    expect(await ask({ request: look }, 'look')).toEqual({ refused: 'No such endpoint.', isUsage: true });
  });

  test('fails with what is no refusal, so that Lambda counts and logs it', async () => {
    const { ask } = operateWith(async () => {
      throw new Error('a defect');
    });
    await expect(ask({ request: look }, 'look')).rejects.toThrow('a defect');
  });

  test('answers with a shorter page when a whole one is more than Lambda can give', async () => {
    const limits: (number | undefined)[] = [];
    const entry = 'x'.repeat(200_000);
    const { ask } = operateWith(async ({ limit }: { limit?: number }) => {
      limits.push(limit);
      return { events: Array.from({ length: limit ?? 100 }, () => entry), cursor: 'more' };
    });
    const { answer } = (await ask({ request: { operation: 'events' } }, 'look')) as never as {
      answer: { events: string[] };
    };
    expect(limits).toEqual([undefined, 50, 25]);
    expect(answer.events).toHaveLength(25);
  });

  test('says so when a single entry is more than Lambda can give', async () => {
    const { ask } = operateWith(async () => ({ event: 'x'.repeat(6_000_000) }));
    const asked = { request: { operation: 'trace', eventId: 'e' } };
    expect(await ask(asked, 'look')).toMatchObject(refused(/6 MB/));
  });
});

/** Enough for every schema; what is too much is taken out. */
function anything(operation: string): object {
  const schema = actRequests.find(({ shape }) => shape.operation.value === operation);
  const all = {
    ...{ endpoint: 'shop', kind: 'webhook', url: 'https://receiver.example.com', eventId: 'e', to: 'shop' },
    ...{ since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z', process: 'p', mode: 'sweep' },
    ...{ queue: 'unsettled', project: 'p.1' },
  };
  return Object.fromEntries(Object.entries(all).filter(([key]) => key in (schema?.shape ?? {})));
}
