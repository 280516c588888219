import { DeleteItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { restoreProcess } from '../../../functions/store/dynamo/processes.ts';
import { queryItems } from '../../../functions/store/dynamo/requests.ts';
import type { Table } from '../../../functions/store/dynamo/table.ts';
import { partition } from '../../../functions/store/keys.ts';
import { openModel } from '../../kit/table.ts';

const PROCESS = { workspace: 'eu', processId: 'p' };
const OTHER = { workspace: 'eu', processId: 'q' };
const pk = partition(PROCESS);

async function put(table: Table, sk: string, value: string, more: object = {}, of = pk): Promise<void> {
  const Item = { pk: { S: of }, sk: { S: sk }, value: { S: value }, ...more };
  await table.client.send(new PutItemCommand({ TableName: table.tableName, Item }));
}

async function rows(table: Table, of = pk): Promise<Record<string, string>> {
  const items = await Array.fromAsync(queryItems(table, of, undefined));
  return Object.fromEntries(items.map(({ sk, value }) => [sk?.S ?? '', value?.S ?? '']));
}

/** A process as it was, and as it is. */
async function tables() {
  const [from, to] = [openModel(), openModel()];
  const project = { projectId: { S: '1' } };
  for (const [table, value] of [
    [from, 'then'],
    [to, 'now'],
  ] as const) {
    await put(table, 'STATE', value);
    await put(table, `STATE#PART#reported#${value}#0000`, value);
    await put(table, 'PROJECT#1', value, project);
    await put(table, 'PROJECT#1#PART#0001', value);
    await put(table, `PROJECT#${value}`, value, { projectId: { S: value } });
    await put(table, `TOMBSTONE#${value}`, value);
    await put(table, `TIMER#${value}`, value);
    await put(table, 'PASS#changes#SEEN', value);
    await put(table, 'DEBT#1', value);
    await put(table, `DEBT#${value}`, value, { projectId: { S: value } });
    const begun = { window: { S: value }, progress: { S: value } };
    const pass = { watermark: { S: value }, leaseOwner: { S: value }, ...begun };
    await put(table, 'PASS#changes', value, value === 'then' ? pass : { ...pass, pace: { S: value } });
    for (const kept of ['ACTION#1', 'AUDIT#1', 'CHANGE#1']) await put(table, kept, value);
    await put(table, 'PROJECT#1', value, project, partition(OTHER));
  }
  return { from, to };
}

describe('a process that is restored', () => {
  it('is what it was, and keeps its journal, what was told of its audit log, and its leases; no other is touched', async () => {
    const { from, to } = await tables();
    const before = await rows(from);
    expect(await restoreProcess({ from, to }, PROCESS)).toBe(2);
    expect(await rows(to)).toEqual({
      ...before,
      ...{ 'PASS#changes': 'now', 'PASS#sweep': '', 'ACTION#1': 'now', 'AUDIT#1': 'now', 'CHANGE#1': 'now' },
    });
    expect(await rows(from)).toEqual(before);
    expect(await rows(to, partition(OTHER))).toEqual({ 'PROJECT#1': 'now' });
  });

  it('has the watermark of then, and the lease of now; what had begun begins anew', async () => {
    const { from, to } = await tables();
    await put(from, 'PASS#sweep', 'then', { sweptAt: { S: 'then' }, window: { S: 'then' } });
    await restoreProcess({ from, to }, PROCESS);
    const items = await Array.fromAsync(queryItems(to, pk, 'PASS#'));
    const kept = items.map(({ pk: _, sk, value: __, ...item }) => [sk?.S, item]);
    expect(Object.fromEntries(kept)).toEqual({
      'PASS#changes': { watermark: { S: 'then' }, leaseOwner: { S: 'now' } },
      'PASS#changes#SEEN': {},
      'PASS#sweep': { sweptAt: { S: 'then' } },
    });
  });

  it('has its watermark and its state written first, and loses nothing but what was not there then', async () => {
    const { from, to } = await tables();
    const written: string[] = [];
    const removed: string[] = [];
    const send = (command: unknown) => {
      if (command instanceof PutItemCommand) written.push(command.input.Item?.sk?.S ?? '');
      if (command instanceof UpdateItemCommand) written.push(command.input.Key?.sk?.S ?? '');
      if (command instanceof DeleteItemCommand) removed.push(command.input.Key?.sk?.S ?? '');
      return to.client.send(command as never);
    };
    await restoreProcess({ from, to: { ...to, client: { send } as never } }, PROCESS);
    expect(written.slice(0, 3)).toEqual(['PASS#changes', 'PASS#sweep', 'PASS#changes#SEEN']);
    expect(written.slice(3, 5).toSorted()).toEqual(['STATE', 'STATE#PART#reported#then#0000']);
    const gone = ['DEBT#now', 'PROJECT#now', 'STATE#PART#reported#now#0000', 'TIMER#now', 'TOMBSTONE#now'];
    expect(removed.toSorted()).toEqual(gone);
  });
});
