import { describe, expect, it } from 'vitest';
import { createPollHandler } from '../../functions/handlers/create-poll.ts';
import type { PassRequest, PollReport } from '../../functions/handlers/workspace-run.ts';
import { batchOf, messageOf } from '../kit/delivery/setting.ts';

const MESSAGE = { workspace: 'eu', processes: ['onboarding', 'sales'], mode: 'changes', expiresAt: 7 };
const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 1_000 };

function open(fails?: Error, outcomeOf: (request: PassRequest) => PollReport['outcome'] = () => 'polled') {
  const polled: PassRequest[] = [];
  const said: object[] = [];
  const aside: [body: string, reason: string][] = [];
  const say = (message: string, details?: object) => void said.push({ message, ...details });
  const handler = createPollHandler(
    async (request, given) => {
      expect(given).toBe(context);
      polled.push(request);
      if (fails) throw fails;
      return { outcome: outcomeOf(request), processes: new Map() };
    },
    async ({ body }, _from, reason) => void aside.push([body, reason]),
    { error: say, warn: say },
  );
  const extended: [receipt: string, seconds: number][] = [];
  const serve = (...bodies: string[]) => {
    const batch = batchOf(
      bodies.map((body, index) => messageOf(`m${index}`, body)),
      'passes',
    );
    const extend = async ({ receipt }: { readonly receipt: string }, seconds: number) =>
      void extended.push([receipt, seconds]);
    return handler({ ...batch, queue: { ...batch.queue, extend } }, context);
  };
  return { polled, said, aside, extended, serve };
}

describe('the queue of passes', () => {
  it('has the passes made that a message asks for', async () => {
    const { polled, said, serve } = open();
    await serve(JSON.stringify(MESSAGE));
    await serve(JSON.stringify({ ...MESSAGE, isAsked: true, addedByALaterRelease: 1 }));
    expect(polled).toEqual([MESSAGE, { ...MESSAGE, isAsked: true }]);
    expect(said).toEqual([]);
  });

  it('never gets a message back: a pass that failed has been told, and the next makes up for it', async () => {
    const { polled, said, serve } = open(new Error('service down'));
    await expect(serve(JSON.stringify(MESSAGE))).resolves.toEqual([]);
    expect(polled).toHaveLength(1);
    expect(said).toEqual([]);
  });

  it('keeps a message whose run found no share of its workspace, and shows it again in 5 s; no other', async () => {
    const outcomes = ['full', 'paused', 'expired', 'full'] as const;
    const { extended, said, serve } = open(
      undefined,
      ({ workspace }) => outcomes[Number(workspace)] as PollReport['outcome'],
    );
    const bodies = outcomes.map((_, index) => JSON.stringify({ ...MESSAGE, workspace: `${index}` }));
    await expect(serve(...bodies)).resolves.toEqual(['m0', 'm3']);
    expect(extended).toEqual(['m0', 'm3'].map(id => [messageOf(id, '').receipt, 5]));
    expect(said).toEqual([]);
  });

  const malformed = ['no JSON', '"sweep"', JSON.stringify({ ...MESSAGE, mode: 'baseline' })];
  it.each(malformed)('sets a malformed message aside at once, and logs it: %s', async body => {
    const { polled, said, aside, serve } = open();
    await serve(body, JSON.stringify(MESSAGE));
    expect(aside).toEqual([[body, 'not a valid pass message']]);
    expect(said).toMatchObject([
      { code: 'passes.malformed', message: expect.stringContaining('Malformed message') },
    ]);
    expect(polled).toEqual([MESSAGE]);
  });
});
