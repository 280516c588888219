import { describe, expect, it } from 'vitest';
import { ASKED_FOR_MS, passMessage } from '../../functions/schedule/pass-message.ts';

const MESSAGE = { workspace: 'eu', processId: 'p1', mode: 'changes', expiresAt: 1_760_000_000_000 };

describe('the message of a pass', () => {
  it.each([{}, { mode: 'sweep' }, { isAsked: true }])('is read as it was written: %o', part => {
    const written = { ...MESSAGE, ...part };
    expect(passMessage.parse(JSON.parse(JSON.stringify(written)))).toEqual(written);
  });

  it.each([{ mode: '' }, { isAsked: false }, { workspace: '' }, { processId: '' }, { further: 1 }])(
    'is refused with %o',
    part => {
      expect(passMessage.safeParse({ ...MESSAGE, ...part }).success).toBe(false);
    },
  );

  it('may wait for longer than a function runs, where an operator wants the pass', () => {
    const longestRun = 15 * 60_000;
    expect(ASKED_FOR_MS).toBeGreaterThan(longestRun);
  });
});
