import { describe, expect, it } from 'vitest';
import { TimeSample } from '../../../functions/pass/audit-log/log-reading.ts';
import { namesIn } from '../../../functions/pass/audit-log/names.ts';

const day = (number: number) => `2026-01-0${number}T00:00:00Z`;
const at = (...times: (string | number)[]) => times.map(time => ({ id: 'x', at: time }));
const second = 1_767_323_045;

it.each([
  ['oldest-first', at(day(1), day(1), day(2), day(3), day(3))],
  ['newest-first', at(second + 4, second + 3, second + 2, second + 1, second)],
  ['oldest-first', [1, 2, 3, 4, 5].map(number => ({ meta: { when: day(number) } }))],
  ['unknown', at(day(1), day(2), day(3), day(4))],
  ['unknown', at(day(1), day(1), day(1), day(1), day(1))],
  ['unknown', at(day(1), day(3), day(2), day(4), day(5))],
  ['unknown', at(day(1), day(2), day(3), day(4), 'later')],
  ['unknown', [1, 2, 3, 4, 5].map(number => ({ at: `2026-13-0${number}T00:00:00Z` }))],
  ['unknown', []],
  ['unknown', [1, 2, 3, 4, 5].map(number => ({ at: `on ${day(number)}` }))],
  ['unknown', [1, 2, 3, 4, 5].map(number => ({ at: day(number).slice(0, 10) }))],
  ['oldest-first', [0, 1, 2, 3, 4].map(number => ({ at: 1_000_000_001 + number }))],
  ['unknown', [0, 1, 2, 3, 4].map(number => ({ at: 1_000_000_000 + number }))],
  ['oldest-first', [0, 1, 2, 3, 4].map(number => ({ at: 99_999_999_999_995 + number }))],
  ['unknown', [0, 1, 2, 3, 4].map(number => ({ at: 99_999_999_999_996 + number }))],
  ['oldest-first', [1, 2, 3, 4, 5].map(number => ({ a: { b: { c: day(number) } } }))],
  ['unknown', [1, 2, 3, 4, 5].map(number => ({ a: { b: { c: { d: day(number) } } } }))],
  ['newest-first', [5, 4, 3, 2, 1].map(number => ({ made: day(1), at: day(number), n: number }))],
  ['unknown', [...at(day(1), day(2), day(3), day(4)), { id: 'x' }]],
  ['unknown', [...[1, 2, 3, 4].map(number => ({ a: { at: day(number) } })), { a: 'x' }]],
  ['unknown', [...[1, 2, 3, 4].map(number => ({ a: { at: day(number) } })), { a: null }]],
  [
    'oldest-first',
    [1, 2, 3, 4, 5].map(number => ({ at: day(number), due: number < 4 ? day(9 - number) : '' })),
  ],
  [
    'unknown',
    [1, 2, 3, 4, 5].map(number => ({ at: day(number), seen: day([1, 3, 2, 4, 5][number - 1] ?? 1) })),
  ],
  ['unknown', [1, 2, 3, 4, 5].map(number => ({ at: [day(number)] }))],
  ['unknown', [1, 2, 3, 4].map(number => ({ at: day(number) })).concat([{ at: 7 } as never])],
  ['unknown', [1, 2, 3, 4, 5].map(number => ({ a: second + number, b: second - number }))],
] as const)('the order of audit entries is %s in %j', (order, entries) => {
  const sample = new TimeSample();
  sample.add([...entries] as never);
  expect(sample.order).toBe(order);
});

describe('names in audit entries', () => {
  it('are found anywhere: nested, in lists, in addresses and sentences, as numbers', () => {
    const names = namesIn([
      {
        a: { b: [{ c: 'p-1' }] },
        url: 'https://x.example/processes/p/projects/p_2/tasks/7',
        text: 'Project p3, moved.',
        path: '/projects/Kunde%20M%C3%BCller?done=9%&task=a:b',
      },
      { n: 42, nothing: null, yes: true, dotted: 'v1.p4' },
    ]);
    const found = ['p-1', 'p_2', 'p3', '42', '7', 'p4', 'v1.p4', 'Kunde Müller', 'a:b'];
    for (const name of found) expect(names).toContain(name);
    expect(names).not.toContain('');
    expect(names).toContain('Project p3, moved.');
  });

  it('are the whole text, what is between other signs than letters, digits and ._~-, and between dots', () => {
    const name = 'é1._~-b';
    expect([...namesIn([{ text: `${name}/c  d!` }])]).toEqual([
      `${name}/c  d!`,
      name,
      'c',
      'd',
      'é1',
      '_',
      '-b',
    ]);
    expect([...namesIn([{ text: '!' }, { text: '' }])]).toEqual(['!']);
  });

  it('are never longer than an identifier can be', () => {
    expect([...namesIn([{ text: 'x'.repeat(301) }])]).toEqual([]);
    expect([...namesIn([{ text: 'x'.repeat(300) }])]).toEqual(['x'.repeat(300)]);
  });

  it('are 500,000 at most: a larger entry is not looked through without end', () => {
    const entry = { values: Array.from({ length: 600_000 }, (_, index) => index) };
    expect(namesIn([entry]).size).toBe(500_000);
  });
});
