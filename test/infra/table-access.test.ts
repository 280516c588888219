import {
  BatchGetItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { encode } from '../../functions/store/codec.ts';
import { createActions } from '../../functions/store/dynamo/actions.ts';
import { createEndpointRows, createSlots } from '../../functions/store/dynamo/endpoints.ts';
import { createJournalReader } from '../../functions/store/dynamo/journal.ts';
import { checkLayout } from '../../functions/store/dynamo/layout.ts';
import { createProcessReader, createRoster } from '../../functions/store/dynamo/processes.ts';
import { createDeliveries, createSnapshots } from '../../functions/store/dynamo/store.ts';
import type { Table } from '../../functions/store/dynamo/table.ts';
import { createTickClaims, createTickProgresses } from '../../functions/store/dynamo/tick.ts';
import { createWorkspaceRows } from '../../functions/store/dynamo/workspaces.ts';
import { resources, testTemplate } from '../kit/infra/synthesise.ts';
import { openModel } from '../kit/table.ts';
import { modelClient } from '../simulation/models/table.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const PROCESS = { workspace: 'eu', processId: 'p' };
const delivery = { endpoint: 'crm', eventId: 'e', at: AT, body: '{}', attributes: {} };
const template = testTemplate();

/** What is asked of a partition; of all of them, what is selected. */
type Asked = readonly [partition: string, action: string];

const keyIn = ({ Key, Item }: { Key?: object | undefined; Item?: object | undefined }) =>
  ((Key ?? Item) as { pk: { S: string } }).pk.S;

/** A transaction needs the leave of its parts. */
function askedIn(command: { readonly input: object }): Asked[] {
  if (command instanceof TransactWriteItemsCommand) return (command.input.TransactItems ?? []).map(partOf);
  if (command instanceof BatchGetItemCommand)
    return Object.values(command.input.RequestItems ?? {})
      .flatMap(({ Keys = [] }) => Keys)
      .map(Key => [keyIn({ Key }), 'BatchGetItem']);
  if (command instanceof QueryCommand)
    return [[command.input.ExpressionAttributeValues?.[':pk']?.S ?? '', 'Query']];
  if (command instanceof ScanCommand) return [[command.input.Select ?? 'ALL', 'Scan']];
  return [[keyIn(command.input), command.constructor.name.replace('Command', '')]];
}

function partOf(part: TransactWriteItem): Asked {
  const [[name, of] = []] = Object.entries(part);
  return [keyIn(of), name === 'ConditionCheck' ? 'ConditionCheckItem' : `${name}Item`];
}

type Opened = ReturnType<typeof openModel>;

/** Whatever these stores may ask of the table, by request. */
async function askedBy(stores: readonly ((table: Opened) => Promise<unknown>)[]): Promise<Asked[][]> {
  const asked: Asked[][] = [];
  const opened = openModel();
  const client: DynamoDBClient = modelClient(async command => {
    asked.push(askedIn(command as { input: object }));
    return opened.model.run(command);
  });
  for (const store of [checkLayout, ...stores]) await store({ ...opened, client });
  return asked;
}

/** Opens a table of 0.1.0, with what has to be migrated. */
async function migrating({ model, ...table }: Opened): Promise<void> {
  const rows: [pk: string, sk: string, more: object][] = [
    ['LAYOUT', 'LAYOUT', { version: { N: '2' } }],
    ['ENDPOINT#crm', 'PENDING#1#e', { replay: { BOOL: true } }],
    ['ENDPOINT#crm', 'PENDING#2#e', { replay: { BOOL: true } }],
    ['ENDPOINT#crm', 'PENDING#R2#e', { replay: { BOOL: true } }],
    ['ENDPOINT#crm', 'ACTION#1#a', {}],
    ['W#eu#P#p', 'ACTION#1#b', {}],
  ];
  for (const [pk, sk, more] of rows) {
    const Item = { pk: { S: pk }, sk: { S: sk }, ...more };
    model.run(new PutItemCommand({ TableName: table.tableName, Item }));
  }
  await checkLayout(table, { until: Number.POSITIVE_INFINITY });
}

async function rows(table: Table): Promise<void> {
  const { list, read, change } = createEndpointRows(table);
  await change('crm', () => ({ name: 'crm', health: {} }));
  await Promise.all([list(), read('crm')]);
  await change('crm', () => 'removed');
}

async function deliveries(table: Table): Promise<void> {
  const store = createDeliveries(table);
  await store.add([delivery]);
  const [{ place = '' } = {}] = await store.due('crm', AT, 1);
  await store.reschedule('crm', place, { at: AT, due: AT + 1 });
  await store.deadLetter('crm', place, { at: AT, reason: 'no' });
  await store.requeue('crm', AT);
  await store.remove('crm', [place]);
}

async function journal(table: Table): Promise<void> {
  await createJournalReader(table, [PROCESS]).read({ since: 0, until: AT }, 1);
}

async function erasing(table: Opened): Promise<void> {
  const { tombstone, withSnapshot } = createSnapshots(table);
  await Promise.all([tombstone(PROCESS, 'p.1'), withSnapshot(PROCESS, ['p.1'])]);
  const place = ['CHANGE#1795262400000#p.1#1', 'W#eu#P#p'] as const;
  const [sk, pk] = place;
  // Only a record that is there is written.
  const Item = { pk: { S: pk }, sk: { S: sk }, events: { B: encode([]) } };
  await table.model.run(new PutItemCommand({ TableName: table.tableName, Item }));
  await createJournalReader(table, [PROCESS]).replace(JSON.stringify(place), () => []);
  const { pending, removeDead, note } = createDeliveries(table);
  await Promise.all([pending('crm', 1), removeDead('crm', ['1#e'])]);
  await note([{ endpoint: 'crm', at: AT, events: [], took: 1 }]);
}

async function actions(table: Table): Promise<void> {
  const { note, list } = createActions(table);
  for (const subject of [{ endpoint: 'crm' }, { process: PROCESS }, { stack: true }] as const) {
    await note({ at: AT, who: 'ann', isProven: true, operation: 'pass', subject });
    await list(subject, 1);
  }
}

async function processes(table: Table): Promise<void> {
  const { progress, release } = createProcessReader(table);
  await Promise.all([progress(PROCESS), release(PROCESS)]);
}

async function forgetting(table: Table): Promise<void> {
  const { list, count, forget } = createRoster(table);
  await Promise.all([list(), count(PROCESS, 1)]);
  await forget(PROCESS, { now: AT, most: 9 });
}

/** Adds an endpoint and removes it, as an operator does. */
async function settings(table: Table): Promise<void> {
  const { change } = createEndpointRows(table);
  await change('erp', () => ({ name: 'erp', settings: { name: 'erp', kind: 'webhook' }, health: {} }));
  await change('erp', () => 'removed');
}

async function listing(table: Table): Promise<void> {
  const { list, revision } = createEndpointRows(table);
  await Promise.all([list(), revision?.()]);
}
const slots = (table: Table) => createSlots(table).reserveSlot('crm', 1_000, AT, 9_000);
const claims = (table: Table) => createTickClaims(table).claim({ now: AT, to: AT + 1 });
const progresses = (table: Table) => createTickProgresses(table).ofAll([PROCESS]);
const workspaces = (table: Table) => createWorkspaceRows(table).all();
async function snapshots(table: Table): Promise<void> {
  const { heads, load } = createSnapshots(table);
  await Array.fromAsync(heads(PROCESS));
  await load(PROCESS, 'p.1');
}
const remembering = (table: Table) => createRoster(table).remember([PROCESS]);

interface Statement {
  readonly Action: string | string[];
  /** Absent for the whole table. */
  readonly Condition?: {
    readonly 'ForAllValues:StringLike'?: { readonly 'dynamodb:LeadingKeys': string | string[] };
    readonly StringEquals?: { readonly 'dynamodb:Select': string };
  };
}

/** The leave of a role: for which partitions, and what. */
const leaveOf = (role: string) =>
  resources(template, 'AWS::IAM::Policy')
    .filter(([, { Roles }]) => JSON.stringify(Roles).includes(`"${role}`))
    .flatMap(([, { PolicyDocument }]) => (PolicyDocument as { Statement: Statement[] }).Statement)
    .filter(({ Action }) => JSON.stringify(Action).includes('dynamodb:'))
    .map(({ Action, Condition }) => ({
      partitions: [
        Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ??
          Condition?.StringEquals?.['dynamodb:Select'] ?? ['ALL', 'COUNT'],
      ].flat(),
      actions: [Action].flat().map(action => action.slice('dynamodb:'.length)),
    }));

describe('of the table', () => {
  test.each([
    ['route', [listing]],
    ['deliver', [rows, deliveries, slots]],
    ['tick', [migrating, rows, deliveries, journal, snapshots, claims, progresses, workspaces, remembering]],
    [
      'operate',
      [rows, settings, deliveries, journal, actions, processes, workspaces, forgetting, erasing, snapshots],
    ],
  ])('%s may do what its stores ask, where they ask it, and nothing else', async (name, stores) => {
    const requests = await askedBy(stores);
    const asked = requests.flat();
    const leave = leaveOf(`${name.charAt(0).toUpperCase()}${name.slice(1)}Role`);
    const isIn = (partition: string, pattern: string) =>
      pattern.endsWith('*') ? partition.startsWith(pattern.slice(0, -1)) : partition === pattern;
    const wanted = leave.map(({ partitions }) => {
      const within = asked.filter(([partition]) => partitions.some(one => isIn(partition, one)));
      return { partitions, actions: [...new Set(within.map(([, action]) => action))].sort() };
    });
    expect(leave.map(one => ({ ...one, actions: one.actions.toSorted() }))).toEqual(wanted);
    const all = leave.flatMap(({ partitions }) => partitions);
    expect(asked.filter(([partition]) => !all.some(one => isIn(partition, one)))).toEqual([]);
    // LeadingKeys has the partitions of a whole request, so one statement must allow an action in all of them.
    const refused = requests.flatMap(request =>
      [...Map.groupBy(request, ([, action]) => action)].filter(
        ([action, parts]) =>
          !leave.some(
            ({ actions, partitions }) =>
              actions.includes(action) &&
              parts.every(([partition]) => partitions.some(one => isIn(partition, one))),
          ),
      ),
    );
    expect(refused).toEqual([]);
  });
});
