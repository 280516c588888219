import { describe, expect, it } from 'vitest';
import type { PassRequest } from '../../functions/handlers/create-poll.ts';
import { createPollHandler } from '../../functions/handlers/create-poll.ts';
import { batchOf, messageOf } from '../kit/delivery/setting.ts';

const MESSAGE = { workspace: 'eu', processId: 'onboarding', mode: 'changes', expiresAt: 7 } as const;
const REPORT = { mode: 'changes', outcome: 'completed', projects: 0, commits: 0, events: 0 } as const;
const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 1_000 };

function open(fails?: Error) {
  const polled: PassRequest[] = [];
  const said: object[] = [];
  const aside: [body: string, reason: string][] = [];
  const handler = createPollHandler(
    async (request, given) => {
      expect(given).toBe(context);
      polled.push(request);
      if (fails) throw fails;
      return REPORT;
    },
    async ({ body }, _from, reason) => void aside.push([body, reason]),
    { error: (message, details) => void said.push({ message, ...details }) },
  );
  const serve = (...bodies: string[]) =>
    handler(
      batchOf(
        bodies.map((body, index) => messageOf(`m${index}`, body)),
        'passes',
      ),
      context,
    );
  return { polled, said, aside, serve };
}

describe('the queue of passes', () => {
  it('has the pass made that a message asks for', async () => {
    const { polled, said, serve } = open();
    await serve(JSON.stringify(MESSAGE));
    await serve(JSON.stringify({ ...MESSAGE, isAsked: true }));
    expect(polled).toEqual([MESSAGE, { ...MESSAGE, isAsked: true }]);
    expect(said).toEqual([]);
  });

  it('never gets a message back: a pass that failed has been told, and the next makes up for it', async () => {
    const { polled, said, serve } = open(new Error('service down'));
    await expect(serve(JSON.stringify(MESSAGE))).resolves.toEqual([]);
    expect(polled).toHaveLength(1);
    expect(said).toEqual([]);
  });

  it.each([
    'no JSON',
    '"sweep"',
    JSON.stringify({ ...MESSAGE, mode: 'baseline' }),
    JSON.stringify({ ...MESSAGE, mode: undefined }),
    JSON.stringify({ ...MESSAGE, expiresAt: undefined }),
    JSON.stringify({ ...MESSAGE, isAsked: false }),
    JSON.stringify({ ...MESSAGE, workspace: '' }),
    JSON.stringify({ ...MESSAGE, more: 1 }),
  ])('sets a malformed message aside at once, and logs it: %s', async body => {
    const { polled, said, aside, serve } = open();
    await serve(body, JSON.stringify(MESSAGE));
    expect(aside).toEqual([[body, 'the message is no pass']]);
    expect(said).toMatchObject([{ message: expect.stringContaining('Malformed message') }]);
    expect(polled).toEqual([MESSAGE]);
  });
});
