import { expect, it } from 'vitest';
import { isOutOfTime, type PassPorts } from '../../../functions/pass/context/context.ts';

it('is out of time from the very moment at which it is to stop', () => {
  const clock = { now: 999 };
  const ports = { clock: () => clock.now, stopAt: 1_000 } as PassPorts;
  expect(isOutOfTime(ports)).toBe(false);
  clock.now = 1_000;
  expect(isOutOfTime(ports)).toBe(true);
});
