import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { IS_ABSENT } from '../../../functions/store/dynamo/conditions.ts';
import { transact, type Write, write } from '../../../functions/store/dynamo/requests.ts';
import { createDeliveries, createSnapshots } from '../../../functions/store/dynamo/store.ts';
import { partKey, projectKey, usersKey } from '../../../functions/store/keys.ts';
import { AT, commitOf, content, event, noise, snapshot } from '../../kit/store/subject.ts';
import { openModel } from '../../kit/table.ts';

const process = { workspace: 'eu', processId: 'p' };
const DAY_S = 86_400;

describe('rows of a process in the table', () => {
  let table: ReturnType<typeof openModel>;
  beforeEach(() => {
    table = openModel();
  });
  const rows = (prefix: string) => [...table.model.items()].filter(({ sk }) => sk?.S?.startsWith(prefix));
  const commitBig = () =>
    createSnapshots(table).commit(
      process,
      commitOf('p1', snapshot(AT, content({ text: noise(900_000) })), { events: [event(AT)] }),
    );

  it.each([
    ['30 and 7 days', undefined, 30, 7],
    ['as many days as are configured', { journal: 2_000 * DAY_S, attempts: 3_000 * DAY_S }, 2, 3],
  ])('keep change records and attempts for %s, by their times', async (_, keep, journal, attempts) => {
    Object.assign(table, { keep });
    await commitBig();
    expect(rows('CHANGE#')).toMatchObject([
      { sk: { S: `CHANGE#${AT}#p1#${AT}` }, expiresAt: { N: String(AT / 1000 + journal * DAY_S) } },
    ]);
    const attempt = { endpoint: 'crm', events: [{ id: 'e', type: 'task.updated', at: 1 }], took: 1, at: AT };
    await createDeliveries(table).note([attempt]);
    const expiresAt = { N: String(AT / 1000 + attempts * DAY_S) };
    expect([...rows('ATTEMPT#'), ...rows('LATE#')]).toMatchObject([{ expiresAt }, { expiresAt }]);
  });

  it('name the change record of an audit entry that was emitted, and expire after 400 days', async () => {
    const at = AT + 999;
    const request = { events: [event(AT)], version: AT, at };
    const announcement = { announced: 0, state: {}, entries: ['d1', 'd2'], request };
    expect(await createSnapshots(table).announce(process, announcement)).toBe('committed');
    const kept = { change: { S: `CHANGE#${at}##${AT}` }, expiresAt: { N: String(AT / 1000 + 400 * DAY_S) } };
    expect(rows('AUDIT#')).toEqual(
      ['d1', 'd2'].map(id => ({ pk: { S: 'W#eu#P#p' }, sk: { S: `AUDIT#${id}` }, ...kept })),
    );
  });

  it('have a snapshot at hand with its head, unless further items hold parts of it', async () => {
    await commitBig();
    const small = snapshot(AT, content({ name: 'Acme' }));
    expect(await createSnapshots(table).commit(process, commitOf('p2', small))).toBe('committed');
    const heads = (await Array.fromAsync(createSnapshots(table).heads(process))).flat();
    expect(heads.map(head => head.whole?.()?.content)).toEqual([undefined, small.content]);
  });

  it('of a snapshot with parts of another version are refused with what to do', async () => {
    await commitBig();
    const snapshots = createSnapshots(table);
    const stale = { ...partKey(process, 'p1', 1), version: { N: '1' }, blob: { B: new Uint8Array([1]) } };
    await table.client.send(new PutItemCommand({ TableName: table.tableName, Item: stale }));
    const loading = snapshots.load(process, 'p1');
    await expect(loading).rejects.toThrow(/snapshot of project p1 .* not whole.*Delete its items/s);
    await expect(loading).rejects.toMatchObject({ scope: 'project' });
    const Key = projectKey(process, 'p1');
    await table.client.send(new DeleteItemCommand({ TableName: table.tableName, Key }));
    expect(await snapshots.load(process, 'p1')).toBeUndefined();
  });

  it('are only checked by a transaction of nothing but a check', async () => {
    const Key = usersKey(process);
    const check: Write = { ConditionCheck: { Key, ConditionExpression: IS_ABSENT } };
    expect(await transact(table, [check])).toBe('committed');
    await write(table, { Put: { Item: Key } });
    expect(await transact(table, [check])).toBe('conflict');
  });
});
