import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AttributeValue,
  PutItemCommand,
  ScanCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { workspaceSettings } from '../../functions/config/read.ts';
import { createPoll } from '../../functions/handlers/create-poll.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { connect } from '../../functions/service/client.ts';
import { checkLayout, LayoutError, TABLE_LAYOUT } from '../../functions/store/dynamo/layout.ts';
import { dynamoStore } from '../../functions/store/dynamo/store.ts';
import type { Table } from '../../functions/store/dynamo/table.ts';
import { openSqliteStore } from '../../functions/store/sqlite/store.ts';
import type { Store } from '../../functions/store/store.ts';
import { startSimulatedService } from '../../simulator/server.ts';
import { TABLES } from '../kit/store/tables.ts';
import { openModel, TABLE_TIMING } from '../kit/table.ts';
import { temporaryDirectory } from '../kit/temporary.ts';
import { modelClient, type TableModel } from '../simulation/models/table.ts';

/** What the functions of 0.1.0 left: a table (read back from DynamoDB), a file, and the service that they watched. */
const KEPT = join(import.meta.dirname, 'data/0.1.0');
const NOW = Date.parse('2026-11-24T12:00:00Z');
const PROCESSES = ['plain', 'audited'].map(processId => ({ workspace: 'eu', processId }));
const MIGRATION = { until: Number.POSITIVE_INFINITY };

type Item = Record<string, AttributeValue>;
const isLayout = ({ pk }: Item) => pk?.S === 'LAYOUT';

/** The items of 0.1.0's table, in the order of their keys. */
function keptItems(): Item[] {
  const requeued = (name: string, value: unknown) =>
    name === 'B' ? Buffer.from(value as string, 'base64') : value;
  return JSON.parse(readFileSync(join(KEPT, 'table.json'), 'utf8'), requeued) as Item[];
}

async function fill(table: Table, items = keptItems()): Promise<void> {
  for (const Item of items) await table.client.send(new PutItemCommand({ TableName: table.tableName, Item }));
}

async function eventsOf({ journal }: Pick<Store, 'journal'>): Promise<ChangeEvent[]> {
  const events: ChangeEvent[] = [];
  for (let position: string | undefined, isMore = true; isMore; isMore = position !== undefined) {
    const slice = await journal.read({ since: 0, until: 2 * NOW, position }, 99);
    events.push(...slice.entries.map(({ event }) => event));
    position = slice.position;
  }
  return events;
}

const STORES: [string, () => Promise<Store>][] = [
  ...[true, false].flatMap(isMarked =>
    TABLES.map(([name, open]): (typeof STORES)[number] => [
      isMarked ? name : `${name}, without the row of its layout`,
      async () => {
        const table = await open();
        onTestFinished(table.stop);
        await fill(
          table,
          keptItems().filter(item => isMarked || !isLayout(item)),
        );
        await checkLayout(table, MIGRATION);
        return dynamoStore(table, PROCESSES);
      },
    ]),
  ),
  [
    'SQLite',
    async () => {
      const path = join(temporaryDirectory(), 'changewire.sqlite');
      copyFileSync(join(KEPT, 'changewire.sqlite'), path);
      const store = openSqliteStore(path);
      onTestFinished(() => store.close());
      return store;
    },
  ],
];

describe.each(STORES)('what 0.1.0 left in %s', (name, open) => {
  it('is read: states, snapshots, the journal, deliveries, attempts, endpoints and actions', async () => {
    const { snapshots, journal, deliveries, endpoints, actions } = await open();
    for (const process of PROCESSES) {
      expect(await snapshots.readState(process)).toMatchObject({
        baselined: true,
        watermark: expect.any(Number),
        definitions: { task: expect.arrayContaining([expect.objectContaining({ externalId: 'added' })]) },
        isSweepUnfinished: false,
      });
      const heads = (await Array.fromAsync(snapshots.heads(process))).flat();
      const found = heads.map(head => snapshots.load(process, head.projectId));
      expect(await Promise.all(found)).toEqual(
        heads.map(({ version }) => expect.objectContaining({ version })),
      );
      expect(heads).toHaveLength(2);
    }
    const types = (await eventsOf({ journal })).map(({ type }) => type);
    expect(types.filter(type => type === 'project.deleted')).toHaveLength(2);
    expect(types.filter(type => type === 'audit.recorded')).toHaveLength(4);

    const due = await deliveries.due('crm', NOW, 9);
    const replays = [false, false, true, true];
    expect(due.map(({ eventId }) => eventId)).toEqual(['e2', 'e4', 'e1', 'e3']);
    expect(due.map(({ replay }) => replay ?? false)).toEqual(replays);
    expect(await deliveries.dead('crm', 9)).toMatchObject([{ eventId: 'e5', reason: 'It answered 500.' }]);
    const [attempt] = await deliveries.attempts('crm', 9);
    expect(attempt?.events.map(({ id }) => id)).toEqual(['e4', 'e2']);
    if (name === 'SQLite')
      expect(await deliveries.attemptsOf('crm', { eventId: 'e2', at: 0 }, 9)).toEqual([attempt]);
    expect(await endpoints.list()).toMatchObject([{ name: 'crm', settings: { kind: 'webhook' } }]);
    const subjects = (await actions.list(undefined, 9)).actions.map(({ subject }) => subject);
    const plain = { process: PROCESSES[0] };
    expect(subjects).toEqual([{ stack: true }, { endpoint: 'removed' }, plain, { endpoint: 'crm' }]);
  });

  it('is gone on from: the next passes commit what has changed since, and nothing else', async () => {
    const { snapshots, workspaces, journal } = await open();
    const file = join(temporaryDirectory(), 'service.json');
    copyFileSync(join(KEPT, 'service.json'), file);
    const service = await startSimulatedService({ file, clock: () => NOW });
    onTestFinished(() => service.stop());
    const settings = workspaceSettings({
      ...{ name: 'eu', baseUrl: service.baseUrl, authUrl: service.authUrl, audience: service.audience },
      processes: [{ id: 'plain' }, { id: 'audited', audit: true }],
    });
    const clock = () => NOW;
    const poll = createPoll({
      workspaces: [settings],
      snapshots,
      rows: workspaces,
      connect: workspace =>
        connect({
          ...workspace,
          ...TABLE_TIMING,
          clock,
          credentials: async () => service,
          onNotice: () => undefined,
        }),
      ...{ clock, random: TABLE_TIMING.random },
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    const known = new Set((await eventsOf({ journal })).map(({ id }) => id));
    const [project] = service.workspace.projects('plain');
    service.workspace.updateProject('plain', String(project?.id), { summary: 'changed since' });
    for (const mode of ['changes', 'sweep'] as const)
      for (const process of PROCESSES)
        await poll(
          { workspace: process.workspace, processes: [process.processId], mode, isAsked: true },
          { awsRequestId: mode, getRemainingTimeInMillis: () => 900_000 },
        );
    expect((await eventsOf({ journal })).filter(({ id }) => !known.has(id))).toMatchObject([
      {
        type: 'project.updated',
        data: { changes: [{ from: 'sent before the upgrade', to: 'changed since' }] },
      },
    ]);
  });
});

/** A table of 0.1.0 of which a page has 3 items. `fail` is asked before each request. */
async function openPaged(fail: (command: object, model: TableModel) => void = () => undefined) {
  const { model, ...table } = openModel();
  await fill(table);
  const client = modelClient(async command => {
    fail(command as object, model);
    if (command instanceof ScanCommand && !command.input.Select) command.input.Limit = 3;
    return model.run(command);
  });
  return { ...table, model, client };
}

const contentOf = (model: TableModel) =>
  [...model.items()].map(item => JSON.stringify(Object.entries(item).toSorted())).toSorted();

describe('the migration of a table', () => {
  it('goes on where it was interrupted, at whichever request', async () => {
    const whole = await openPaged();
    await checkLayout(whole, MIGRATION);
    const expected = contentOf(whole.model);
    let requests = 0;
    for (let failing = 1, interrupted = true; interrupted; failing++) {
      requests = 0;
      const table = await openPaged(() => {
        if (++requests === failing) throw new Error('interrupted');
      });
      interrupted = await checkLayout(table, MIGRATION).then(
        () => false,
        () => true,
      );
      const scanned: unknown[] = [];
      const rest = modelClient(async command => {
        if (command instanceof ScanCommand) {
          scanned.push(command.input.ExclusiveStartKey);
          expect(command.input.ConsistentRead).toBe(true);
        }
        return table.model.run(command);
      });
      const row = [...table.model.items()].find(isLayout);
      await checkLayout({ ...table, client: rest }, MIGRATION);
      const { doneTo } = row ?? {};
      if (interrupted && doneTo) expect(scanned).toEqual([JSON.parse(String(doneTo.S))]);
      expect(contentOf(table.model)).toEqual(expected);
    }
    expect(requests).toBeGreaterThan(30);
  });

  it('ends at its time, after the page that it is at, and the next one goes on', async () => {
    let now = 0;
    const table = await openPaged(command => {
      if (command instanceof ScanCommand) now += 1;
    });
    const patient = { ...table, timing: { ...TABLE_TIMING, clock: () => now } };
    await expect(checkLayout(patient, { until: 2 })).rejects.toThrow(
      'The table changewire is being migrated to layout 3: the next run continues.',
    );
    expect(now).toBe(2);
    expect([...table.model.items()].find(isLayout)).toMatchObject({ version: { N: '2' }, doneTo: {} });
    await checkLayout(patient, { until: now + 99 });
    expect([...table.model.items()].find(isLayout)).toEqual({
      ...{ pk: { S: 'LAYOUT' }, sk: { S: 'LAYOUT' } },
      version: { N: String(TABLE_LAYOUT) },
    });
  });

  it('does no harm when two runs make it at once', async () => {
    const [alone, table] = [await openPaged(), await openPaged()];
    await checkLayout(alone, MIGRATION);
    await Promise.all([checkLayout(table, MIGRATION), checkLayout(table, MIGRATION)]);
    expect(contentOf(table.model)).toEqual(contentOf(alone.model));
  });

  it('is refused once another version has given the table its own layout', async () => {
    const later = { version: { N: String(TABLE_LAYOUT + 1) } };
    const table = await openPaged((command, model) => {
      const isFirst =
        command instanceof PutItemCommand && ![...model.items()].some(({ version }) => version?.N === '4');
      if (!isFirst || !isLayout(command.input.Item ?? {})) return;
      model.run(
        new PutItemCommand({ TableName: table.tableName, Item: { ...command.input.Item, ...later } }),
      );
    });
    await expect(checkLayout(table, MIGRATION)).rejects.toThrow('The table changewire has layout 4, but');
    expect([...table.model.items()].find(isLayout)).toMatchObject(later);
  });

  it('leaves a live delivery that has got the key of a replayed one since', async () => {
    const live = keptItems().find(({ sk }) => sk?.S?.endsWith('#e1'));
    const { replay: _, ...Item } = live as Item & { replay: AttributeValue };
    const table = await openPaged((command, model) => {
      if (!(command instanceof TransactWriteItemsCommand)) return;
      model.run(command);
      if (JSON.stringify(command.input).includes('#e1'))
        model.run(new PutItemCommand({ TableName: table.tableName, Item }));
    });
    await checkLayout(table, MIGRATION);
    const due = await dynamoStore(table).deliveries.due('crm', NOW, 9);
    expect(due.map(({ eventId }) => eventId)).toEqual(['e1', 'e2', 'e4', 'e1', 'e3']);
  });

  it('is left to the tick: all others use a table of 0.1.0 as it is, and refuse one without a layout', async () => {
    const table = await openPaged();
    const before = contentOf(table.model);
    await checkLayout(table);
    expect(contentOf(table.model)).toEqual(before);
    // Its replays, which are between live ones, are read after them: drains rely on the order.
    const due = await dynamoStore(table).deliveries.due('crm', NOW, 9);
    expect(due.map(({ eventId }) => eventId)).toEqual(['e2', 'e4', 'e1', 'e3']);
    const { model, ...unmarked } = openModel();
    await fill(
      unmarked,
      keptItems().filter(item => !isLayout(item)),
    );
    const check = checkLayout(unmarked);
    await expect(check).rejects.toThrow(LayoutError);
    await expect(check).rejects.toThrow(
      /^The table changewire has the layout of an earlier version, and is not migrated to layout 3 yet\. The tick function migrates it within minutes\. .* or a stack with a new table\.$/,
    );
    expect([...model.items()].filter(isLayout)).toEqual([]);
  });

  it.each([
    ['another program’s', { pk: { S: 'theirs' }, sk: { S: 'STATE' } }],
    ['an early version’s', { pk: { S: 'W#eu#P#p' }, sk: { S: 'STATE' }, watermark: { N: '1' } }],
  ])('is refused in one line where data without a layout are %s, which stay as they are', async (_, Item) => {
    const { model, ...table } = openModel();
    await fill(table, [Item as Item]);
    await expect(checkLayout(table, MIGRATION)).rejects.toThrow(
      /^The table changewire has data and no layout \(an early version or another program wrote it\), but this version reads only layout 3\. The table is unchanged\. Deploy .*$/,
    );
    expect([...model.items()]).toEqual([Item]);
  });
});
