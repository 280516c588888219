import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import type { Snapshot } from '../../functions/model/snapshot.ts';
import { checkProject, checkTasks, identifiersOf } from '../../functions/pass/look.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import { openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

/** A service that changes how it identifies its records. */
const stage = openStage();
let world: World;
/** What is told of projects and tasks. */
const told = async () => (await stage.told()).filter(line => /^(project|task)\./.test(line));
const said = () => JSON.stringify(world.said);

async function baselined(options: WorldOptions = {}): Promise<void> {
  world = await stage.create({ projects: 4, tasksPerProject: 2, ...options });
  await world.run();
  await world.later('changes', 600_000);
}
async function passes(): Promise<void> {
  for (const mode of ['changes', 'sweep', 'changes', 'sweep', 'sweep'] as const)
    await world.later(mode).catch(() => undefined);
}

/** Renames the identifiers of what is served: `rename` gives a record's new properties in place of its `id`. */
function renaming(list: 'projects' | 'tasks', rename: (id: string) => object) {
  const change = (body: Record<string, unknown>) => ({
    ...body,
    [list]: (body[list] as { id: string }[]).map(({ id, ...rest }) => ({ ...rename(id), ...rest })),
  });
  return world.service.fail({
    when: ({ path }) => path.includes(`/${list}?`),
    times: 10_000,
    fault: { change: change as never },
  });
}

describe('other identifiers under another name', () => {
  it('invariant 9: of projects delete and create nothing, say what changed and what to do, and end by themselves', async () => {
    await baselined();
    const renamed = renaming('projects', id => ({ externalId: `EXT-${id}` }));
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    world.service
      .fail({ when: ({ path }) => path.includes('/tasks?'), times: 10_000, fault: { status: 404 } })
      .cancel();
    await passes();
    expect(await told()).toEqual([]);
    expect(said()).toContain(
      '/projects: at $.projects: expected records with id, which identified those known, found EXT-1001 without it',
    );
    expect(said()).toContain('give the workspace a new name');
    renamed.cancel();
    await passes();
    expect(await told()).toEqual(['project.updated 1001 budget: "" → "1"']);
  });

  it('invariant 9: of tasks stop the projects that have them', async () => {
    await baselined();
    const renamed = renaming('tasks', id => ({ externalId: `EXT-${id}` }));
    world.edit.updateTask(PROCESS, '1001', '500001', { status: 'Done' });
    await passes();
    expect(await told()).toEqual([]);
    expect(said()).toContain('/1001/tasks: at $: expected records with id');
    renamed.cancel();
    await passes();
    expect(await told()).toEqual(['task.updated 1001/500001 status: "To do" → "Done"']);
  });
});

describe('a check of identifiers', () => {
  const task = (id: string, more: JsonObject = {}) => [id, { id, ...more }] as const;
  const process = { workspace: 'eu', processId: 'p' };
  const checked = (known: Tasks, read: Tasks) => () =>
    checkTasks(process, '1', new Map(known), new Map(read));
  /** A check of a new project beside those in these snapshots. */
  const checkedAmong = async (snapshots: Pick<Snapshots, 'heads' | 'load'>, record: JsonObject) =>
    checkProject(process, 'new', record, await identifiersOf(process, snapshots));
  const headsOf = (...ids: string[]) =>
    async function* () {
      yield ids.map(projectId => ({ projectId, version: 1, recordReadAt: 0, tasksReadAt: 0 }));
    };
  /** A check of a new project, beside one that is known. */
  const checkedBeside = (knownId: string, known: JsonObject, record: JsonObject) =>
    checkedAmong(
      { heads: headsOf(knownId), load: async () => ({ content: { record: known } }) as unknown as Snapshot },
      record,
    );
  type Tasks = readonly (readonly [string, JsonObject])[];

  it('asks nothing of a list that is empty, or is the first', () => {
    expect(checked([task('1')], [])).not.toThrow();
    expect(checked([], [['2', { key: '2' }]])).not.toThrow();
  });

  it('is content when one of the new tasks has what identified those known', () => {
    expect(checked([task('1')], [['2', { key: '2' }], task('3')])).not.toThrow();
    expect(checked([task('1')], [['2', { key: '2' }]])).toThrow(
      /projects\/1\/tasks: at \$: .*found 2 without/,
    );
  });

  it('names all properties that may have been the identifier', () => {
    const known = { id: '1', key: 1, name: 'One' };
    expect(checked([['1', known]], [['2', { name: '2' }]])).toThrow('records with id or key, which');
    expect(checked([['1', known]], [['2', { key: 2 }]])).not.toThrow();
  });

  it.each([null, true, {}, [1]])('takes no %j for an identifier', id => {
    expect(checked([task('1')], [['2', { id }]])).toThrow('records with id');
  });

  it('knows nothing better when no property of those known is their identifier', async () => {
    expect(checked([['1', { name: 'One' }]], [['2', { key: '2' }]])).not.toThrow();
    await checkedBeside('1', { name: 'One' }, { key: '2' });
    await expect(checkedBeside('1', { id: '1' }, { key: '2' })).rejects.toThrow('found new without it');
  });

  it('knows nothing when no project is known', async () => {
    const load = async () => undefined;
    await checkedAmong({ heads: headsOf(), load }, { key: 'new' });
  });

  it('fails when the projects that are known cannot be read', async () => {
    const load = async () => {
      throw new Error('throttled');
    };
    await expect(checkedAmong({ heads: headsOf('1'), load }, { id: 'new' })).rejects.toThrow('throttled');
  });
});
