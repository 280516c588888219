import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EditApi } from '../../simulator/server.ts';
import { dyingAt } from '../kit/dying.ts';
import { isWholeListing } from '../kit/hide.ts';
import { openStage } from '../kit/stage.ts';
import { applyFieldEvents, servedFields, type ToldFields } from '../kit/told-fields.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
const { told } = stage;
let world: World;

/** A world well behind its baseline. */
async function baselined(options: WorldOptions = {}): Promise<World> {
  world = await stage.create({ projects: 2, tasksPerProject: 1, ...options });
  await world.run();
  await world.later('changes', 600_000);
  return world;
}
const isCoverpage = ({ path }: { path: string }) => path.includes('/coverpage');
const isTaskFields = ({ path }: { path: string }) => path.includes('/task-custom-fields');
const isDefinitions = (request: { path: string }) => isCoverpage(request) || isTaskFields(request);
const extra = { externalId: 'extra', name: 'Extra', type: 'text' } as const;
/** How often the definitions were asked for. */
const asked = () => world.service.requests.filter(isDefinitions).length;

describe('a custom field', () => {
  it('that is added, renamed, archived, brought back or deleted is told by the next pass, and changes no record', async () => {
    await baselined();
    world.edit.addField(PROCESS, 'project', extra);
    await world.later();
    world.edit.renameField(PROCESS, 'task', 'Note', 'Remark');
    await world.later();
    world.edit.archiveField(PROCESS, 'task', 'Note');
    await world.later();
    world.edit.unarchiveField(PROCESS, 'task', 'Note');
    await world.later();
    world.edit.deleteField(PROCESS, 'task', 'Note');
    await world.later();
    await world.later();
    expect(await told()).toEqual([
      'field.created project:extra',
      'field.updated task:Note name: "Note" → "Remark"',
      'field.archived task:Note',
      'field.updated task:Note archived: true → false',
      'field.deleted task:Note',
    ]);
    await world.later('sweep');
    expect(await told()).toHaveLength(5);
  });

  it('of projects that the coverpage no longer lists is told as archived by the second pass that misses it', async () => {
    await baselined();
    world.edit.archiveField(PROCESS, 'project', 'summary');
    expect(await world.later()).toMatchObject({ events: 0 });
    expect(await world.later()).toMatchObject({ events: 1 });
    world.edit.unarchiveField(PROCESS, 'project', 'summary');
    await world.later();
    expect(await told()).toEqual([
      'field.archived project:summary',
      'field.updated project:summary archived: true → false',
    ]);
  });

  it('whose choice is renamed is told once, and each record that held it is told as updated', async () => {
    await baselined({ tasksPerProject: 2 });
    for (const id of ['500001', '500003']) {
      world.edit.updateTask(PROCESS, id === '500001' ? '1001' : '1002', id, { 'risk-level': 'High' });
    }
    await world.later();
    const before = (await told()).length;
    world.edit.renameChoice(PROCESS, 'task', 'risk-level', 'High', 'Severe');
    await world.later();
    expect((await told()).slice(before).sort()).toEqual([
      'field.updated task:risk-level options: ["Low","Medium","High"] → ["Low","Medium","Severe"]',
      'task.updated 1001/500001 risk-level: "High" → "Severe"',
      'task.updated 1002/500003 risk-level: "High" → "Severe"',
    ]);
  });

  it('is told before the records that are told by it', async () => {
    await baselined();
    world.edit.addField(PROCESS, 'project', extra);
    world.edit.updateProject(PROCESS, '1001', { extra: 'x' });
    expect(await world.later()).toMatchObject({ events: 2 });
    expect(await told()).toEqual(['field.created project:extra', 'project.updated 1001 extra: null → "x"']);
  });

  it('is told by the next sweep where the audit log is refused', async () => {
    await baselined({ freedoms: { auditDenied: 403 } });
    world.edit.addField(PROCESS, 'project', extra);
    await world.later();
    expect(await told()).toEqual([]);
    await world.later('sweep');
    expect(await told()).toEqual(['field.created project:extra']);
  });

  it('that was there at the first pass is not told, nor what the baseline sees change', async () => {
    world = await stage.create({ projects: 12, settings: { concurrency: 1 } });
    const slow = world.poller({ onProgress: () => world.pass(200) });
    expect(await world.run('changes', { poll: slow, remaining: 1_500 })).toMatchObject({
      outcome: 'unfinished',
    });
    world.edit.addField(PROCESS, 'project', extra);
    await world.later();
    await world.later('changes', 600_000);
    await world.later('sweep');
    expect(await told()).toEqual([]);
    world.edit.renameField(PROCESS, 'project', 'extra', 'More');
    await world.later();
    expect(await told()).toEqual(['field.updated project:extra name: "Extra" → "More"']);
  });

  it('is not told as new when its list was refused until now', async () => {
    world = await stage.create();
    const refused = world.service.fail({ when: isDefinitions, times: 9, fault: { status: 403 } });
    await world.run();
    await world.later('sweep');
    refused.cancel();
    await world.later('sweep');
    expect(await told()).toEqual([]);
    world.edit.addField(PROCESS, 'task', extra);
    await world.later();
    expect(await told()).toEqual(['field.created task:extra']);
  });
});

describe('invariant 9: a list of fields', () => {
  const empty = () =>
    world.service.fail({ when: isCoverpage, times: 99, fault: { change: () => ({ fields: [] }) } });

  it('that is empty for a while tells nothing, and empties no record', async () => {
    await baselined();
    world.edit.updateProject(PROCESS, '1001', { summary: 'words' });
    await world.later();
    const before = await told();
    const lost = empty();
    for (let pass = 0; pass < 3; pass++) {
      world.edit.touchProject(PROCESS, '1001');
      world.edit.archiveField(PROCESS, 'project', pass === 0 ? 'summary' : 'budget');
      await world.later();
    }
    await world.later('sweep');
    lost.cancel();
    world.edit.unarchiveField(PROCESS, 'project', 'summary');
    world.edit.unarchiveField(PROCESS, 'project', 'budget');
    await world.later('sweep');
    await world.later();
    expect(await told()).toEqual(before);
  });

  it('that two sweeps find empty is believed', async () => {
    await baselined();
    empty();
    await world.later('sweep');
    expect(await told()).toEqual([]);
    await world.later('sweep');
    const lines = await told();
    expect(lines).toHaveLength(world.edit.fields(PROCESS, 'project').length);
    expect(lines.every(line => line.startsWith('field.archived project:'))).toBe(true);
  });

  it.each([{ status: 403 }, { status: 404 }, { status: 200, body: 'x' }])(
    'that is answered with %j keeps the fields as they were',
    async fault => {
      await baselined();
      world.service.fail({ when: isTaskFields, times: 4, fault });
      for (let pass = 0; pass < 4; pass++) await world.later('sweep').catch(() => undefined);
      await world.later('sweep');
      expect(await told()).toEqual([]);
    },
  );
});

describe('invariant 5: the definitions', () => {
  it('are not asked for by an idle pass, and by one about a field with two requests more', async () => {
    await baselined();
    world.service.clearRequests();
    await world.later();
    expect(world.service.requests).toHaveLength(2);
    world.edit.addField(PROCESS, 'project', extra);
    world.service.clearRequests();
    await world.later();
    expect(world.service.requests).toHaveLength(4);
    world.service.clearRequests();
    await world.later();
    expect(world.service.requests).toHaveLength(2);
  });

  it('are asked for again while a field may be gone, and then no more', async () => {
    await baselined();
    world.edit.archiveField(PROCESS, 'project', 'summary');
    await world.later();
    world.service.clearRequests();
    await world.later();
    expect(asked()).toBe(2);
    world.service.clearRequests();
    await world.later();
    expect(asked()).toBe(0);
  });

  it('are not asked for in every pass while a whole list is empty', async () => {
    await baselined();
    world.service.fail({ when: isCoverpage, times: 99, fault: { change: () => ({ fields: [] }) } });
    await world.later('sweep');
    world.service.clearRequests();
    await world.later();
    expect(world.service.requests).toHaveLength(2);
  });
});

describe('more fields than one transaction takes', () => {
  it('are told in parts, each with what is known by then', async () => {
    await baselined();
    for (let field = 1; field <= 7; field++)
      world.edit.addField(PROCESS, field % 2 ? 'project' : 'task', { ...extra, externalId: `new${field}` });
    const known: string[][] = [];
    const announce: World['snapshots']['announce'] = async (process, announcement) => {
      if (announcement.request.events.length > 2) return 'too-large';
      const result = await world.snapshots.announce(process, announcement);
      const { definitions } = await world.snapshots.readState(process);
      const all = [...definitions.project, ...definitions.task].map(({ externalId }) => externalId);
      known.push(all.filter(id => id.startsWith('new')));
      return result;
    };
    world.pass(60_000);
    const poll = world.poller({ snapshots: { ...world.snapshots, announce } });
    expect(await world.run('changes', { poll })).toMatchObject({ outcome: 'completed', events: 7 });
    const ids = ['new1', 'new3', 'new5', 'new7', 'new2', 'new4', 'new6'];
    expect(known.map(fields => fields.length)).toEqual([1, 2, 4, 5, 7]);
    const told = (await world.events()).map(event =>
      'field' in event.data ? event.data.field.externalId : '',
    );
    expect(told).toEqual(ids);
    world.service.clearRequests();
    expect(await world.later()).toMatchObject({ events: 0 });
  });

  it('fail the pass when not even one of them fits, and nothing is kept without being told', async () => {
    await baselined();
    for (let field = 1; field <= 3; field++)
      world.edit.addField(PROCESS, 'project', { ...extra, externalId: `new${field}` });
    const sizes: number[] = [];
    const announce: World['snapshots']['announce'] = async (_process, { request }) => {
      sizes.push(request.events.length);
      return request.events.length > 0 ? 'too-large' : 'conflict';
    };
    world.pass(60_000);
    const poll = world.poller({ snapshots: { ...world.snapshots, announce } });
    await expect(world.run('changes', { poll })).rejects.toThrow(/too large to commit: not one of them fits/);
    expect(sizes).toEqual([3, 1]);
  });
});

describe('told once: two pollers', () => {
  /** A poller whose announcement waits until something else has happened. */
  const late = (meanwhile: () => Promise<unknown>) => {
    let waits = true;
    return world.poller({
      snapshots: {
        ...world.snapshots,
        announce: async (...given) => {
          if (waits) {
            waits = false;
            await meanwhile();
          }
          return world.snapshots.announce(...given);
        },
      },
    });
  };

  it('invariant 8: that find the same tell it once', async () => {
    await baselined();
    world.edit.addField(PROCESS, 'project', extra);
    world.pass(60_000);
    expect(await world.run('sweep', { poll: late(() => world.run('changes')) })).toMatchObject({ events: 0 });
    expect(await told()).toEqual(['field.created project:extra']);
  });

  it('invariants 2, 8: of which one read older definitions do not tell the newer ones back', async () => {
    await baselined();
    world.edit.renameField(PROCESS, 'project', 'summary', 'Older');
    world.pass(60_000);
    const meanwhile = () => {
      world.edit.renameField(PROCESS, 'project', 'summary', 'Newer');
      return world.run('changes');
    };
    await world.run('sweep', { poll: late(meanwhile) });
    await world.later();
    await world.later('sweep');
    expect(await told()).toEqual(['field.updated project:summary name: "Summary" → "Newer"']);
  });

  it('invariant 1: of which one ends the baseline first do not keep from subscribers what the other one read', async () => {
    world = await stage.create({ projects: 2, tasksPerProject: 1 });
    world.service.fail({ when: isWholeListing, times: 1, fault: { status: 403 } });
    await expect(world.run('sweep')).rejects.toThrow('403');
    const meanwhile = async () => {
      world.pass(61_000);
      expect(await world.run('sweep')).toMatchObject({ mode: 'baseline', outcome: 'completed' });
      world.edit.addField(PROCESS, 'project', extra);
    };
    let reads = 0;
    const readState: World['snapshots']['readState'] = async (...given) => {
      const state = await world.snapshots.readState(...given);
      reads += 1;
      // It holds the lease by now, and has seen that there is no baseline yet.
      if (reads === 1) await meanwhile();
      return state;
    };
    const stale = world.poller({ snapshots: { ...world.snapshots, readState } });
    expect(await world.run('sweep', { poll: stale })).toMatchObject({ mode: 'baseline', outcome: 'busy' });
    await world.later();
    expect(await told()).toEqual(['field.created project:extra']);
  });

  it('invariant 8: of which a long sweep ends last do not forget what the other told', async () => {
    await baselined();
    let met = false;
    const slow = world.poller({
      onProgress: ({ mode }) => {
        if (mode === 'sweep' && !met) world.edit.addField(PROCESS, 'project', extra);
        met ||= mode === 'sweep';
      },
      snapshots: {
        ...world.snapshots,
        finish: async (...given) => {
          await world.run('changes');
          return world.snapshots.finish(...given);
        },
      },
    });
    world.pass(60_000);
    await world.run('sweep', { poll: slow });
    await world.later();
    await world.later('sweep');
    expect(await told()).toEqual(['field.created project:extra']);
  });
});

type Edit = (edit: EditApi) => void;
const kinds = ['project', 'task'] as const;
const kind = fc.constantFrom(...kinds);
const nth = fc.nat();
/** Edits that people make of fields; one that does not fit is left out. */
const edits: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ kind }).map(
    ({ kind }): Edit =>
      edit =>
        edit.addField(PROCESS, kind, extra),
  ),
  fc.record({ kind, nth, name: fc.constantFrom('A', 'B') }).map(
    ({ kind, nth, name }): Edit =>
      edit =>
        edit.renameField(PROCESS, kind, fieldAt(edit, kind, nth), name),
  ),
  fc.record({ kind, nth, how: fc.constantFrom('archiveField' as const, 'unarchiveField' as const) }).map(
    ({ kind, nth, how }): Edit =>
      edit =>
        edit[how](PROCESS, kind, fieldAt(edit, kind, nth)),
  ),
  fc.record({ nth }).map(
    ({ nth }): Edit =>
      edit =>
        edit.deleteField(PROCESS, 'task', fieldAt(edit, 'task', nth)),
  ),
);
function fieldAt(edit: EditApi, kind: (typeof kinds)[number], index: number): string {
  const fields = edit.fields(PROCESS, kind);
  return fields[index % fields.length]?.externalId ?? '';
}
function editAll(all: readonly Edit[]): void {
  for (const edit of all) {
    try {
      edit(world.edit);
    } catch (error) {
      if (!/already has|add it first/.test(String(error))) throw error;
    }
  }
}

/** A coverpage hides archived fields: what else changed of them nobody can know, nor that there was one which was
 *  archived before anybody read it. */
const knowable = (fields: ToldFields, told: ToldFields) =>
  Object.entries(fields).flatMap(([subject, field]) => {
    if (!subject.startsWith('project') || !field.archived) return [[subject, field]];
    return Object.hasOwn(told, subject) ? [[subject, 'archived']] : [];
  });

/** What was told of fields, applied to those of the baseline, is what the service shows. */
async function expectFieldsConverged(baseline: ToldFields): Promise<void> {
  const all = await world.events();
  const events = all.filter(({ type }) => type.startsWith('field.'));
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  // Runs that die one after the other for five minutes are a stall.
  const others = all.filter(({ type }) => !/^field\.|^source\.(stalled|recovered)$/.test(type));
  expect(others).toEqual([]);
  const told = applyFieldEvents(baseline, events);
  expect(knowable(told, told)).toEqual(knowable(servedFields(world.edit, PROCESS), told));
  await world.later();
  await world.later('sweep');
  expect(await world.events()).toHaveLength(all.length);
}

describe('whatever happens', () => {
  const mode = fc.constantFrom('changes' as const, 'sweep' as const);
  const when = fc.constantFrom('before' as const, 'after' as const);
  const step = fc.record({
    edits: fc.array(edits, { maxLength: 3 }),
    modes: fc.uniqueArray(mode, { minLength: 1 }),
    when,
    call: fc.integer({ min: 1, max: 16 }),
  });

  /** Four runs that die: a stall of five minutes. */
  const STALL = [1, 1, 1, 2].map(call => ({
    edits: [],
    modes: ['changes' as const],
    when: call === 1 ? ('before' as const) : ('after' as const),
    call,
  }));

  it('invariants 1, 2, 3, 4, 8: every change of a field is told once, with two pollers that die anywhere', async () => {
    await fc.assert(
      fc
        .asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async steps => {
          await baselined();
          const baseline = servedFields(world.edit, PROCESS);
          for (const { edits, modes, when, call } of steps) {
            editAll(edits);
            world.pass(61_000);
            const runs = modes.map(mode => {
              const { snapshots } = dyingAt(world.snapshots, call, when);
              return world.run(mode, { poll: world.poller({ snapshots }) }).catch(() => undefined);
            });
            await Promise.all(runs);
          }
          await world.later('changes', 61_000);
          await world.later('sweep', 61_000);
          await world.later('sweep', 61_000);
          await expectFieldsConverged(baseline);
        })
        .afterEach(() => world.stop()),
      {
        numRuns: 40,
        examples: [[STALL]],
      },
    );
  });
});
