import { afterAll, afterEach, beforeAll } from 'vitest';
import type { PollDependencies } from '../../functions/handlers/workspace-run.ts';
import type { OperationsContext } from '../../functions/operations/context.ts';
import { verifyProcess } from '../../functions/operations/verify/walk.ts';
import { verifySlice } from '../../functions/operations/verify.ts';
import { dynamoStore } from '../../functions/store/dynamo/store.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import { owedInShort } from './owed.ts';
import { openTable, type TestTable } from './table.ts';
import { createWorld, inShort, PROCESS, type World, type WorldOptions } from './world.ts';

type VerifySlice = Parameters<typeof verifySlice>[1];
type Run = NonNullable<Parameters<World['run']>[1]>;

/** One table for a test file, and a world for each of its tests, which is closed with the test. */
export function openStage() {
  let table: TestTable;
  let current: World | undefined;
  const world = (): World => {
    if (!current) throw new Error('No world was created.');
    return current;
  };
  const create = async (options: WorldOptions = {}): Promise<World> => {
    current = await createWorld(table, options);
    return current;
  };
  beforeAll(async () => {
    table = await openTable();
  });
  afterAll(() => table?.stop());
  afterEach(async () => {
    await current?.stop();
    current = undefined;
  });
  return {
    /** The table of all worlds of the file. */
    get table(): TestTable {
      return table;
    },
    /** A world in which no pass was made yet. */
    create,
    /** A world ten minutes after its baseline, with nothing left to emit, and no request in its list. */
    settled: async (options: WorldOptions = {}): Promise<World> => {
      const settled = await create(options);
      await settled.run();
      await settled.later('changes', 600_000);
      settled.service.clearRequests();
      return settled;
    },
    /** Everything emitted so far, in short. */
    told: async (): Promise<string[]> => (current ? inShort(await current.events()) : []),
    /** Its rechecks, in short. */
    owed: () => owedInShort(world()),
    state: () => world().snapshots.readState(world().process),
    /** Edits the budget of projects. */
    budget: (id: string | readonly string[], value = '1') => {
      for (const each of [id].flat()) world().edit.updateProject(PROCESS, each, { budget: value });
    },
    /** Refuses the task list of a project. */
    refuse: (id: string, status = 403, times = 1_000) =>
      world().service.fail({ when: isTasksOf(id), times, fault: { status } }),
    /** A pass, a minute later, over a table of which these calls are replaced. */
    runOver: (
      calls: Partial<Snapshots>,
      mode: 'changes' | 'sweep' = 'changes',
      { onProgress, ...how }: Omit<Run, 'poll'> & Pick<PollDependencies, 'onProgress'> = {},
    ) => {
      const { pass, poller, run, snapshots } = world();
      pass(60_000);
      const more = onProgress && { onProgress };
      return run(mode, { ...how, poll: poller({ snapshots: { ...snapshots, ...calls }, ...more }) });
    },
    /** The warnings that match, with their details. */
    warned: (message = /./) =>
      world().said.flatMap(one => (one.level === 'warn' && message.test(one.message) ? [one.details] : [])),
    /** What `changewire verify` finds. */
    mismatches: async () => {
      const { process, clock } = world();
      const store = {
        ...dynamoStore(table, [process]),
        processes: async () => [process],
        clock: () => clock.now,
      };
      const asked = { process: PROCESS, workspace: process.workspace };
      const verify = (request: VerifySlice) => verifySlice(store as unknown as OperationsContext, request);
      return (await verifyProcess(verify, asked)).mismatches;
    },
    /** How many requests had such a path. */
    asked: (path: RegExp) => world().service.requests.filter(request => path.test(request.path)).length,
  };
}

/** The identifiers of the first projects of a world. */
export const ids = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(1001 + index));

/** Requests for the tasks of one project. */
export const isTasksOf = (id: string) => (request: { path: string }) =>
  request.path.includes(`/projects/${id}/tasks`);
