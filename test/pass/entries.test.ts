import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import { byText } from '../../functions/basics/order.ts';
import { UNKNOWN_PROCESS } from '../../functions/model/process-state.ts';
import { announceEntries, recordsIn } from '../../functions/pass/announce.ts';
import type { PassContext } from '../../functions/pass/context/context.ts';
import { createSnapshots } from '../../functions/store/dynamo/store.ts';
import { type Snapshots, TornSnapshotError } from '../../functions/store/store.ts';
import { passContext } from '../kit/pass/context.ts';
import { AT, content, snapshot } from '../kit/store/subject.ts';
import { openTable, type TestTable } from '../kit/table.ts';

let table: TestTable;
let snapshots: Snapshots;
let processes = 0;
let process = { workspace: 'eu', processId: '' };
/** What was asked of the table and told to the lease, in turn. */
let calls: string[];
/** The projects whose snapshots were loaded. */
let loaded: string[];
beforeAll(async () => {
  table = await openTable();
  snapshots = createSnapshots(table);
});
afterAll(() => table?.stop());
beforeEach(() => {
  process = { workspace: 'eu', processId: `log ${++processes}` };
  calls = [];
  loaded = [];
});

const entriesOf = (count: number) => Array.from({ length: count }, (_, n): JsonObject => ({ n }));
/** Notes what is asked of the table. */
const watched: Pick<Snapshots, 'announce' | 'readState' | 'emittedEntries' | 'load'> = {
  announce: async (of, announcement) => {
    const result = await snapshots.announce(of, announcement);
    calls.push(`${result} ${announcement.request.events.length}`);
    return result;
  },
  readState: async of => {
    calls.push('state');
    return { ...(await snapshots.readState(of)), baselined: true };
  },
  emittedEntries: (of, ids) => snapshots.emittedEntries(of, ids),
  load: (of, id) => snapshots.load(of, id),
};

function tell(entries: readonly JsonObject[], over: Partial<typeof watched> = {}) {
  const heartbeat = { beat: async () => void calls.push('beat') };
  const before = { ...UNKNOWN_PROCESS, baselined: true };
  const context = { process, snapshots: { ...watched, ...over }, clock: () => AT, heartbeat, before };
  const actors = { ofEntries: async () => (entry: JsonObject) => [{ id: `u${entry.n}`, name: 'Eva' }] };
  return announceEntries(context as unknown as PassContext, entries, new Set(), actors as never);
}

describe('the new entries of the audit log', () => {
  it('are told ninety at a time, each time by the state as it then is; the lease is kept meanwhile', async () => {
    expect(await tell(entriesOf(181))).toBe(181);
    expect(calls).toEqual([
      ...['committed 90', 'beat'],
      ...['state', 'committed 90', 'beat'],
      ...['state', 'committed 1', 'beat'],
    ]);
  });

  it('are told once: what was told before costs no commit', async () => {
    const [first, ...others] = entriesOf(3) as [JsonObject, ...JsonObject[]];
    expect(await tell([first])).toBe(1);
    calls = [];
    expect(await tell([first])).toBe(0);
    expect(calls).toEqual(['beat']);
    expect(await tell([first, ...others])).toBe(2);
  });

  it('are told by halves where they are too large for one commit; one that never fits is an error', async () => {
    const most =
      (count: number): Snapshots['announce'] =>
      async (_, { request }) => {
        const result = request.events.length > count ? 'too-large' : 'committed';
        calls.push(`${result} ${request.events.length}`);
        return result;
      };
    const never = tell(entriesOf(3), { announce: most(0) });
    await expect(never).rejects.toThrow('not one of them fits');
    expect(calls).toEqual(['too-large 3', 'too-large 1']);
  });
});

/** Makes snapshots of projects with these tasks. */
async function know(tasksByProject: Record<string, readonly string[]>): Promise<void> {
  for (const [projectId, tasks] of Object.entries(tasksByProject)) {
    const whole = content({ id: projectId }, Object.fromEntries(tasks.map(id => [id, { id }])));
    const request = { projectId, expected: undefined, snapshot: snapshot(AT, whole), version: AT };
    await snapshots.commit(process, { ...request, events: [], at: AT });
  }
}

/** What is found in each of these entries, and how often time was given to the lease. */
async function find(projects: readonly string[], entries: readonly JsonObject[]) {
  let beats = 0;
  const load: Snapshots['load'] = async (of, id) => {
    loaded.push(id);
    return snapshots.load(of, id);
  };
  const beat = async () => void beats++;
  const context = passContext({ process, snapshots: { load }, heartbeat: { beat } });
  const records = await recordsIn(context, entries, new Set(projects));
  return { records: entries.map(entry => records.get(entry)), beats };
}
const tasksIn = async (projects: readonly string[], entries: readonly JsonObject[]) =>
  (await find(projects, entries)).records.map(found => found?.tasks);

describe('the records in an audit entry', () => {
  it.each<[where: string, entry: JsonObject]>([
    ['numbers', { projectId: 11, taskId: 500 }],
    ['a path', { target: '/processes/p/projects/11/tasks/500' }],
    ['a sentence', { text: 'Eva moved task 500, of project 11.' }],
    ['lists', { ids: [['11'], [{ task: ['500'] }]] }],
  ])('are found where they stand in %s', async (_, entry) => {
    await know({ '11': ['500', '501'] });
    expect(await tasksIn(['11'], [entry])).toEqual([[{ id: '500', projectId: '11' }]]);
  });

  it('cost one load for each project that is named, however many entries name it, and none for another', async () => {
    await know({ p1: ['t1'], p2: ['t2'], p3: ['t3'] });
    const entries = Array.from({ length: 20 }, (_, n) => ({ n, project: n % 2 ? 'p1' : 'p2', task: 't3' }));
    const { beats } = await find(['p1', 'p2', 'p3'], entries);
    expect(loaded.toSorted()).toEqual(['p1', 'p2']);
    expect(beats).toBe(2);
  });

  it('are no tasks of a project whose snapshot is torn; a table that fails is told', async () => {
    await know({ p1: ['t1'], p2: ['t2'] });
    const failing = (error: Error) =>
      ({
        process,
        snapshots: {
          load: async (of: typeof process, id: string) => {
            if (id === 'p1') throw error;
            return snapshots.load(of, id);
          },
        },
        heartbeat: { beat: async () => undefined },
      }) as unknown as PassContext;
    const entry = { of: ['p1', 'p2', 't1', 't2'] };
    const projects = new Set(['p1', 'p2']);
    const records = await recordsIn(failing(new TornSnapshotError('torn')), [entry], projects);
    expect(records.get(entry)).toEqual({ projects: ['p1', 'p2'], tasks: [{ id: 't2', projectId: 'p2' }] });
    const failure = new Error('throttled');
    await expect(recordsIn(failing(failure), [entry], projects)).rejects.toBe(failure);
  });

  it('are those that a look at each pair of names finds, whatever the entries and projects hold', async () => {
    const id = fc.integer({ min: 1, max: 9 }).map(String);
    const tasks = fc.uniqueArray(id, { maxLength: 5 });
    const known = fc.dictionary(id, tasks, { maxKeys: 4, noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(
        known,
        fc.array(fc.array(id, { maxLength: 6 }), { maxLength: 5 }),
        async (all, named) => {
          process = { workspace: 'eu', processId: `log ${++processes}` };
          await know(all);
          const projects = Object.keys(all).sort(byText);
          const expected = named.map(ids => {
            const own = projects.filter(project => ids.includes(project));
            const pairs = own.flatMap(projectId =>
              (all[projectId] ?? []).toSorted(byText).map(task => ({ id: task, projectId })),
            );
            return { projects: own, tasks: pairs.filter(pair => ids.includes(pair.id)) };
          });
          const { records } = await find(
            projects,
            named.map(ids => ({ ids })),
          );
          expect(records).toEqual(expected);
        },
      ),
      { numRuns: 50 },
    );
  });
});
