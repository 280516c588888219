import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startReceiver } from '../../examples/receiver/server.ts';
import { createPublish } from '../../functions/handlers/create-publish.ts';
import type { ChangeEvent, FieldChange } from '../../functions/model/event.ts';
import { openDatabase } from '../../functions/store/sqlite/database.ts';
import { DELIVERIES_SCHEMA } from '../../functions/store/sqlite/schema.ts';
import { sqliteDeliveries } from '../../functions/store/sqlite/store.ts';
import { Topic } from '../../local/loops/topic.ts';
import { LocalSns } from '../../local/sns/sns.ts';
import { checkEvents } from '../kit/check-event.ts';
import { openEmbedded, openModel } from '../kit/store/tables.ts';
import { usesModel } from '../kit/table.ts';
import { createWorld, inShort, PROCESS, type World } from '../kit/world.ts';

/** The whole way: an edit in the service, the poller, the table, its stream, the publisher, SNS, HTTP, a subscriber. */
async function startStack() {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.reverse()) await closer();
  };
  const sleep = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms));
  try {
    const table = await (usesModel ? openModel() : openEmbedded());
    closers.push(table.stop);
    const world = await createWorld(table, { projects: 3, tasksPerProject: 2, overHttp: true });
    closers.push(world.stop);
    const deliveries = sqliteDeliveries(openDatabase(':memory:', [DELIVERIES_SCHEMA]));
    const topic = new Topic({ deliveries, clock: Date.now });
    const dataDirectory = mkdtempSync(join(tmpdir(), 'changewire-over-http-'));
    closers.push(async () => rmSync(dataDirectory, { recursive: true }));
    const none = () => undefined;
    const log = { info: none, warn: none, failed: none, arrived: none };
    const sns = new LocalSns({ topic, deliveries, dataDirectory, clock: Date.now, sleep, log });
    closers.push(() => sns.stop());
    const received: ChangeEvent[] = [];
    const receiver = await startReceiver({
      host: '127.0.0.1',
      port: 0,
      senders: new Map([['/sns', { topicArn: sns.topicArn, allowLoopback: true }]]),
      apply: event => void received.push(event as ChangeEvent),
      log: () => {},
    });
    closers.push(receiver.stop);
    await (await sns.subscribe({ url: receiver.urls[0] as string })).confirmed;
    const publish = createPublish({
      sns: topic as unknown as Parameters<typeof createPublish>[0]['sns'],
      topicArn: sns.topicArn,
      sleep,
      random: Math.random,
      reject: async ({ reason }) => Promise.reject(new Error(reason)),
      log: { info: () => {}, warn: () => {}, error: () => {} },
    });
    let handed = 0;
    /** As the event source does: every record of the stream once, in order. */
    const publishAll = async () => {
      const Records = (await table.stream()).slice(handed);
      handed += Records.length;
      expect(await publish({ Records }, { getRemainingTimeInMillis: () => 60_000 })).toEqual({
        batchItemFailures: [],
      });
      await sns.idle();
    };
    /** Everything that the edits since the last call gave, in the order of the journal. */
    const eventsOf = async (edit: () => void): Promise<readonly ChangeEvent[]> => {
      received.length = 0;
      edit();
      await world.later();
      await publishAll();
      const order = ({ sequence, id }: ChangeEvent) =>
        `${sequence} ${id.split('.').at(-1)?.padStart(6, '0')}`;
      return checkEvents(received.toSorted((left, right) => (order(left) < order(right) ? -1 : 1)));
    };
    await world.run();
    return { world, eventsOf, close };
  } catch (error) {
    await close();
    throw error;
  }
}

let world: World;
let eventsOf: (edit: () => void) => Promise<readonly ChangeEvent[]>;
let close: () => Promise<void>;
beforeEach(async () => {
  ({ world, eventsOf, close } = await startStack());
});
afterEach(() => close?.());

const text = (field: string, name: string, type: string, to: string): FieldChange => ({
  ...{ field, name, kind: 'custom', type, from: '', to },
});
const choices = (field: string, name: string, to: string[]): FieldChange => ({
  ...{ field, name, kind: 'custom', type: 'multiple-choice', from: [], to, added: to, removed: [] },
});
/** Edits that set each field of a kind, and the changes that follow, by field. */
const PROJECT_FIELDS = [
  text('budget', 'Budget', 'number', '12.50'),
  text('phase', 'Phase', 'single-choice', 'Build'),
  choices('regions', 'Regions', ['North', 'East']),
  text('startDate', 'Start date', 'date', '2026-12-01'),
  text('summary', 'Summary', 'text', 'Words'),
];
const namesOf = (changes: readonly FieldChange[]) =>
  Object.fromEntries(changes.map(({ field, name }) => [field, name]));
const editOf = (changes: readonly FieldChange[]) =>
  Object.fromEntries(changes.map(({ field, to }) => [field, to]));

describe('an edit in the service arrives over HTTP, field by field', () => {
  it('of a project’s fields of each type', async () => {
    const [event, ...others] = await eventsOf(() =>
      world.edit.updateProject(PROCESS, '1001', editOf(PROJECT_FIELDS)),
    );
    expect(others).toEqual([]);
    const record = world.edit.projects(PROCESS).find(({ id }) => id === '1001');
    const held = await world.snapshots.load(world.process, '1001');
    expect(event).toEqual({
      specversion: '1.0',
      id: `${PROCESS}.1001.${held?.version}.0`,
      source: `/workspaces/${world.process.workspace}/processes/${PROCESS}`,
      type: 'project.updated',
      subject: 'projects/1001',
      time: expect.any(String),
      datacontenttype: 'application/json',
      sequence: String(held?.version),
      data: {
        process: { id: PROCESS },
        project: { id: '1001', name: 'Project 1', record, names: namesOf(PROJECT_FIELDS) },
        changes: PROJECT_FIELDS,
        observed: { after: expect.any(String), before: expect.any(String) },
      },
    });
  });

  it('that creates and deletes a project and a task', async () => {
    const ids: string[] = [];
    const created = await eventsOf(() => {
      const project = world.edit.createProject(PROCESS, { name: 'New', budget: '5' });
      ids.push(project, world.edit.createTask(PROCESS, project, { name: 'First' }));
    });
    const [project, task] = ids;
    expect(inShort(created)).toEqual([`project.created ${project}`, `task.created ${project}/${task}`]);
    const fields = created.map(event =>
      'changes' in event.data ? event.data.changes.map(({ field }) => field) : [],
    );
    expect(fields[0]).toEqual(expect.arrayContaining(['budget', 'name']));
    expect(fields[0]).not.toContain('summary');
    const gone = await eventsOf(() => world.edit.deleteTask(PROCESS, project ?? '', task ?? ''));
    expect(inShort(gone)).toEqual([`task.deleted ${project}/${task}`]);
    expect(gone[0]?.data).toMatchObject({ task: { id: task, name: 'First' }, changes: [] });
    const deleted = await eventsOf(() => world.edit.deleteProject(PROCESS, project ?? ''));
    expect(inShort(deleted)).toEqual([`project.deleted ${project}`]);
    expect(deleted[0]?.data).toMatchObject({
      project: { id: project, name: 'New', record: { budget: '5' } },
    });
  });

  it('but of records nothing arrives for a re-ordered choice, a touched timestamp, or a field that comes or goes', async () => {
    await eventsOf(() => world.edit.updateProject(PROCESS, '1001', { regions: ['North', 'East'] }));
    const quiet = await eventsOf(() => {
      world.edit.updateProject(PROCESS, '1001', { regions: ['East', 'North'] });
      world.edit.touchProject(PROCESS, '1002');
      world.edit.addField(PROCESS, 'project', { externalId: 'extra', name: 'Extra', type: 'text' });
      world.edit.addField(PROCESS, 'task', { externalId: 'extra', name: 'Extra', type: 'number' });
    });
    expect(inShort(quiet).sort()).toEqual(['field.created project:extra', 'field.created task:extra']);
    const archived = await eventsOf(() => {
      world.edit.archiveField(PROCESS, 'project', 'extra');
      world.edit.archiveField(PROCESS, 'task', 'extra');
    });
    expect(inShort(archived)).toEqual(['field.archived task:extra']);
  });
});
