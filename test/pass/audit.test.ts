import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import type { AuditEvent, ChangeEvent } from '../../functions/model/event.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import type { Freedoms } from '../../simulator/server.ts';
import { openStage } from '../kit/stage.ts';
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

  it('invariant 5: costs two requests while nothing happens', async () => {
    await audited();
    await world.later();
    world.service.clearRequests();
    await world.later();
    expect(world.service.requests).toHaveLength(2);
  });
});

describe('new entries', () => {
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

describe('a log that cannot be read from where it was', () => {
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
