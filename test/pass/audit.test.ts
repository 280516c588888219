import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import type { AuditEvent, ChangeEvent } from '../../functions/model/event.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import type { Freedoms } from '../../simulator/server.ts';
import { dyingAt } from '../kit/dying.ts';
import { openStage } from '../kit/stage.ts';
import { noise } from '../kit/store/subject.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
let world: World;

/** A process whose audit log is told, after its baseline, with so many entries of before. */
async function audited(
  freedoms: Partial<Freedoms> = {},
  { history = 12, audit = true, ...options }: WorldOptions & { history?: number; audit?: boolean } = {},
): Promise<World> {
  const processes = [{ id: PROCESS, ...(audit && { audit }) }];
  world = await stage.create({
    freedoms,
    pageSize: { auditLog: 5 },
    ...options,
    settings: { processes } as never,
  });
  for (let entry = 0; entry < history; entry++) {
    world.clock.now += 1_000;
    world.edit.updateTask(PROCESS, '1003', '500005', { status: `before ${entry}` });
  }
  world.clock.now += 600_000;
  await world.run();
  await world.later('changes', 600_000);
  return world;
}
const edit = (status: string) => {
  world.clock.now += 1_000;
  world.edit.updateTask(PROCESS, '1001', '500001', { status });
};
const isEntry = (event: ChangeEvent): event is AuditEvent => event.type === 'audit.recorded';
const told = async () => (await world.events()).filter(isEntry);
/** What the log has of these entries, and what was told of it, by the entries' own identifiers. */
const idsTold = async () => (await told()).map(({ data }) => (data.entry as { id: string }).id);
const idsInLog = () => world.edit.auditLog(PROCESS).map(({ id }) => id as string);
const requests = (path: string) => world.service.requests.filter(one => one.path.includes(path));

/** With a text that is hard to compress, and one word: nothing in it is looked up. */
const withNoise = (entry: JsonObject): JsonObject => ({
  ...entry,
  text: noise(180_000, Number(String(entry.id).slice(4))).replace(/[^A-Za-z0-9]/g, 'x'),
});

const logs = (['oldest-first', 'newest-first'] as const).flatMap(auditOrder =>
  [true, false].flatMap(auditTimestamps =>
    (['item', 'offset'] as const).map(cursors => ({ auditOrder, auditTimestamps, cursors })),
  ),
);

describe('the audit log of a process with audit: true', () => {
  it('is told entry by entry, as they came, with the known records that they name', async () => {
    await audited();
    edit('a');
    await world.later();
    const [event] = await told();
    expect(event).toMatchObject({
      id: expect.stringMatching(/^onboarding\.\.[0-9a-f]{32}\.0$/),
      data: {
        process: { id: PROCESS },
        projects: [{ id: '1001' }],
        tasks: [{ id: '500001', projectId: '1001' }],
        users: [{ id: '101', name: 'Anna Lindqvist' }],
      },
    });
    expect(event?.data.entry).toEqual(world.edit.auditLog(PROCESS).at(-1));
    expect(await told()).toHaveLength(1);
  });

  it('names a task by what was told of it: not before it was told, nor after it was told as deleted', async () => {
    await audited();
    const made = world.edit.createTask(PROCESS, '1001', { name: 'New' });
    world.pass(1_000);
    edit('beside');
    await world.later();
    world.edit.updateTask(PROCESS, '1001', made, { name: 'Renamed' });
    await world.later();
    world.edit.deleteTask(PROCESS, '1001', made);
    await world.later();
    edit('names one that is gone');
    const last = idsInLog().at(-1);
    const naming = (entry: JsonObject) => (entry.id === last ? { ...entry, of: made } : entry);
    world.service.fail({
      when: ({ path }) => path.includes('/auditlog'),
      times: 10,
      fault: { change: body => ({ ...body, entries: (body.entries as JsonObject[]).map(naming) }) },
    });
    await world.later();
    const tasks = (await told()).map(({ data }) => data.tasks.map(({ id }) => id));
    expect(tasks).toEqual([[], ['500001'], [made], [made], ['500001']]);
  });

  it('names nobody whose identifier is also that of a task in the entry', async () => {
    await audited();
    const namesake = { id: '500001', name: 'Of the same number' };
    world.service.fail({
      when: ({ path }) => path.startsWith('/users'),
      times: 10,
      fault: { change: body => ({ ...body, users: [...(body.users as JsonObject[]), namesake] }) },
    });
    for (const [project, task] of [
      ['1002', '500003'],
      ['1001', '500002'],
    ] as const)
      world.edit.updateTask(PROCESS, project, task, { status: 'Done' }, { user: namesake.id });
    await world.later();
    const found = (await told()).map(({ data: { tasks, users } }) => ({ tasks, users }));
    expect(found).toEqual([
      { tasks: [{ id: '500003', projectId: '1002' }], users: [namesake] },
      { tasks: ['500001', '500002'].map(id => ({ id, projectId: '1001' })), users: [] },
    ]);
  });

  it('has its tasks from the snapshots of the named projects, and none is read while nothing happens', async () => {
    await audited();
    const loaded: string[] = [];
    const load: Snapshots['load'] = async (process, id) => {
      loaded.push(id);
      return world.snapshots.load(process, id);
    };
    const poll = world.poller({ snapshots: { ...world.snapshots, load } });
    edit('a');
    world.pass(60_000);
    world.service.clearRequests();
    await world.run('changes', { poll });
    // For the entry, and for the look at the project.
    expect(loaded).toEqual(['1001', '1001']);
    expect(requests('/tasks')).toHaveLength(1);
    world.pass(60_000);
    await world.run('changes', { poll });
    expect(loaded).toHaveLength(2);
  });

  it('is not told without that setting, and costs nothing then', async () => {
    await audited({}, { audit: false });
    edit('a');
    await world.later();
    expect(await told()).toEqual([]);
  });

  it('invariant 5: costs two requests while nothing happens', async () => {
    await audited();
    await world.later();
    world.service.clearRequests();
    await world.later();
    expect(world.service.requests).toHaveLength(2);
  });

  it('tells none of the entries that were there at the baseline', async () => {
    await audited({}, { history: 30 });
    await world.later();
    await world.later('sweep');
    expect(await told()).toEqual([]);
  });

  it('is told from where it was read when the setting is turned on later', async () => {
    await audited({}, { audit: false });
    edit('unheard');
    await world.later();
    world.workspace.processes[0] = { ...world.workspace.processes[0], audit: true } as never;
    const poll = world.poller();
    edit('heard');
    await world.run('changes', { poll });
    expect(await idsTold()).toEqual(idsInLog().slice(-1));
  });
});

describe('new entries', () => {
  it('are told by a poller whose clock is ahead, where the service does not tell its time', async () => {
    await audited({ dateHeader: false }, { history: 0 });
    const earlier = (entry: JsonObject) => ({
      ...entry,
      timestamp: new Date(Date.parse(String(entry.timestamp)) - 3_600_000).toISOString(),
    });
    world.service.fail({
      when: ({ path }) => path.includes('/auditlog'),
      times: 10,
      fault: { change: body => ({ ...body, entries: (body.entries as JsonObject[]).map(earlier) }) },
    });
    edit('a');
    await world.later();
    edit('b');
    await world.later();
    expect(await idsTold()).toEqual(idsInLog());
  });

  it('that are more than one commit takes are told in several, in the order of the log', async () => {
    await audited({}, { pageSize: { auditLog: 100 } });
    const before = idsInLog().length;
    for (let n = 0; n < 200; n++) edit(`${n}`);
    const { events } = await world.later();
    expect(await idsTold()).toEqual(idsInLog().slice(before));
    expect(events).toBe(201);
    expect(new Set((await told()).map(({ sequence }) => sequence)).size).toBe(3);
  });

  it('that are too large for one commit are told in smaller ones', async () => {
    await audited({}, { pageSize: { auditLog: 100 } });
    for (let n = 0; n < 40; n++) edit(`${n}`);
    world.service.fail({
      when: ({ path }) => path.includes('/auditlog'),
      times: 10,
      fault: { change: body => ({ ...body, entries: (body.entries as JsonObject[]).map(withNoise) }) },
    });
    await world.later();
    const events = await told();
    expect(events.length).toBeGreaterThanOrEqual(40);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(new Set(events.map(({ sequence }) => sequence)).size).toBeGreaterThan(1);
    await world.later();
    expect(await told()).toHaveLength(events.length);
  });

  it('invariant 8: that two passes find at once are told once', async () => {
    await audited();
    const before = idsInLog().length;
    for (let n = 0; n < 5; n++) edit(`${n}`);
    const other = world.poller();
    let met = false;
    const announce: Snapshots['announce'] = async (...given) => {
      // The lease of this pass expires meanwhile, and another one tells the same.
      if (!met) {
        met = true;
        await world.later('changes', 120_000);
      }
      return world.snapshots.announce(...given);
    };
    const poll = world.poller({ snapshots: { ...world.snapshots, announce } });
    await world.run('changes', { poll });
    await world.run('changes', { poll: other });
    expect(met).toBe(true);
    expect(await idsTold()).toEqual(idsInLog().slice(before));
  });

  it('are the same ones when their keys come in another order', async () => {
    await audited({}, { pageSize: { auditLog: 100 } });
    edit('a');
    await world.later();
    const turned = (entry: JsonObject) => Object.fromEntries(Object.entries(entry).toReversed());
    world.service.fail({
      when: ({ path }) => path.includes('/auditlog'),
      times: 10,
      fault: { change: body => ({ ...body, entries: (body.entries as JsonObject[]).map(turned) }) },
    });
    await world.later();
    expect(await told()).toHaveLength(1);
  });
});

describe.each(logs)('a log $auditOrder, times told: $auditTimestamps, cursors by $cursors', freedoms => {
  it.each([0, 1, 4, 30])('with %i entries of before tells each new one once', async history => {
    await audited(freedoms, { history });
    const before = idsInLog().length;
    for (const [round, count] of [1, 2, 7, 0, 23, 1, 5].entries()) {
      for (let n = 0; n < count; n++) edit(`${round}.${n}`);
      await world.later();
    }
    expect((await idsTold()).toSorted()).toEqual(idsInLog().slice(before).toSorted());
  });

  it.each([1, 3, 5, 6, 11])(
    'that is purged to its newest %i entries tells each new one once, and no old one',
    async keep => {
      await audited(freedoms, { history: 23 });
      const expected: string[] = [];
      for (let round = 0; round < 6; round++) {
        // Fewer than are kept: what is purged before anybody asks, nobody can tell.
        for (let n = 0; n <= round % Math.min(keep, 4); n++) {
          edit(`${round}.${n}`);
          expected.push(idsInLog().at(-1) as string);
        }
        if (round % 2 === 0) {
          world.service.freedoms.auditRetention = keep;
          world.edit.touchProject(PROCESS, '1003', { audit: false, touch: false });
          world.service.freedoms.auditRetention = Number.POSITIVE_INFINITY;
        }
        await world.later();
      }
      expect((await idsTold()).toSorted()).toEqual(expected.toSorted());
    },
  );

  it('that is purged between two pages of one reading tells each new one once', async () => {
    await audited(freedoms, { history: 23 });
    const before = idsInLog().length;
    for (let n = 0; n < 14; n++) edit(`${n}`);
    const expected = idsInLog().slice(before);
    let pages = 0;
    world.service.fail({
      when: ({ path }) => path.includes('/auditlog') && ++pages === 2,
      fault: {
        before: () => {
          world.service.freedoms.auditRetention = 20;
          world.edit.touchProject(PROCESS, '1003', { audit: false, touch: false });
          world.service.freedoms.auditRetention = Number.POSITIVE_INFINITY;
        },
      } as never,
    });
    await world.later();
    await world.later();
    expect((await idsTold()).toSorted()).toEqual(expected.toSorted());
  });
});

describe('a log with times', () => {
  it.each(logs.filter(({ auditTimestamps }) => auditTimestamps))(
    'that turns its order around tells each new one once, and no old one: $auditOrder, cursors by $cursors',
    async freedoms => {
      await audited(freedoms, { history: 12 });
      const before = idsInLog().length;
      for (const [round, count] of [1, 2, 1, 7, 1].entries()) {
        for (let n = 0; n < count; n++) edit(`${round}.${n}`);
        if (round % 2 === 1)
          world.service.freedoms.auditOrder =
            world.service.freedoms.auditOrder === 'oldest-first' ? 'newest-first' : 'oldest-first';
        await world.later();
      }
      await world.later();
      expect((await idsTold()).toSorted()).toEqual(idsInLog().slice(before).toSorted());
    },
  );
});

describe('a pass that is killed', () => {
  it.each(['before', 'after'] as const)(
    'invariant 1: %s any call of the table leaves each entry told once',
    async when => {
      for (let call = 1; ; call++) {
        await audited({}, { history: 3 });
        const before = idsInLog().length;
        for (let n = 0; n < 4; n++) edit(`${n}`);
        const dying = dyingAt(world.snapshots, call, when);
        await world
          .run('changes', { poll: world.poller({ snapshots: dying.snapshots }) })
          .catch(() => undefined);
        if (!dying.died()) break;
        edit('later');
        // The lease of the dead expires.
        await world.later('changes', 120_000);
        await world.later();
        expect((await idsTold()).toSorted(), `call ${call}`).toEqual(idsInLog().slice(before).toSorted());
        await world.stop();
      }
    },
  );
});

describe('a log that cannot be read from where it was', () => {
  it.each([400, 410] as const)('because its cursor answers %i is read from its beginning', async status => {
    await audited({ auditOrder: 'oldest-first' }, { history: 12 });
    const before = idsInLog().length;
    edit('a');
    world.service.fail({
      when: ({ path }) => path.includes('/auditlog') && path.includes('after='),
      times: 3,
      fault: { status },
    });
    world.service.clearRequests();
    await world.later();
    const isFromBeginning = ({ path }: { path: string }) => !path.includes('after=');
    expect(requests('/auditlog').some(isFromBeginning)).toBe(true);
    edit('b');
    await world.later();
    expect(await idsTold()).toEqual(idsInLog().slice(before));
    expect(world.said.map(({ message }) => message)).toContain(
      'The position in the audit log was lost; the log was read from its beginning.',
    );
  });

  it('because it is denied for a while is told when it is not', async () => {
    await audited();
    const before = idsInLog().length;
    edit('a');
    world.service.freedoms.auditDenied = 403;
    await world.later();
    edit('b');
    world.service.freedoms.auditDenied = false;
    await world.later();
    expect(await idsTold()).toEqual(idsInLog().slice(before));
    expect(requests('/auditlog').length).toBeGreaterThan(0);
  });
});

describe('a log that is long', () => {
  const isLog = ({ path }: { path: string }) => path.includes('/auditlog');
  /** Entries are shown with another text from now on, so none of them is known any more. */
  const editEntries = (isEdited: (id: string) => boolean, also: () => void = () => undefined) => {
    const change = (entry: JsonObject) =>
      isEdited(String(entry.id)) ? { ...entry, by: 'another name' } : entry;
    const fault = {
      change: (body: JsonObject) => {
        also();
        return { ...body, entries: (body.entries as JsonObject[]).map(change) };
      },
    };
    return world.service.fail({ when: isLog, times: 1_000, fault });
  };
  const slowDown = (ms: number) =>
    editEntries(
      () => false,
      () => {
        world.clock.now += ms;
      },
    );

  it.each(['oldest-first', 'newest-first'] as const)(
    '%s is not read as a whole because entries show up late',
    async auditOrder => {
      await audited({ auditOrder }, { history: 120, pageSize: { auditLog: 50 } });
      const before = idsInLog().length;
      world.service.freedoms.auditVisibleAfter = 15 * 60_000;
      for (let round = 0; round < 20; round++) {
        edit(`${round}`);
        world.service.clearRequests();
        await world.later();
        expect(requests('/auditlog').length).toBeLessThanOrEqual(2);
      }
      await world.later('changes', 15 * 60_000);
      expect((await idsTold()).toSorted()).toEqual(idsInLog().slice(before).toSorted());
    },
  );

  it('is not read as a whole because its newest entry is edited', async () => {
    await audited({ auditOrder: 'newest-first' }, { history: 58 });
    const newest = idsInLog().at(-1);
    editEntries(id => id === newest);
    edit('a');
    world.service.clearRequests();
    await world.later();
    expect(requests('/auditlog')).toHaveLength(1);
    expect(await idsTold()).toEqual([newest, ...idsInLog().slice(-1)]);
  });

  it.each(['oldest-first', 'newest-first'] as const)(
    '%s and takes longer than a run does not keep a pass from its projects when nothing known is met',
    async auditOrder => {
      await audited({ auditOrder }, { history: 58 });
      editEntries(
        () => true,
        () => {
          world.clock.now += 100_000;
        },
      );
      edit('a');
      expect(await world.later()).toMatchObject({ outcome: 'completed' });
      expect((await stage.told()).some(one => one.startsWith('task.updated 1001/500001'))).toBe(true);
      expect(
        world.said.filter(({ message }) => message.includes('no time to read the audit log')),
      ).toHaveLength(1);
      for (let pass = 0; pass < 3; pass++) await world.later();
      world.service.clearRequests();
      expect(await world.later()).toMatchObject({ outcome: 'completed' });
      expect(requests('/auditlog')).toHaveLength(1);
    },
  );

  it('oldest-first is told over several passes when one has no time for all that is new', async () => {
    await audited({ auditOrder: 'oldest-first' });
    const before = idsInLog().length;
    for (let n = 0; n < 60; n++) edit(`${n}`);
    slowDown(100_000);
    for (let pass = 0; pass < 4; pass++) expect(await world.later()).toMatchObject({ outcome: 'completed' });
    expect(await idsTold()).toEqual(idsInLog().slice(before));
  });

  it.each(['item', 'offset'] as const)(
    'invariant 1: newest-first is told over several passes, too, though it grows meanwhile (cursors: %s)',
    async cursors => {
      await audited({ auditOrder: 'newest-first', cursors });
      const before = idsInLog().length;
      for (let n = 0; n < 60; n++) edit(`${n}`);
      slowDown(100_000);
      for (let pass = 0; pass < 8; pass++) {
        edit(`meanwhile ${pass}`);
        expect(await world.later()).toMatchObject({ outcome: 'completed' });
      }
      expect((await idsTold()).toSorted()).toEqual(idsInLog().slice(before).toSorted());
    },
  );

  it('newest-first and cut short, whose cursor is refused, is read from its head', async () => {
    await audited({ auditOrder: 'newest-first' });
    const before = idsInLog().length;
    for (let n = 0; n < 30; n++) edit(`${n}`);
    const slow = slowDown(100_000);
    await world.later();
    slow.cancel();
    expect((await idsTold()).length).toBeLessThan(30);
    const isCursor = ({ path }: { path: string }) => isLog({ path }) && path.includes('after=');
    world.service.fail({ when: isCursor, times: 3, fault: { status: 410 } });
    world.service.clearRequests();
    await world.later();
    expect((await idsTold()).toSorted()).toEqual(idsInLog().slice(before).toSorted());
    expect(world.said.map(({ message }) => message)).toContain(
      'The position in the audit log was lost; the log was read from its beginning.',
    );
    // After the refusals, and no further than to what was known.
    expect(requests('/auditlog').filter(isCursor)).toHaveLength(3 + 6);
  });

  it('and whose cursor is refused keeps its place when there is no time to read it from its beginning', async () => {
    await audited({ auditOrder: 'oldest-first' }, { history: 58 });
    const before = idsInLog().length;
    edit('a');
    world.service.fail({ when: isLog, times: 3, fault: { status: 410 } });
    const slow = slowDown(100_000);
    expect(await world.later()).toMatchObject({ outcome: 'completed' });
    slow.cancel();
    await world.later();
    expect(await idsTold()).toEqual(idsInLog().slice(before));
  });

  it('is not read again when another reading would take the time of the projects', async () => {
    await audited({ auditOrder: 'newest-first' });
    const before = idsInLog().length;
    for (let n = 0; n < 7; n++) edit(`${n}`);
    slowDown(190_000);
    world.service.clearRequests();
    expect(await world.later()).toMatchObject({ outcome: 'completed' });
    expect(requests('/auditlog')).toHaveLength(2);
    expect((await idsTold()).toSorted()).toEqual(idsInLog().slice(before).toSorted());
  });
});
