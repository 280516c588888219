import { expect, it } from 'vitest';
import { UNKNOWN_PROCESS } from '../../functions/model/process-state.ts';
import { PassState } from '../../functions/pass/state.ts';
import { passContext } from '../kit/pass/context.ts';

it('a turn begins when the one before has ended, also in a failure, which only its own caller gets', async () => {
  const context = passContext({ before: UNKNOWN_PROCESS, settings: { ignoreFields: [] } });
  const state = new PassState(context);
  const began: string[] = [];
  const ending = Promise.withResolvers<void>();
  const first = state.inTurn(async () => {
    began.push('first');
    await ending.promise;
  });
  const second = state.inTurn(async () => began.push('second'));
  await Promise.resolve();
  expect(began).toEqual(['first']);
  ending.reject(new Error('first'));
  await expect(first).rejects.toThrow('first');
  await expect(second).resolves.toBe(2);
});
