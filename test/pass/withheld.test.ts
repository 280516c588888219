import { zstdDecompressSync } from 'node:zlib';
import { paginateScan } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withheldProperties } from '../../functions/basics/property-names.ts';
import { underOneList } from '../../functions/pass/withheld.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { inShort, PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
let world: World;

const processWith = (withhold: readonly string[]) => ({
  id: PROCESS,
  ...(withhold.length > 0 && { withhold }),
});

/** Ten minutes after a baseline under this list. */
async function settledUnder(withhold: readonly string[], options: WorldOptions = {}): Promise<void> {
  world = await stage.settled({ ...options, settings: { processes: [processWith(withhold)] } as never });
}

/** A pass, a minute later, under a list. @returns the events that it emitted */
async function passUnder(withhold: readonly string[], mode: 'changes' | 'sweep' = 'sweep') {
  const processes = world.workspace.processes.map(process => ({ ...process, withhold: [...withhold] }));
  const before = (await world.events()).length;
  world.pass(60_000);
  await world.run(mode, { poll: world.poller({ workspaces: [{ ...world.workspace, processes }] }) });
  return (await world.events()).slice(before);
}

/** The properties of the stored records, of the process's projects and their tasks. */
async function stored(): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const heads of world.snapshots.heads(world.process)) {
    for (const { projectId } of heads) {
      const content = await world.snapshots.load(world.process, projectId);
      for (const record of [content?.content.record ?? {}, ...(content?.content.tasks.values() ?? [])])
        for (const name of Object.keys(record)) names.add(name);
    }
  }
  return names;
}

/** All values of all items of the table, in plain text. */
async function rowsOfTable(): Promise<string> {
  const texts: string[] = [];
  const replacer = (_: string, value: unknown) => {
    if (!(value instanceof Uint8Array)) return value;
    texts.push(zstdDecompressSync(value).toString('utf8'));
    return undefined;
  };
  const { client, tableName: TableName } = stage.table;
  for await (const { Items } of paginateScan({ client }, { TableName, ConsistentRead: true }))
    texts.push(JSON.stringify(Items, replacer));
  return texts.join();
}

const TASK = '500001';
const editProject = (values: Record<string, string>) => world.edit.updateProject(PROCESS, '1001', values);
const editTask = (values: Record<string, string>) => world.edit.updateTask(PROCESS, '1001', TASK, values);

/** A task more at each request for the tasks of the first project. */
const neverAtRest = () => {
  const before = async () => void world.edit.createTask(PROCESS, '1001', { note: 'x' });
  return world.service.fail({ when: isTasksOf('1001'), times: 1_000, fault: { before } });
};

describe('withheld fields', () => {
  it('are in no snapshot and no event: created, changed or deleted', async () => {
    await settledUnder(['budget', 'Due date']);
    editProject({ budget: '4711', summary: 'one' });
    editTask({ dueDate: '2026-12-24', note: 'two' });
    const id = world.edit.createProject(PROCESS, { budget: '4711' });
    await passUnder(['budget', 'Due date'], 'changes');
    world.edit.deleteProject(PROCESS, id);
    world.edit.deleteTask(PROCESS, '1001', TASK);
    await passUnder(['budget', 'Due date']);
    const events = await world.events();
    expect(inShort(events).join()).toMatch(/project.updated 1001 summary.*task.deleted/);
    expect(JSON.stringify(events)).not.toMatch(/4711|2026-12-24|"budget"|"dueDate"/);
    expect((await stored()).isDisjointFrom(new Set(['budget', 'dueDate']))).toBe(true);
    expect(await stored()).toContain('effortHours');
    const rows = await rowsOfTable();
    expect(rows).toContain('effortHours');
    expect(rows).not.toMatch(/4711|2026-12-24/);
  });

  it('are in no deletion of a project whose snapshot is older than the list', async () => {
    await settledUnder([]);
    world.edit.deleteProject(PROCESS, '1001', { audit: false });
    const events = await passUnder(['budget', 'Due date']);
    expect(inShort(events)).toContain('project.deleted 1001');
    expect(JSON.stringify(events)).not.toMatch(/"budget"|"dueDate"/);
  });

  it('are not among the tasks that stay known where a list never came to rest', async () => {
    await settledUnder([], { pageSize: { tasks: 1 } });
    neverAtRest();
    expect(JSON.stringify(await passUnder(['Due date']))).not.toContain('"dueDate"');
    const content = await world.snapshots.load(world.process, '1001');
    expect(JSON.stringify([...(content?.content.tasks.values() ?? [])])).not.toContain('"dueDate"');
  });

  it.each([
    ['cannot be read', () => stage.refuse('1001', 404, 2)],
    ['never come to rest', () => neverAtRest()],
  ])('come and go without an event as the list changes; they wait where the tasks %s', async (_, disturb) => {
    await settledUnder([], { pageSize: { tasks: 2 } });
    expect(await passUnder(['budget', 'Due date', 'summary'])).toEqual([]);
    expect((await stored()).isDisjointFrom(new Set(['budget', 'dueDate']))).toBe(true);
    editProject({ budget: '1', summary: '1' });
    editTask({ dueDate: '2027-01-01' });
    const disturbed = disturb();
    const events = [];
    for (let pass = 1; pass <= 3; pass += 1) events.push(...(await passUnder(['summary'])));
    disturbed.cancel();
    events.push(...(await passUnder(['summary'])));
    expect(inShort(events).join()).not.toContain('.updated');
    const { content } = (await world.snapshots.load(world.process, '1001')) ?? {};
    expect(content?.record).toMatchObject({ budget: '1' });
    expect(content?.record).not.toHaveProperty('summary');
    expect(content?.tasks.get(TASK)?.dueDate).toBe('2027-01-01');
    editProject({ budget: '2', summary: '2' });
    expect(inShort(await passUnder(['summary'], 'changes'))).toEqual([
      'project.updated 1001 budget: "1" → "2"',
    ]);
  });

  it('come back without an event in a project that was first read under the list', async () => {
    await settledUnder(['budget']);
    const id = world.edit.createProject(PROCESS, { budget: '4711' });
    await passUnder(['budget'], 'changes');
    const loaded = () => world.snapshots.load(world.process, id);
    expect((await loaded())?.withheld).toEqual({ names: ['budget'] });
    expect(await passUnder([])).toEqual([]);
    expect((await loaded())?.content.record).toMatchObject({ budget: '4711' });
    const other = world.edit.createProject(PROCESS, {});
    await passUnder([], 'changes');
    expect(await world.snapshots.load(world.process, other)).not.toHaveProperty('withheld');
  });

  it('and none else are left out, whatever is edited while the list changes, also by runs of both lists', async () => {
    /** Names in the list, with their records and properties. */
    const fields = {
      budget: { edit: editProject, property: 'budget' },
      summary: { edit: editProject, property: 'summary' },
      'Due date': { edit: editTask, property: 'dueDate' },
      Note: { edit: editTask, property: 'note' },
    };
    const names = fc.subarray(Object.keys(fields) as (keyof typeof fields)[]);
    const how = fc.constantFrom('a sweep', 'both modes', 'both lists at once');
    const steps = fc.array(fc.record({ list: names, edited: names, how }), { minLength: 2, maxLength: 5 });
    const step = async (index: number, before: readonly string[], { list, edited, how }: typeof drawn) => {
      for (const name of edited)
        fields[name].edit({
          [fields[name].property]: name === 'Due date' ? `2027-01-0${index + 1}` : `${index + 1}`,
        });
      const told = [];
      if (how === 'both modes') told.push(...(await passUnder(list, 'changes')));
      if (how === 'both lists at once') {
        const both = await Promise.all([passUnder(before, 'changes'), passUnder(list)]);
        told.push(...new Map(both.flat().map(event => [event.id, event])).values());
      }
      told.push(...(await passUnder(list)));
      const hidden = withheldProperties([...before, ...list]);
      const changed = told.flatMap(({ data }) =>
        'changes' in data ? data.changes.map(({ field }) => field) : [],
      );
      const expected = edited.map(name => fields[name].property).filter(property => !hidden.has(property));
      // A run of the old list may emit what it does not withhold.
      const isByOld = (property: string) =>
        how === 'both lists at once' && !withheldProperties(before).has(property) && hidden.has(property);
      expect(changed.filter(property => !isByOld(property as string)).toSorted()).toEqual(
        expected.toSorted(),
      );
      expect((await stored()).isDisjointFrom(withheldProperties(list))).toBe(true);
    };
    let drawn: { list: (keyof typeof fields)[]; edited: (keyof typeof fields)[]; how: string };
    await fc.assert(
      fc.asyncProperty(steps, async all => {
        await settledUnder([]);
        for (const [index, one] of all.entries()) await step(index, all[index - 1]?.list ?? [], one);
        expect(await stage.mismatches()).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });
});

it('tells that a field is not withheld where the list has its name in place of its externalId', async () => {
  await settledUnder(['Risk level', 'Effort hours', 'effortHours', 'nothing']);
  expect(stage.warned(/not withheld/)).toEqual([
    expect.objectContaining({ field: 'Risk level', externalId: 'risk-level' }),
  ]);
});

describe('a snapshot of another list', () => {
  const record = { id: '7', salary: '1', bonus: '2' };
  const times = { readAt: 5, readBefore: 6 };
  const listed = { record: { ...record, salary: '3' }, digest: 'r', ...times };
  const tasks = { tasks: new Map([['1', { id: '1', salary: '4' }]]), digest: 't', ...times };
  const content = { record: { id: '7', bonus: '2' }, tasks: new Map([['1', { id: '1', bonus: '2' }]]) };
  const snapshot = { version: 9, content, recordReadAt: 1, tasksReadAt: 1, withheld: { names: ['salary'] } };
  const seen = {
    projectId: '7',
    listing: 'whole',
    snapshot,
    tombstone: undefined,
    recheck: undefined,
  } as const;

  it.each([
    ['the tasks', { listed, tasks: undefined }],
    ['the record', { listed: undefined, tasks }],
    ['all tasks', { listed, tasks: { ...tasks, isUnstable: true } }],
  ])('is compared without the fields of both lists, and not by bytes, where %s were not read', (_, read) => {
    const { snapshot: known, ...now } = underOneList({ ...seen, ...read }, ['bonus']);
    expect(known).toMatchObject({ withheld: { names: ['salary', 'bonus'] } });
    expect(JSON.stringify([known?.content.record, ...(known?.content.tasks.values() ?? [])])).toBe(
      '[{"id":"7"},{"id":"1"}]',
    );
    if (now.listed) expect(now.listed).toEqual({ ...listed, record: { id: '7' }, digest: '' });
    if (now.tasks)
      expect(now.tasks).toMatchObject({ digest: undefined, tasks: new Map([['1', { id: '1' }]]) });
  });

  it('keeps since which version events do not lead to a field, until that is withheld again', () => {
    const read = { listed: { ...listed, record: { id: '7', salary: '3' } }, tasks };
    const shown = underOneList({ ...seen, ...read }, ['bonus']).snapshot;
    expect(shown?.withheld).toEqual({ names: ['bonus'], shown: [['salary', 9]] });
    const again = underOneList({ ...seen, ...read, snapshot: shown }, ['salary']).snapshot;
    expect(again?.withheld).toEqual({ names: ['salary'], shown: [['bonus', 9]] });
  });
});
