import { describe, expect, it } from 'vitest';
import type { PassRequest } from '../../functions/handlers/create-poll.ts';
import { createPollHandler } from '../../functions/handlers/create-poll-handler.ts';

const MESSAGE = { workspace: 'eu', processId: 'onboarding', mode: 'changes', expiresAt: 7 } as const;
const REPORT = { mode: 'changes', outcome: 'completed', projects: 0, commits: 0, events: 0 } as const;
const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 1_000 };

function open(fails?: Error) {
  const polled: PassRequest[] = [];
  const said: object[] = [];
  const handler = createPollHandler(
    async (request, given) => {
      expect(given).toBe(context);
      polled.push(request);
      if (fails) throw fails;
      return REPORT;
    },
    { error: (message, details) => void said.push({ message, ...details }) },
  );
  const serve = (...bodies: string[]) =>
    handler({ Records: bodies.map(body => ({ body })) as never }, context);
  return { polled, said, serve };
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
    await expect(serve(JSON.stringify(MESSAGE))).resolves.toBeUndefined();
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
  ])('is done with what is no message, and tells of it: %s', async body => {
    const { polled, said, serve } = open();
    await serve(body, JSON.stringify(MESSAGE));
    expect(said).toMatchObject([{ message: expect.stringContaining('Deploy again'), body }]);
    expect(polled).toEqual([MESSAGE]);
  });
});
