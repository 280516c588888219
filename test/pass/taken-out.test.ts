import { describe, expect, it, onTestFinished } from 'vitest';
import { createJournalReader } from '../../functions/store/dynamo/journal.ts';
import { createRoster } from '../../functions/store/dynamo/processes.ts';
import { createSnapshots } from '../../functions/store/dynamo/store.ts';
import { openDatabase } from '../../functions/store/sqlite/database.ts';
import { sqliteJournalReader } from '../../functions/store/sqlite/journal.ts';
import { sqliteRoster } from '../../functions/store/sqlite/processes.ts';
import { SNAPSHOTS_SCHEMA } from '../../functions/store/sqlite/schema.ts';
import { sqliteSnapshots } from '../../functions/store/sqlite/store.ts';
import type { JournalReader, Roster, Snapshots } from '../../functions/store/store.ts';
import { openStage } from '../kit/stage.ts';
import { inShort, type World } from '../kit/world.ts';

interface Kept {
  readonly snapshots: Snapshots;
  readonly roster: Roster;
  readonly journal: JournalReader;
}

const stage = openStage();

function inTable({ process }: World): Kept {
  const { table } = stage;
  return {
    snapshots: createSnapshots(table),
    roster: createRoster(table),
    journal: createJournalReader(table, [process]),
  };
}

function inFile(): Kept {
  const database = openDatabase(':memory:', [SNAPSHOTS_SCHEMA]);
  onTestFinished(() => database.file.close());
  return {
    snapshots: sqliteSnapshots(database),
    roster: sqliteRoster(database),
    journal: sqliteJournalReader(database),
  };
}

const DAY = 24 * 3_600_000;

describe.each([
  ['the table', inTable],
  ['SQLite', inFile],
] as const)('a process that is taken out of the configuration and in again, over %s,', (_, open) => {
  /** A process of three projects with a baseline and one change that was told, which nobody polls for a day. */
  const takenOut = async () => {
    const world = await stage.create();
    const kept = open(world);
    const poll = world.poller({ snapshots: kept.snapshots });
    const pass = (mode: 'changes' | 'sweep' = 'changes') => {
      world.pass(60_000);
      return world.run(mode, { poll });
    };
    const events = async () => {
      const search = { order: 'oldest-first', since: 0, until: world.clock.now + 1 } as const;
      const records = await Array.fromAsync(kept.journal.search(search));
      return records.flatMap(record => record.events());
    };
    await kept.roster.remember([world.process]);
    await pass();
    world.edit.updateProject('onboarding', '1001', { name: 'first' });
    await pass();
    const told = await events();
    expect(inShort(told)).toEqual([expect.stringContaining('project.updated 1001')]);
    world.edit.updateProject('onboarding', '1001', { name: 'meanwhile' });
    world.edit.deleteProject('onboarding', '1002');
    world.pass(DAY);
    const since = async () => (await events()).slice(told.length);
    return { world, kept, pass, since, told };
  };

  it('begins with a new baseline, which tells nothing, when it was forgotten; no version is used twice', async () => {
    const { world, kept, pass, since, told } = await takenOut();
    const page = { now: world.clock.now, most: 2 };
    while ((await kept.roster.count(world.process, 1)) > 0) await kept.roster.forget(world.process, page);
    expect(await kept.roster.forget(world.process, page)).toMatchObject({ isDone: true });
    expect(await pass()).toMatchObject({ mode: 'baseline', outcome: 'completed', projects: 2 });
    await pass('sweep');
    expect(await since()).toEqual([]);
    world.edit.updateProject('onboarding', '1001', { name: 'again' });
    await pass();
    const [event, ...more] = await since();
    expect([event?.type, more]).toEqual(['project.updated', []]);
    expect(Number(event?.sequence)).toBeGreaterThan(Number(told[0]?.sequence));
  });
});
