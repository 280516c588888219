import { describe, expect, it } from 'vitest';
import type { Snapshots } from '../../functions/store/store.ts';
import { openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
const { runOver, told } = stage;
let world: World;

const settled = async (options: WorldOptions = {}) => {
  world = await stage.settled({ projects: 2, tasksPerProject: 1, ...options });
};
const DEFINITIONS = /coverpage|custom-?fields/i;
const extra = { externalId: 'extra', name: 'Extra', type: 'text' } as const;

describe('a custom field', () => {
  it('that is added, renamed, archived, brought back or deleted is emitted by the next pass, and changes no record', async () => {
    await settled();
    for (const edit of [
      () => world.edit.addField(PROCESS, 'project', extra),
      () => world.edit.renameField(PROCESS, 'task', 'Note', 'Remark'),
      () => world.edit.archiveField(PROCESS, 'task', 'Note'),
      () => world.edit.unarchiveField(PROCESS, 'task', 'Note'),
      () => world.edit.deleteField(PROCESS, 'task', 'Note'),
      () => undefined,
    ]) {
      edit();
      await world.later();
    }
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

  it('is emitted before the records that have it; by the next sweep where the audit log is refused', async () => {
    await settled({ freedoms: { auditDenied: 403 } });
    world.edit.addField(PROCESS, 'task', extra);
    await world.later();
    expect(await told()).toEqual([]);
    world.edit.addField(PROCESS, 'project', extra);
    world.edit.updateProject(PROCESS, '1001', { extra: 'x' });
    await world.later();
    expect(await told()).toEqual([
      'field.created project:extra',
      'field.created task:extra',
      'project.updated 1001 extra: null → "x"',
    ]);
    world.edit.renameField(PROCESS, 'task', 'extra', 'More');
    await world.later('sweep');
    expect((await told()).slice(3)).toEqual(['field.updated task:extra name: "Extra" → "More"']);
  });

  it('invariant 2: that is archived or brought back while a sweep reads tasks changes no record, for one more reading', async () => {
    await settled({ projects: 4, settings: { concurrency: 1 } });
    for (const { id } of world.edit.projects(PROCESS))
      world.edit.updateTask(PROCESS, `${id}`, `${world.edit.tasks(PROCESS, `${id}`)[0]?.id}`, { note: 'x' });
    await world.later();
    const before = await told();
    const sweepWhile = async (edit: () => void) => {
      world.service.clearRequests();
      const heads: Snapshots['heads'] = (...given) => {
        edit();
        return world.snapshots.heads(...given);
      };
      await runOver({ heads }, 'sweep');
      return [...(await told()).slice(before.length), stage.asked(DEFINITIONS)];
    };
    // Missing in both readings of one pass, which the next pass confirms.
    world.edit.archiveField(PROCESS, 'project', 'summary');
    const archived = ['field.archived task:Note'];
    const [archive, bringBack] = [world.edit.archiveField, world.edit.unarchiveField];
    expect(await sweepWhile(() => archive(PROCESS, 'task', 'Note'))).toEqual([...archived, 4]);
    archived.push('field.archived project:summary');
    expect(await sweepWhile(() => bringBack(PROCESS, 'task', 'Note'))).toEqual([...archived, 2]);
  });

  it('invariants 2 and 8: is not emitted back by a poller that read its older definition', async () => {
    await settled();
    world.edit.renameField(PROCESS, 'project', 'summary', 'Older');
    let isFirst = true;
    const announce: Snapshots['announce'] = async (...given) => {
      if (isFirst) {
        isFirst = false;
        world.edit.renameField(PROCESS, 'project', 'summary', 'Newer');
        await world.run('changes');
      }
      return world.snapshots.announce(...given);
    };
    await runOver({ announce }, 'sweep');
    for (const mode of ['changes', 'sweep'] as const) await world.later(mode);
    expect(await told()).toEqual(['field.updated project:summary name: "Summary" → "Newer"']);
  });

  it('is not lost when another run ends the baseline before the definitions of this one are stored', async () => {
    world = await stage.create({ projects: 2, tasksPerProject: 1 });
    world.service.fail({ when: ({ path }) => path.includes('/projects?'), fault: { status: 403 } });
    await expect(world.run('sweep')).rejects.toThrow('403');
    let isFirst = true;
    const readState: Snapshots['readState'] = async (...given) => {
      const read = await world.snapshots.readState(...given);
      if (!isFirst) return read;
      isFirst = false;
      world.pass(61_000);
      expect(await world.run('sweep')).toMatchObject({ mode: 'baseline', outcome: 'completed' });
      world.edit.addField(PROCESS, 'project', extra);
      return read;
    };
    expect(await runOver({ readState }, 'sweep')).toMatchObject({ mode: 'baseline', outcome: 'busy' });
    await world.later();
    expect(await told()).toEqual(['field.created project:extra']);
  });
});

it('invariant 5: the definitions are asked for by a pass about a field, and again while one may be gone, and then no more', async () => {
  await settled();
  const asked: number[] = [];
  for (const edit of [
    () => undefined,
    () => world.edit.addField(PROCESS, 'project', extra),
    () => undefined,
    // A coverpage no longer lists it.
    () => world.edit.archiveField(PROCESS, 'project', 'summary'),
    () => undefined,
    () => undefined,
  ]) {
    edit();
    world.service.clearRequests();
    await world.later();
    asked.push(stage.asked(DEFINITIONS));
  }
  expect(asked).toEqual([0, 2, 0, 2, 2, 0]);
  expect(await told()).toEqual(['field.created project:extra', 'field.archived project:summary']);
});

it('invariant 5: the definitions of a process that the service does not have are not reported to be refused at each pass; others are, once', async () => {
  await settled();
  const isOfProcess = ({ path }: { path: string }) => path.includes('/processes/');
  const gone = world.service.fail({ when: isOfProcess, times: 1_000, fault: { status: 404 } });
  for (let pass = 0; pass < 3; pass++) await expect(world.later('sweep')).rejects.toThrow('status 404');
  expect(stage.warned(/^Field definitions/)).toEqual([]);
  gone.cancel();
  world.service.fail({ when: ({ path }) => DEFINITIONS.test(path), times: 1_000, fault: { status: 404 } });
  for (let pass = 0; pass < 3; pass++) await world.later('sweep');
  expect(stage.warned(/^Field definitions/)).toMatchObject([
    { code: 'coverpage-denied' },
    { code: 'task-fields-denied' },
  ]);
});

it('more fields than one transaction takes are emitted in parts, each with what is known by then', async () => {
  await settled();
  for (let field = 1; field <= 7; field++)
    world.edit.addField(PROCESS, field % 2 ? 'project' : 'task', { ...extra, externalId: `new${field}` });
  const known: number[] = [];
  const announce: Snapshots['announce'] = async (process, announcement) => {
    if (announcement.request.events.length > 2) return 'too-large';
    const result = await world.snapshots.announce(process, announcement);
    const { project, task } = (await stage.state()).definitions;
    known.push([...project, ...task].filter(({ externalId }) => externalId.startsWith('new')).length);
    return result;
  };
  expect(await runOver({ announce })).toMatchObject({ outcome: 'completed', events: 7 });
  expect(known).toEqual([1, 2, 4, 5, 7]);
  const created = [...[1, 3, 5, 7].map(id => `project:new${id}`), ...[2, 4, 6].map(id => `task:new${id}`)];
  expect(await told()).toEqual(created.map(field => `field.created ${field}`));
  expect(await world.later()).toMatchObject({ events: 0 });
});
