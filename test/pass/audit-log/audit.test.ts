import { describe, expect, it } from 'vitest';
import { TimeSample } from '../../../functions/pass/audit-log/log-reading.ts';
import { namesIn } from '../../../functions/pass/audit-log/names.ts';
import type { Freedoms } from '../../../simulator/server.ts';
import { openStage } from '../../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../../kit/world.ts';

const stage = openStage();
let world: World;

/** Here only the audit log tells of task edits: the project's update time stays. */
async function auditedOnly(
  freedoms: Partial<Freedoms>,
  options: WorldOptions & { history?: number } = {},
): Promise<World> {
  world = await stage.create({ freedoms: { taskEditsTouchProject: false, ...freedoms }, ...options });
  for (let entry = 0; entry < (options.history ?? 0); entry++) {
    world.clock.now += 1_000;
    world.edit.touchProject(PROCESS, '1003');
    world.edit.updateTask(PROCESS, '1003', '500005', { status: `before ${entry}` });
  }
  world.clock.now += 600_000;
  await world.run();
  await world.later('changes', 600_000);
  return world;
}
const edit = (status: string) => world.edit.updateTask(PROCESS, '1001', '500001', { status });
const { told } = stage;
const auditRequests = () => world.service.requests.filter(({ path }) => path.includes('/auditlog'));

describe.each(['oldest-first', 'newest-first'] as const)('an audit log that is %s', auditOrder => {
  it('costs one request when nothing is new, however long it is', async () => {
    await auditedOnly({ auditOrder }, { history: 30, pageSize: { auditLog: 5 } });
    await world.later();
    world.service.clearRequests();
    await world.later();
    expect(auditRequests()).toHaveLength(1);
  });

  it('without timestamps shows its order by where new entries come', async () => {
    await auditedOnly({ auditOrder, auditTimestamps: false }, { history: 12, pageSize: { auditLog: 5 } });
    for (const next of ['a', 'b', 'c']) {
      world.clock.now += 1_000;
      edit(next);
      await world.later();
    }
    expect(await told()).toHaveLength(3);
    world.service.clearRequests();
    await world.later();
    expect(auditRequests()).toHaveLength(1);
  });
});

describe('an audit log that can’t be read', () => {
  it.each([403, 404] as const)('by %i is done without, and reported once', async auditDenied => {
    await auditedOnly({ auditDenied });
    edit('a');
    await world.later();
    await world.later();
    expect(await told()).toEqual([]);
    const reports = world.said.filter(
      ({ details }) => (details as { code?: string })?.code === 'audit-denied',
    );
    expect(reports).toHaveLength(1);
    expect(reports[0]?.message).toMatch(/emitted by the next sweep/);
    world.service.freedoms.auditDenied = false;
    await world.later();
    edit('b');
    await world.later();
    expect(await told()).toEqual(['task.updated 1001/500001 status: "To do" → "b"']);
  });
});

describe('the order of audit entries', () => {
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
  ] as const)('is %s in %j', (order, entries) => {
    const sample = new TimeSample();
    sample.add([...entries] as never);
    expect(sample.order).toBe(order);
  });
});

describe('names in audit entries', () => {
  it('are found anywhere: nested, in lists, in addresses and sentences, as numbers', () => {
    const names = namesIn([
      {
        a: { b: [{ c: 'p-1' }] },
        url: 'https://x.example/processes/p/projects/p_2/tasks/7',
        text: 'Project p3, moved.',
      },
      { n: 42, nothing: null, yes: true, dotted: 'v1.p4' },
    ]);
    for (const name of ['p-1', 'p_2', 'p3', '42', '7', 'p4', 'v1.p4']) expect(names).toContain(name);
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
});
