import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import type { Snapshot } from '../../functions/model/snapshot.ts';
import { checkProject, checkTasks, identifiersOf } from '../../functions/pass/look.ts';
import type { Snapshots } from '../../functions/store/store.ts';

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
