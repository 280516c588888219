import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import type { AuditEvent, ChangeEvent } from '../../functions/model/event.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import type { Freedoms } from '../../simulator/server.ts';
import { openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
const { asked, budget, told, warned } = stage;
let world: World;

/** A process after its baseline, whose audit log has this many entries, in pages of five. */
const audited = async (
  freedoms: Partial<Freedoms> = {},
  { history = 12, audit = true, ...options }: WorldOptions & { history?: number; audit?: boolean } = {},
) => {
  const settings = { processes: [{ id: PROCESS, ...(audit && { audit }) }] } as never;
  world = await stage.create({ freedoms, pageSize: { auditLog: 5 }, ...options, settings });
  for (let entry = 0; entry < history; entry++) {
    world.pass(1_000);
    world.edit.updateTask(PROCESS, '1003', '500005', { status: `before ${entry}` });
  }
  world.pass(600_000);
  await world.run();
  await world.later('changes', 600_000);
  world.service.clearRequests();
};
const edit = (status: string) => {
  world.pass(1_000);
  world.edit.updateTask(PROCESS, '1001', '500001', { status });
};
const isEntry = (event: ChangeEvent): event is AuditEvent => event.type === 'audit.recorded';
const entries = async () => (await world.events()).filter(isEntry);
/** The entries' own identifiers: those that were emitted, and those in the log. */
const idsEmitted = async () => (await entries()).map(({ data }) => (data.entry as { id: string }).id);
const idsInLog = () => world.edit.auditLog(PROCESS).map(({ id }) => id as string);
const isLog = ({ path }: { path: string }) => path.includes('/auditlog');
/** Serves the log's entries changed, from now on, each page this much later. */
const rewrite = (change: (entry: JsonObject) => JsonObject, ms = 0) => {
  const changed = (body: JsonObject) => {
    world.pass(ms);
    return { ...body, entries: (body.entries as JsonObject[]).map(change) };
  };
  return world.service.fail({ when: isLog, times: 1_000, fault: { change: changed } });
};

describe('a new entry of the audit log', () => {
  it('is emitted, if the process is configured so, with the known records that it names', async () => {
    await audited();
    edit('a');
    await world.later();
    const [event] = await entries();
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
    expect(await entries()).toHaveLength(1);
    // Its keys in another order: it is the same.
    rewrite(entry => Object.fromEntries(Object.entries(entry).toReversed()));
    await world.later();
    expect(await entries()).toHaveLength(1);
  });

  it('names a task by what was emitted of it: not before its creation, nor after its deletion', async () => {
    await audited();
    const made = world.edit.createTask(PROCESS, '1001', { name: 'New' });
    edit('beside');
    await world.later();
    world.edit.updateTask(PROCESS, '1001', made, { name: 'Renamed' });
    await world.later();
    world.edit.deleteTask(PROCESS, '1001', made);
    await world.later();
    edit('names one that is gone');
    const last = idsInLog().at(-1);
    rewrite(entry => (entry.id === last ? { ...entry, of: made } : entry));
    await world.later();
    const tasks = (await entries()).map(({ data }) => data.tasks.map(({ id }) => id));
    expect(tasks).toEqual([[], ['500001'], [made], [made], ['500001']]);
  });

  it('invariant 8: that two passes find at once is emitted once', async () => {
    await audited();
    const before = idsInLog().length;
    for (let n = 0; n < 5; n++) edit(`${n}`);
    let isFirst = true;
    const announce: Snapshots['announce'] = async (...given) => {
      // The lease of this pass expires, and another one emits the same.
      if (isFirst) {
        isFirst = false;
        await world.later('changes', 120_000);
      }
      return world.snapshots.announce(...given);
    };
    await stage.runOver({ announce });
    expect(await idsEmitted()).toEqual(idsInLog().slice(before));
  });

  it.each([true, false])('of 4,000 levels or 300,000 values stops no pass, emitted: %s', async audit => {
    await audited({ taskEditsTouchProject: false }, { history: 0, audit });
    const deep = JSON.parse(`${'{"a":'.repeat(4_000)}1${'}'.repeat(4_000)}`) as JsonObject;
    const values = [...new Array<number>(300_000).fill(0), { __proto__: null, constructor: '1003' }];
    const odd = [{ id: 'deep', deep }, ...(audit ? [] : [{ id: 'wide', values }])];
    const change = (body: JsonObject) => ({ ...body, entries: [...odd, ...(body.entries as [])] as never });
    world.service.fail({ when: isLog, fault: { change } });
    world.edit.updateTask(PROCESS, '1003', '500005', { status: 'Done' });
    await world.later();
    expect(await told()).toContain('task.updated 1003/500005 status: "To do" → "Done"');
    expect(await idsEmitted()).toEqual(
      audit ? expect.arrayContaining(['deep', idsInLog().at(-1) as string]) : [],
    );
  });
});

describe.each(['oldest-first', 'newest-first'] as const)('an audit log that is %s', auditOrder => {
  it('and takes longer than a run keeps no pass from its projects when nothing known is met', async () => {
    await audited({ auditOrder }, { history: 58 });
    rewrite(entry => ({ ...entry, by: 'another name' }), 100_000);
    edit('a');
    expect(await world.later()).toMatchObject({ outcome: 'completed' });
    expect((await told()).some(one => one.startsWith('task.updated 1001/500001'))).toBe(true);
    expect(warned(/no time to read the audit log/)).toHaveLength(1);
    for (let pass = 0; pass < 3; pass++) await world.later();
    world.service.clearRequests();
    expect(await world.later()).toMatchObject({ outcome: 'completed' });
    expect(asked(/auditlog/)).toBe(1);
  });
});

it('an audit log that is denied for a while is done without, which is reported once, and read on from where it was', async () => {
  await audited({ taskEditsTouchProject: false });
  const before = idsInLog().length;
  edit('a');
  world.service.freedoms.auditDenied = 403;
  for (let pass = 0; pass < 2; pass++) await world.later();
  expect(await told()).toEqual([]);
  expect(warned(/emitted by the next sweep/)).toMatchObject([{ code: 'audit-denied' }]);
  edit('b');
  world.service.freedoms.auditDenied = false;
  await world.later();
  expect(await idsEmitted()).toEqual(idsInLog().slice(before));
  expect(await told()).toContain('task.updated 1001/500001 status: "To do" → "b"');
});

describe('the actors of a change', () => {
  const rename = (id: string, user: string) =>
    world.edit.updateProject(PROCESS, id, { name: `By ${user} at ${world.clock.now}` }, { user });
  /** What was emitted, and the ids of the actors, with their names. */
  const acted = async () =>
    (await world.events()).map(({ type, data }) => [
      `${type} ${(data as { project: { id: string } }).project.id}`,
      'actors' in data ? data.actors?.map(({ id, name }) => `${id} ${name}`) : undefined,
    ]);
  const ANNA = '101 Anna Lindqvist';

  it('are asked for by one request, and not before something changed that the log has', async () => {
    await audited({}, { audit: false });
    await world.later();
    expect(asked(/\/users/)).toBe(0);
    for (let round = 0; round < 2; round++) {
      world.pass(2_000);
      rename('1001', '101');
      await world.later();
    }
    expect(asked(/\/users/)).toBe(1);
    expect(await acted()).toEqual(Array(2).fill(['project.updated 1001', [ANNA]]));
  });

  it('are none of a project that an earlier pass could not read', async () => {
    await audited({}, { audit: false });
    const refused = stage.refuse('1001');
    rename('1001', '102');
    await world.later();
    refused.cancel();
    world.edit.updateProject(PROCESS, '1001', { budget: '7' }, { user: '101' });
    await world.later();
    expect(await acted()).toEqual([['project.updated 1001', undefined]]);
  });

  it('are none of a new project where the service began to send its time only after the baseline, and those of an edit afterwards', async () => {
    await audited({ dateHeader: false }, { audit: false });
    world.service.freedoms.dateHeader = true;
    await world.later();
    await world.later('sweep');
    world.pass(10_000);
    const made = world.edit.createProject(PROCESS, { name: 'New' }, { user: '101' });
    await world.later();
    world.pass(60_000);
    rename(made, '101');
    await world.later();
    expect(await acted()).toEqual([
      [`project.created ${made}`, undefined],
      [`project.updated ${made}`, [ANNA]],
    ]);
  });

  it('are not those of an entry that comes late, about what a sweep has seen already', async () => {
    await audited({ auditVisibleAfter: 90_000 }, { audit: false });
    // Moves no field of the project: the sweep sees it, and writes nothing.
    world.edit.updateProject(PROCESS, '1001', {}, { user: '102' });
    await world.later('sweep');
    rename('1001', '101');
    budget('1002');
    await world.later();
    expect((await acted()).map(([, actors]) => actors)).toEqual([undefined, undefined]);
  });
});
