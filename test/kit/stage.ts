import { afterAll, afterEach, beforeAll } from 'vitest';
import { openTable, type TestTable } from './table.ts';
import { createWorld, inShort, type World, type WorldOptions } from './world.ts';

/** One table for a test file, and a world for each of its tests, which is closed with the test. */
export function openStage() {
  let table: TestTable;
  let world: World | undefined;
  beforeAll(async () => {
    table = await openTable();
  });
  afterAll(() => table?.stop());
  afterEach(async () => {
    await world?.stop();
    world = undefined;
  });
  return {
    /** The table behind all worlds of the file. */
    get table(): TestTable {
      return table;
    },
    /** A world in which no pass was made yet. */
    async create(options: WorldOptions = {}): Promise<World> {
      world = await createWorld(table, options);
      return world;
    },
    /** Everything told so far, in short. */
    async told(): Promise<string[]> {
      return world ? inShort(await world.events()) : [];
    },
  };
}

/** Requests for the tasks of one project. */
export const isTasksOf = (id: string) => (request: { path: string }) =>
  request.path.includes(`/projects/${id}/tasks`);
