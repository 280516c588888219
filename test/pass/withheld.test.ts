import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withheldProperties } from '../../functions/changes/withheld.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { inShort, PROCESS, type World } from '../kit/world.ts';

const stage = openStage();
let world: World;

const processWith = (withhold: readonly string[]) => ({
  id: PROCESS,
  ...(withhold.length > 0 && { withhold }),
});

/** Ten minutes after a baseline under this list. */
async function settledUnder(withhold: readonly string[]): Promise<void> {
  world = await stage.settled({ settings: { processes: [processWith(withhold)] } as never });
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

const TASK = '500001';
const editProject = (values: Record<string, string>) => world.edit.updateProject(PROCESS, '1001', values);
const editTask = (values: Record<string, string>) => world.edit.updateTask(PROCESS, '1001', TASK, values);

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
  });

  it('are in no deletion of a project whose snapshot is older than the list', async () => {
    await settledUnder([]);
    world.edit.deleteProject(PROCESS, '1001', { audit: false });
    const events = await passUnder(['budget', 'Due date']);
    expect(inShort(events)).toContain('project.deleted 1001');
    expect(JSON.stringify(events)).not.toMatch(/"budget"|"dueDate"/);
  });

  it('are not among the tasks that stay known where a list never came to rest', async () => {
    await settledUnder([]);
    const shorten = () => world.edit.createTask(PROCESS, '1001', { note: 'x' });
    world.service.fail({
      when: isTasksOf('1001'),
      times: 1_000,
      fault: { before: async () => void shorten() },
    });
    const events = await passUnder(['Due date']);
    expect(JSON.stringify(events)).not.toContain('"dueDate"');
    const content = await world.snapshots.load(world.process, '1001');
    expect(JSON.stringify([...(content?.content.tasks.values() ?? [])])).not.toContain('"dueDate"');
  });

  it('come and go without an event when the list changes, and a project whose tasks cannot be read waits', async () => {
    await settledUnder([]);
    expect(await passUnder(['budget', 'Due date'])).toEqual([]);
    expect((await stored()).isDisjointFrom(new Set(['budget', 'dueDate']))).toBe(true);
    editProject({ budget: '1' });
    editTask({ dueDate: '2027-01-01' });
    stage.refuse('1001', 404, 2);
    expect(await passUnder([])).toEqual([]);
    expect(await passUnder([])).toEqual([]);
    expect(await passUnder([])).toEqual([]);
    const { content } = (await world.snapshots.load(world.process, '1001')) ?? {};
    expect(content?.record.budget).toBe('1');
    expect(content?.tasks.get(TASK)?.dueDate).toBe('2027-01-01');
    editProject({ budget: '2' });
    expect(inShort(await passUnder([], 'changes'))).toEqual(['project.updated 1001 budget: "1" → "2"']);
  });

  it('and none else are left out, whatever is edited while the list changes', async () => {
    const fields = ['budget', 'summary', 'Due date', 'Note'] as const;
    const step = fc.record({
      list: fc.subarray([...fields]),
      edited: fc.subarray([...fields]),
      modes: fc.constantFrom(['sweep'] as const, ['changes', 'sweep'] as const),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async steps => {
        await settledUnder([]);
        let before: readonly string[] = [];
        for (const [index, { list, edited, modes }] of steps.entries()) {
          const value = (name: string) => (name === 'Due date' ? `2027-01-0${index + 1}` : String(index + 1));
          const ofProject = edited.filter(name => name === 'budget' || name === 'summary');
          const ofTask = edited.filter(name => name === 'Due date' || name === 'Note');
          const valuesOf = (names: readonly string[], property = (name: string) => name) =>
            Object.fromEntries(names.map(name => [property(name), value(name)]));
          if (ofProject.length > 0) editProject(valuesOf(ofProject));
          const camel = (name: string) => (name === 'Note' ? 'note' : 'dueDate');
          if (ofTask.length > 0) editTask(valuesOf(ofTask, camel));
          const events = [];
          for (const mode of modes) events.push(...(await passUnder(list, mode)));
          const hidden = withheldProperties([...before, ...list]);
          const told = events.flatMap(({ data }) =>
            'changes' in data ? data.changes.map(({ field }) => field) : [],
          );
          const expected = [...ofProject, ...ofTask.map(camel)].filter(name => !hidden.has(name));
          expect(told.toSorted()).toEqual(expected.toSorted());
          const now = withheldProperties(list);
          expect(JSON.stringify(events)).not.toMatch(
            new RegExp([...now, '"never"'].map(name => `"${name}"`).join('|')),
          );
          expect((await stored()).isDisjointFrom(now)).toBe(true);
          before = list;
        }
      }),
      { numRuns: 15 },
    );
  });
});
