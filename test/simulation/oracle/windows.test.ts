import { expect, it } from 'vitest';
import { someEvents } from '../../kit/delivery/setting.ts';
import type { InHand } from './batches.ts';
import { Violation } from './violation.ts';
import { gatheredIn, WindowOracle } from './windows.ts';

it('what is gathered of an event that comes twice has the place of the first row', () => {
  const [one = '', other = ''] = someEvents(2).map(event => JSON.stringify(event));
  const rows = [one, other, one].map((body, index) => ({ messageId: `${index}`, body }));
  expect(gatheredIn(rows).map(({ messageId }) => messageId)).toEqual(['0', '1']);
});

it('after a run with trouble one window is free, also when its process serves another run', () => {
  const HOUR = 3_600_000;
  const [first, second, third] = someEvents(3).map((event, index) => [
    { messageId: `${index}`, body: JSON.stringify(event) },
  ]) as [InHand[], InHand[], InHand[]];
  const oracle = new WindowOracle('slack', { window: '3h' });
  const process = {};
  // It began the window a minute before.
  oracle.told(process, first, [], 0);
  oracle.ends(process, false);
  oracle.ends(process, true);
  oracle.told(process, second, second, 3 * HOUR - 70_000);
  oracle.ends(process, true);
  expect(() => oracle.told(process, third, third, 5 * HOUR)).toThrow(Violation);
});
