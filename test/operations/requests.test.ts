import { describe, expect, it } from 'vitest';
import type { Operations } from '../../functions/operations/operations.ts';
import { answerRequest } from '../../functions/operations/operations.ts';
import { isLook, reply, request } from '../../functions/operations/protocol/requests.ts';
import { Refused } from '../../functions/operations/refused.ts';

const CALLER = { who: 'ann', isProven: true };
const unasked: Operations = () => Promise.reject(new Error('nobody should have been asked'));
const refusedOf = async (asked: unknown) => {
  const answer = reply.parse(await answerRequest(unasked, asked, CALLER));
  if (!('refused' in answer)) throw new Error('it was answered');
  return answer;
};

describe('a request that came over a wire', () => {
  it('is handed on as it is, with who asks, and what is answered comes back', async () => {
    const asked = { operation: 'events', limit: 3, since: '2026-11-21T09:00:00+01:00' } as const;
    const operations = (async (...all: unknown[]) => ({ all })) as unknown as Operations;
    expect(await answerRequest(operations, asked, CALLER)).toEqual({ answer: { all: [asked, CALLER] } });
  });

  it('that is refused says why', async () => {
    const refusing: Operations = () => Promise.reject(new Refused('Not now.'));
    const asked = { operation: 'status' };
    expect(await answerRequest(refusing, asked, CALLER)).toEqual({ refused: 'Not now.', isUsage: false });
    const usage: Operations = () => Promise.reject(new Refused('Not so.', { isUsage: true }));
    expect(await answerRequest(usage, asked, CALLER)).toEqual({ refused: 'Not so.', isUsage: true });
  });

  it('that meets a defect of ours fails with it', async () => {
    const failing: Operations = () => Promise.reject(new RangeError('a defect'));
    await expect(answerRequest(failing, { operation: 'status' }, CALLER)).rejects.toThrow('a defect');
  });

  it('may name as many addresses of mails as an endpoint has, each as long as it can be', async () => {
    const to = Array(50)
      .fill(`${'a'.repeat(64)}@${'b'.repeat(189)}`)
      .join(', ');
    const operations = (async () => ({})) as unknown as Operations;
    const asked = { operation: 'update-endpoint', endpoint: 'team', to };
    expect(await answerRequest(operations, asked, CALLER)).toEqual({ answer: {} });
  });

  it.each<[asked: unknown, message: RegExp]>([
    [{ operation: 'events', limit: 0 }, /^limit: too small/],
    [{ operation: 'events', limit: 1.5 }, /^limit: invalid input: expected int/],
    [
      { operation: 'events', since: 'yesterday' },
      /^since: a time with its zone, such as 2026-11-21T09:00:00Z$/,
    ],
    [{ operation: 'events', order: 'random' }, /^order: invalid option: expected one of "newest-first"/],
    [{ operation: 'endpoint' }, /^endpoint: invalid input: expected string, received undefined$/],
    [{ operation: 'endpoint', endpoint: 'x'.repeat(101) }, /^endpoint: too big/],
    [
      { operation: 'endpoint', endpont: 'crm' },
      /endpoint has an unknown key; allowed keys: endpoint\. Did you mean endpoint\?/,
    ],
    [{ operation: 'status', a: 1, b: 2 }, /^status has 2 unknown keys; allowed keys: cursor, limit\.$/],
    [{ operation: 'event' }, /^operation: one of status, events, .*\. Did you mean events\?$/],
    [{ operation: 7 }, /^operation: one of status,/],
    [{}, /^operation: one of status,/],
    [{ operation: 'actions', endpoint: 'a', process: 'b' }, /^endpoint: an endpoint or a process, not both$/],
    [{ operation: 'replay', to: 'crm', since: 'x', until: 'y' }, /^since: .*\nuntil: a time with its zone/],
    ...[null, undefined, 'status', 7, [], true].map((asked): [unknown, RegExp] => [
      asked,
      /^(operation: one of|A request is)/,
    ]),
  ])('%j says which key is wrong, and what is allowed', async (asked, message) => {
    const { refused, isUsage } = await refusedOf(asked);
    expect(refused).toMatch(message);
    expect(isUsage).toBe(true);
  });

  it.each([65, 60_000])('is refused with more than 64 levels of nesting: %i', async levels => {
    const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown;
    const request = { operation: 'update-endpoint', endpoint: 'crm' };
    const asked = (depth: number) => ({ ...request, filter: nested(depth) });
    const refused = 'A request has at most 64 levels of nesting.';
    expect(await refusedOf(asked(levels - 1))).toEqual({ refused, isUsage: true });
    const operations = (async () => ({})) as unknown as Operations;
    expect(await answerRequest(operations, asked(63), CALLER)).toEqual({ answer: {} });
  });

  it('invariant 10: is not quoted when it is refused', async () => {
    const secret = 'whsec_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4';
    const add = { operation: 'add-endpoint', endpoint: 'crm' };
    for (const asked of [
      secret,
      { [secret]: 1 },
      { operation: secret },
      { operation: 'endpoint', [secret]: 1 },
      { operation: 'endpoint', endpoint: secret.repeat(9) },
      { operation: 'events', since: secret, order: secret, limit: secret, types: [[secret]] },
      { ...add, kind: secret, url: [secret], secrets: { [secret]: secret } },
      { operation: 'rotate-secret', endpoint: 'crm', secret: [secret] },
    ])
      expect((await refusedOf(asked)).refused).not.toContain(secret.slice(6, 14));
  });
});

describe('the requests', () => {
  it('are all known as looks or as acts', () => {
    const names = request.options.map(({ shape }) => shape.operation.value);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter(operation => isLook({ operation }))).toEqual([
      ...[
        'status',
        'events',
        'trace',
        'record',
        'endpoints',
        'endpoint',
        'attempts',
        'dead-letters',
        'preview',
      ],
      ...['actions', 'definitions', 'doctor', 'verify', 'logs', 'failed-messages'],
    ]);
    // Whatever is added, or comes from elsewhere, may do something.
    expect(isLook({ operation: 'another' as 'status' })).toBe(false);
  });
});
