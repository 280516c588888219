import { expect, it } from 'vitest';
import { someEvents } from '../../kit/delivery/setting.ts';
import { gatheredIn } from './windows.ts';

it('what is gathered of an event that comes twice has the place of the first row', () => {
  const [one = '', other = ''] = someEvents(2).map(event => JSON.stringify(event));
  const rows = [one, other, one].map((body, index) => ({ messageId: `${index}`, body }));
  expect(gatheredIn(rows).map(({ messageId }) => messageId)).toEqual(['0', '1']);
});
