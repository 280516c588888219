import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { Copy } from '../../examples/receiver/copy.ts';
import type { JsonObject } from '../../functions/basics/json.ts';
import type { ProcessKey } from '../../functions/basics/process.ts';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import { eventSource } from '../../functions/model/event-id.ts';
import type { Conditions } from '../../functions/model/where.ts';
import { findEndpoint, statusOf } from '../../functions/operations/endpoints.ts';
import { workOffSnapshot } from '../../functions/operations/snapshot.ts';
import type { SentEvent } from '../../receiver/index.ts';
import { checkEvents } from '../kit/check-event.ts';
import { AT, type OpenContext, openContext, PROCESSES, STORES } from '../kit/operations/context.ts';
import { askIn } from '../kit/operations/setting.ts';

const CRM: EndpointSettings = { name: 'crm', kind: 'webhook' };
const [onboarding, sales] = PROCESSES as [ProcessKey, ProcessKey];
const SOURCE = eventSource(onboarding.workspace, onboarding.processId);

/** A project gets these tasks, or is deleted. */
interface Change {
  readonly project: number;
  readonly tasks: readonly number[] | null;
}

describe.each(STORES)('over %s, a snapshot', (_, open) => {
  let context: OpenContext;
  afterEach(() => context.close());

  async function opened(settings: EndpointSettings = CRM): Promise<void> {
    context = openContext(open, [settings]);
    for (const process of PROCESSES) await baselined(process);
  }
  async function baselined(process: ProcessKey, baselinedAt = AT): Promise<void> {
    const request = { mode: 'sweep', owner: 'a', now: AT, until: AT + 1_000 } as const;
    const lease = await context.snapshots.takeLease(process, request);
    const note = { externalId: 'note', name: 'Note', type: 'text' };
    const definitions = { project: [note], task: [note] };
    const state = { baselined: true, baselinedAt, sweptAt: AT, definitions };
    if (lease) await context.snapshots.finish(process, lease, state);
  }
  const ask = () => askIn(context);
  /** Sends the state of one process, or of one project of it. */
  const sent = async (more: { readonly project?: string } = {}): Promise<SentEvent[]> => {
    await ask()('snapshot', { to: 'crm', process: onboarding.processId, ...more });
    await workOff();
    return waiting();
  };
  /** Writes a project as a pass does, or deletes it. */
  async function put(
    id: string,
    tasks: readonly string[] | undefined,
    more: { process?: ProcessKey; note?: string } = {},
  ) {
    const { process = onboarding, note = '' } = more;
    const [expected, at] = [await context.snapshots.load(process, id), context.state.now++];
    const version = Math.max(at, (expected?.version ?? 0) + 1);
    const record: JsonObject = { id, name: `Project ${id}`, note };
    const content = tasks && { record, tasks: new Map(tasks.map(task => [task, { id: task, note }])) };
    const snapshot = content && { version, content, recordReadAt: at, tasksReadAt: at };
    const request = { projectId: id, expected, snapshot, version, events: [], at };
    expect(await context.snapshots.commit(process, request)).toBe('committed');
    return version;
  }
  const waiting = async (): Promise<SentEvent[]> =>
    (await context.deliveries.due('crm', context.state.now, 9_999)).map(({ body }) => JSON.parse(body));
  const workOff = async () => {
    while (await workOffSnapshot(context, 'crm'));
  };
  /** What is stored of a process, by the keys of a copy. */
  const stored = async () => {
    const found: Record<string, object> = {};
    for await (const heads of context.snapshots.heads(onboarding))
      for (const { projectId } of heads) {
        const { record = {}, tasks = [] } =
          (await context.snapshots.load(onboarding, projectId))?.content ?? {};
        found[`${SOURCE} projects/${projectId}`] = record;
        for (const [task, fields] of tasks) found[`${SOURCE} projects/${projectId}/tasks/${task}`] = fields;
      }
    return found;
  };
  /** The details in the action log, the latest first. */
  const did = async () => (await ask()('actions', { endpoint: 'crm' })).actions.map(({ details }) => details);
  const subjects = (events: readonly SentEvent[]) => events.map(({ subject, type }) => subject ?? type);

  it('is each record with its stored version, between markers of each process, to that endpoint alone', async () => {
    await opened();
    const version = await put('p1', ['t2', 't1'], { note: 'x' });
    await put('p2', [], { process: sales });
    const startedAt = context.state.now;
    const processes = [onboarding.processId, sales.processId];
    expect(await ask()('snapshot', { to: 'crm' })).toEqual({ endpoint: 'crm', processes, dryRun: false });
    await workOff();
    const events = checkEvents((await waiting()) as never) as readonly SentEvent[];
    expect(subjects(events).toSorted()).toEqual(
      [
        ...['snapshot.started', 'projects/p1', 'projects/p1/tasks/t1', 'projects/p1/tasks/t2'],
        ...['snapshot.started', 'projects/p2', 'snapshot.completed', 'snapshot.completed'],
      ].toSorted(),
    );
    const ofTask = events.find(({ subject }) => subject === 'projects/p1/tasks/t1');
    const [project, task] = [{ name: 'Project p1' }, { record: { id: 't1', note: 'x' } }];
    expect(ofTask).toMatchObject({
      ...{ type: 'task.snapshot', source: SOURCE, sequence: String(version) },
      data: { project: { id: 'p1', ...project }, task: { id: 't1', ...task } },
    });
    expect(events.find(({ type }) => type === 'snapshot.completed')).toMatchObject({
      sequence: String(startedAt - 60_000),
      data: { projects: 1 },
    });
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(await context.deliveries.due('crm', context.state.now, 1)).toMatchObject([{ replay: true }]);
    expect(context.woken).toContain('crm');
  });

  it('has only records that meet the conditions of its filter, and counts these', async () => {
    const started = async (where: readonly Conditions[]) => {
      await opened({ ...CRM, filter: { where } });
      await put('p1', ['t1'], { note: 'x' });
      await put('p2', ['t1', 't2'], { note: 'long'.repeat(100) });
      const events = await sent();
      const { data } = events.find(({ type }) => type === 'snapshot.completed') ?? {};
      await context.close();
      return [subjects(events).filter(subject => !subject?.startsWith('snapshot')), data];
    };
    const counted = (projects: number, tasks: number) => expect.objectContaining({ projects, tasks });
    const first = await started([{ Note: { in: ['x'] } }]);
    expect(first).toEqual([['projects/p1', 'projects/p1/tasks/t1'], counted(1, 1)]);
    const second = await started([{ 'project.Note': { contains: ['LONG'] }, id: { not: { in: ['t1'] } } }]);
    expect(second).toEqual([['projects/p2', 'projects/p2/tasks/t2'], counted(1, 1)]);
    expect(await started([{ note: { became: { exists: true } } }])).toEqual([[], counted(0, 0)]);
    await opened();
  });

  it('invariant 4: fills a copy while changes go on, whatever crashes, arrives late or comes twice', async () => {
    const tasks = fc.uniqueArray(fc.integer({ min: 0, max: 300 }), { maxLength: 250 });
    const change = fc.record({ project: fc.nat({ max: 3 }), tasks: fc.option(tasks) });
    const changes = fc.array(change, { maxLength: 6 });
    const crashes = fc.array(fc.nat({ max: 2 }), { maxLength: 4 });
    /** Changes a project, as a pass does. @returns the events */
    const apply = async ({ project, tasks }: Change) => {
      const id = `p${project}`;
      const before = await context.snapshots.load(onboarding, id);
      if (!before && !tasks) return [];
      const names = tasks?.map(task => `t${String(task).padStart(3, '0')}`);
      const note = String(context.state.now);
      const version = await put(id, names, { note });
      return changesOf(id, before?.content.tasks.keys(), names, version, note);
    };
    const onCrash = (error: Error) => {
      if (error.message !== 'crashed') throw error;
      return true;
    };
    const property = async (before: Change[], during: Change[], crashing: number[], seed: number) => {
      await opened();
      for (const each of before) await apply(each);
      const copy = new Copy();
      // Of a time that no event tells of: the snapshot must remove it.
      copy.apply(changesOf('gone', [], [], AT - 3_600_000, '')[0] as SentEvent);
      context.state.now += 3_600_000;
      await ask()('snapshot', { to: 'crm', process: onboarding.processId });
      const live: SentEvent[] = [];
      const [crashes, edits] = [[...crashing], [...during]];
      const { endpoints } = context;
      const change: typeof endpoints.change = (...asked) =>
        crashes.shift() ? Promise.reject(new Error('crashed')) : endpoints.change(...asked);
      // Invariant 3: an id stands for one content, also where a slice is repeated.
      const bodies = new Map<string, string>();
      const { deliveries } = context;
      const add: typeof deliveries.add = async added => {
        for (const { eventId, body } of added) expect(bodies.get(eventId) ?? body).toBe(body);
        for (const { eventId, body } of added) bodies.set(eventId, body);
        await deliveries.add(added);
      };
      const ports = { ...context, endpoints: { ...endpoints, change }, deliveries: { ...deliveries, add } };
      for (let more = true; more; ) {
        more = await workOffSnapshot(ports, 'crm').catch(onCrash);
        for (const edit of edits.splice(0, 1)) live.push(...(await apply(edit)));
      }
      for (const edit of edits) live.push(...(await apply(edit)));
      const sent = [...(await waiting()), ...live];
      for (const event of shuffled([...sent, ...sent.slice(0, 20)], seed)) copy.apply(event);
      expect(Object.fromEntries(copy.records())).toEqual(await stored());
      context.close();
    };
    await fc.assert(fc.asyncProperty(changes, changes, crashes, fc.nat(), property), { numRuns: 40 });
    await opened();
  });

  it('counts what it names, also when a project takes several slices', async () => {
    await opened();
    const tasks = Array.from({ length: 450 }, (_, index) => `t${index}`);
    // With the marker: the next project's own event is the last of the slice, before any of its tasks.
    await put('p0', tasks.slice(0, 197));
    await put('p1', tasks);
    await put('p2', ['t']);
    await ask()('snapshot', { to: 'crm', process: onboarding.processId });
    let slices = 1;
    while (await workOffSnapshot(context, 'crm')) slices += 1;
    expect(slices).toBe(5);
    const events = await waiting();
    expect(events).toHaveLength(2 + 3 + 648);
    expect(events.at(-1)).toMatchObject({ type: 'snapshot.completed', data: { projects: 3, tasks: 648 } });
  });

  it('is in slices of 5,000 records, also of those that its filter leaves out', async () => {
    await opened({ ...CRM, filter: { where: [{ Note: { in: ['x'] } }] } });
    const tasks = Array.from({ length: 5_000 }, (_, index) => `t${index}`);
    for (const id of ['p0', 'p1']) await put(id, tasks);
    await put('p2', ['t'], { note: 'x' });
    await ask()('snapshot', { to: 'crm', process: onboarding.processId });
    const added: unknown[] = [];
    while (await workOffSnapshot(context, 'crm'))
      added.push((await context.endpoints.read('crm'))?.snapshot?.added);
    expect(added).toEqual([1, 1, 3]);
    expect((await waiting()).at(-1)).toMatchObject({ data: { projects: 1, tasks: 1 } });
  });

  it('is within the filter of the endpoint, as far as that is about records', async () => {
    const records = { events: ['task.updated'], projects: ['p1'] } as const;
    await opened({ ...CRM, filter: { ...records, fields: ['status'], exceptActors: ['ann'] } });
    await put('p1', ['t1']);
    await put('p2', ['t2']);
    const shown = subjects(await sent());
    expect(shown).toEqual(['snapshot.started', 'projects/p1/tasks/t1', 'snapshot.completed']);
  });

  it('of one project names it in its markers, and counts it alone', async () => {
    await opened();
    for (const id of ['p0', 'p1', 'p2']) await put(id, ['t']);
    const events = await sent({ project: 'p1' });
    const expected = ['projects/p1', 'projects/p1', 'projects/p1/tasks/t', 'projects/p1'];
    expect(subjects(events)).toEqual(expected);
    expect(events.at(-1)?.data).toMatchObject({ projects: 1, tasks: 1 });
    expect((await did())[0]).toBe(`process ${onboarding.processId}, project p1`);
  });

  it('leaves out a project that is deleted while it is being read', async () => {
    await opened();
    for (const id of ['p0', 'p1', 'p2']) await put(id, ['t']);
    const { load } = context.snapshots;
    context.snapshots.load = async (process, id) => (id === 'p1' ? undefined : load(process, id));
    const { heads } = context.snapshots;
    context.snapshots.heads = async function* (...asked) {
      for await (const page of heads(...asked)) yield page.map(({ whole: _, ...head }) => head);
    };
    const events = await sent();
    expect(subjects(events).filter(subject => subject?.startsWith('projects/p1'))).toEqual([]);
    expect(events.at(-1)?.data).toMatchObject({ projects: 2, tasks: 2 });
  });

  it.each([false, true])('has no end for a process that is forgotten, added again: %s', async isAdded => {
    await opened();
    for (const id of ['p1', 'p2']) await put(id, []);
    await ask()('snapshot', { to: 'crm' });
    await workOffSnapshot(context, 'crm');
    await context.roster.forget(onboarding, { now: context.state.now, most: 1 });
    if (isAdded) await baselined(onboarding, AT + 1);
    await workOff();
    const brokenOff = 'A snapshot ended before all records of a process were sent: it was forgotten.';
    expect(context.said).toContain(brokenOff);
    const ends = (await waiting()).filter(({ type }) => type === 'snapshot.completed');
    expect(ends).toMatchObject([{ data: { process: { id: sales.processId } } }]);
  });

  it('sends a record that is too long for an event without it', async () => {
    await opened();
    await put('p1', ['t1'], { note: 'x'.repeat(250_000) });
    const [, project, task] = await sent();
    expect(project?.data).toMatchObject({ project: { id: 'p1', name: 'Project p1' }, truncated: ['record'] });
    expect(task?.data).toMatchObject({ task: { id: 't1' }, truncated: ['record'] });
    expect(JSON.stringify([project, task])).not.toContain('xxx');
  });

  it('shows its progress, and ends when it is cancelled', async () => {
    await opened();
    const tasks = Array.from({ length: 250 }, (_, index) => `t${index}`);
    await put('p1', tasks);
    const status = async () => (await statusOf(context, await findEndpoint(context, 'crm'))).snapshot;
    await ask()('snapshot', { to: 'crm' });
    await workOffSnapshot(context, 'crm');
    expect(await status()).toMatchObject({ added: 200, isQueued: false, process: onboarding.processId });
    await expect(ask()('snapshot', { to: 'crm' })).rejects.toThrow('in progress: wait for it to finish');
    const cancel = () => ask()('cancel-snapshot', { to: 'crm' });
    expect(await cancel()).toEqual({ endpoint: 'crm', wasUnderWay: true, added: 200 });
    expect(await did()).toContain('200 deliveries had been added');
    expect(await cancel()).toMatchObject({ wasUnderWay: false, added: 0 });
    expect(await workOffSnapshot(context, 'crm')).toBe(false);
    expect(await status()).toBeUndefined();
    await ask()('snapshot', { to: 'crm', process: 'sales' });
    await workOff();
    expect(await status()).toMatchObject({ isQueued: true, added: 2 });
    expect(await did()).toContain('process sales');
  });

  it('is refused with what to do instead', async () => {
    const slim = { name: 'slim', kind: 'webhook', record: false } as const;
    context = openContext(open, [CRM, { name: 'team', kind: 'slack' }, slim]);
    await expect(ask()('snapshot', { to: 'slim' })).rejects.toThrow('so a snapshot would be empty.');
    const early = 'The first pass of process on boarding has not ended: see the status.';
    await expect(ask()('snapshot', { to: 'crm' })).rejects.toThrow(early);
    await expect(ask()('snapshot', { to: 'team' })).rejects.toThrow('A chat shows changes only.');
    await expect(ask()('snapshot', { to: 'crm', process: 'sale' })).rejects.toThrow('Did you mean sales?');
    await baselined(onboarding);
    await expect(sent({ project: 'p9' })).rejects.toThrow('Process on boarding has no project with this id.');
  });

  it('counts the projects in a dry run, and does nothing else', async () => {
    await opened();
    await put('p1', []);
    await put('p2', [], { process: sales });
    const counted = { projects: { atLeast: 2, isExact: true }, dryRun: true };
    expect(await ask()('snapshot', { to: 'crm', dryRun: true })).toMatchObject(counted);
    expect((await context.endpoints.read('crm'))?.snapshot).toBeUndefined();
  });
});

function shuffled<One>(all: readonly One[], seed: number): One[] {
  const inAnyOrder = fc.shuffledSubarray([...all], { minLength: all.length });
  return fc.sample(inAnyOrder, { seed, numRuns: 1 })[0] ?? [];
}

/** The events of a commit, as far as a copy needs them. */
function changesOf(
  project: string,
  before: Iterable<string> = [],
  after: readonly string[] | undefined,
  version: number,
  note: string,
): SentEvent[] {
  const event = (subject: string, type: string, data: object) =>
    ({
      ...{ id: `${subject}.${version}`, source: SOURCE, subject, type, sequence: String(version), data },
    }) as SentEvent;
  const at = `projects/${project}`;
  const tasks = [...new Set([...before, ...(after ?? [])])].map(id =>
    after?.includes(id)
      ? event(`${at}/tasks/${id}`, 'task.updated', { task: { id, record: { id, note } } })
      : event(`${at}/tasks/${id}`, 'task.deleted', { task: { id } }),
  );
  const record = { id: project, name: `Project ${project}`, note };
  return [
    after
      ? event(at, 'project.updated', { project: { id: project, record } })
      : event(at, 'project.deleted', { project: { id: project } }),
    ...tasks,
  ];
}
