import { describe, expect, it } from 'vitest';
import { openStage } from '../kit/stage.ts';
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
});
