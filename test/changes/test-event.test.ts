import { expect, it } from 'vitest';
import { testEvent } from '../../functions/changes/build-events.ts';

const at = Date.UTC(2026, 10, 21, 12);

it('a test event names its endpoint and its time, and says that nothing changed', () => {
  expect(testEvent('crm', { at, tag: 'x1' })).toEqual({
    specversion: '1.0',
    id: `changewire.test.${at}.x1`,
    source: '/endpoints/crm',
    type: 'changewire.test',
    time: '2026-11-21T12:00:00.000Z',
    datacontenttype: 'application/json',
    sequence: String(at),
    data: {
      endpoint: { name: 'crm' },
      message: 'This is a test: events of Changewire arrive here. Nothing changed.',
    },
  });
});

it('test events of one time differ by their tags', () => {
  const [one, other] = ['1', '2'].map(tag => testEvent('crm', { at, tag }).id);
  expect(one).not.toBe(other);
});
