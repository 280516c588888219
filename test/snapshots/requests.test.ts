import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  TransactionCanceledException,
  type TransactWriteItem,
  type TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../functions/changes/event.ts';
import { decodeEvents } from '../../functions/snapshots/codec.ts';
import { createSnapshots } from '../../functions/snapshots/dynamo-snapshots.ts';
import { createEndpointStates } from '../../functions/snapshots/endpoint-states.ts';
import { holds } from '../../functions/snapshots/table.ts';
import { modelClient } from '../simulation/models/table.ts';
import { openModel } from '../support/table.ts';
import { AT, content, event, noise, snapshot } from './contract.ts';

const process = { workspace: 'eu', processId: 'p' };
let sent: { input: object }[];
/** What the table answers, when it is not the model that does. */
let answer: (command: object) => object | undefined;
let client: DynamoDBClient;
let tableName: string;
beforeEach(() => {
  sent = [];
  answer = () => undefined;
  const opened = openModel();
  tableName = opened.tableName;
  client = modelClient(async command => {
    sent.push(command as { input: object });
    return answer(command) ?? opened.model.run(command);
  });
});
const snapshots = () => createSnapshots({ client, tableName });
const commit = (more = {}) =>
  snapshots().commit(process, {
    projectId: 'p1',
    expected: undefined,
    snapshot: snapshot(AT, content({ name: 'Acme' })),
    version: AT,
    events: [],
    at: AT,
    ...more,
  });
/** The actions of the last transaction. */
const actions = () => (sent.at(-1) as TransactWriteItemsCommand).input.TransactItems ?? [];
const keysOf = (of: readonly TransactWriteItem[]) => of.map(({ Put }) => Put?.Item?.sk?.S);

describe('a read', () => {
  it('is consistent, whatever it reads: an older state would be compared, or taken for free', async () => {
    await commit({ snapshot: snapshot(AT, content({ text: noise(900_000) })) });
    await snapshots().readState(process);
    await snapshots().isUnfinished(process, 'changes');
    await snapshots().load(process, 'p1');
    await snapshots().held(process, ['p1']);
    await Array.fromAsync(snapshots().projectIds(process));
    await createEndpointStates({ client, tableName }).isStopped('crm');
    const consistent = sent.flatMap(command => {
      if (command instanceof BatchGetItemCommand)
        return Object.values(command.input.RequestItems ?? {}).map(({ ConsistentRead }) => ConsistentRead);
      return command instanceof GetItemCommand || command instanceof QueryCommand
        ? [command.input.ConsistentRead]
        : [];
    });
    expect(consistent).toEqual(consistent.map(() => true));
    expect(consistent).toHaveLength(7);
  });

  it('goes over a page that has no items', async () => {
    await commit();
    answer = command => {
      if (!(command instanceof QueryCommand) || command.input.ExclusiveStartKey) return undefined;
      return { LastEvaluatedKey: { pk: { S: 'W#eu#P#p' }, sk: { S: 'PROJECT#' } } };
    };
    expect(await Array.fromAsync(snapshots().projectIds(process))).toEqual(['p1']);
  });
});

describe('asking which projects are held', () => {
  const asked = () =>
    sent.map(command =>
      (command as BatchGetItemCommand).input.RequestItems?.[tableName]?.Keys?.map(({ sk }) => sk?.S),
    );
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);

  it('asks for 100 at once, for each once, and nothing for none', async () => {
    await snapshots().held(process, [...ids(200), 'p7']);
    expect(asked().map(keys => keys?.length)).toEqual([100, 100]);
    expect(new Set(asked().flat()).size).toBe(200);
    sent = [];
    await snapshots().held(process, []);
    expect(sent).toEqual([]);
  });

  it('asks for no identifier that is longer than a key may be: the table can not hold it', async () => {
    const longest = 'x'.repeat(1024 - 'PROJECT#'.length);
    expect(await snapshots().held(process, [longest, `${longest}x`, 'p1'])).toEqual(new Set());
    expect(asked()).toEqual([[`PROJECT#${longest}`, 'PROJECT#p1']]);
  });

  it('loads none under such an identifier either, and asks for none', async () => {
    const longest = 'x'.repeat(1024 - 'PROJECT#'.length);
    expect(await snapshots().load(process, `${longest}x`)).toBeUndefined();
    expect(sent).toEqual([]);
    expect(await snapshots().load(process, longest)).toBeUndefined();
    expect(sent).toHaveLength(1);
  });

  it('asks again for what the table left out', async () => {
    for (const projectId of ['p1', 'p150']) await commit({ projectId });
    sent = [];
    answer = command => {
      if (!(command instanceof BatchGetItemCommand)) return undefined;
      const { Keys = [] } = command.input.RequestItems?.[tableName] ?? {};
      if (sent.length === 1) return { UnprocessedKeys: { [tableName]: { Keys } } };
      const Responses = Keys.map(({ sk }) => ({ projectId: { S: sk?.S?.slice('PROJECT#'.length) } }));
      return {
        Responses: { [tableName]: Responses.filter(({ projectId: { S } }) => S === 'p1' || S === 'p150') },
      };
    };
    expect(await snapshots().held(process, ids(200))).toEqual(new Set(['p1', 'p150']));
    expect(asked().map(keys => keys?.length)).toEqual([100, 100, 100]);
  });
});

describe('a commit', () => {
  const large = (seed: number) =>
    ({ ...event(AT), id: `e${seed}`, subject: `${seed}`.padEnd(200_000, 'x') }) as ChangeEvent;

  it('fits into one transaction with 99 change records, and not with 100', async () => {
    const events = Array.from({ length: 100 }, (_, index) => large(index));
    expect(await commit({ events })).toBe('too-large');
    expect(sent).toEqual([]);
    expect(await commit({ events: events.slice(1) })).toBe('committed');
    expect(actions()).toHaveLength(100);
  });

  it('fills change records in order, each with as many events as it holds', async () => {
    const sized = (bytes: number) => {
      const rest = Buffer.byteLength(JSON.stringify({ ...event(AT), subject: '' }));
      return { ...event(AT), subject: 'x'.repeat(bytes - rest) } as ChangeEvent;
    };
    expect(await commit({ events: [sized(150_000), sized(150_000), sized(1_000), sized(2_000)] })).toBe(
      'committed',
    );
    const change = `CHANGE#${AT}#p1#${AT}`;
    expect(keysOf(actions())).toEqual(['PROJECT#p1', change, `${change}#PART#0001`]);
    const held = actions().flatMap(({ Put }) => Put?.Item?.events?.B ?? []);
    expect(held.map(bytes => decodeEvents(bytes).length)).toEqual([2, 2]);
    expect(await commit({ projectId: 'p2', events: [sized(150_000), sized(150_001)] })).toBe('committed');
    expect(actions()).toHaveLength(3);
  });

  it('writes the parts of a large project in order, and deletes only those that it had more of', async () => {
    const big = (length: number, version: number) => snapshot(version, content({ text: noise(length) }));
    await commit({ snapshot: big(900_000, AT) });
    expect(keysOf(actions())).toEqual(['PROJECT#p1', 'PROJECT#p1#PART#0001']);
    let expected = await snapshots().load(process, 'p1');
    await commit({ expected, version: AT + 1, snapshot: big(1_800_000, AT + 1) });
    expect(actions().flatMap(({ Delete }) => Delete ?? [])).toEqual([]);
    expected = await snapshots().load(process, 'p1');
    expect(expected?.parts).toBe(3);
    await commit({ expected, version: AT + 2, snapshot: big(900_000, AT + 2) });
    const deleted = actions().flatMap(({ Delete }) => Delete?.Key?.sk?.S ?? []);
    expect(deleted).toEqual(['PROJECT#p1#PART#0002', 'PROJECT#p1#PART#0003']);
  });
});

describe('a change record', () => {
  it('sorts by the time of its commit, long ago or not, and an announcement names no project', async () => {
    await commit({ at: 7, events: [event(AT)] });
    expect(keysOf(actions()).at(-1)).toBe(`CHANGE#0000000000007#p1#${AT}`);
    const said = { events: [event(AT)], version: AT, at: AT };
    await snapshots().announce(process, { announced: 0, state: {}, said });
    expect(keysOf(actions().slice(1))).toEqual([`CHANGE#${AT}##${AT}`]);
  });
});

describe('a conditional write', () => {
  const cancelled = (...codes: (string | undefined)[]) =>
    new TransactionCanceledException({
      message: 'cancelled',
      $metadata: {},
      CancellationReasons: codes.map(Code => (Code === undefined ? {} : { Code })),
    });

  it.each([
    ['its condition failed', new ConditionalCheckFailedException({ message: 'no', $metadata: {} })],
    ['a condition of its transaction failed', cancelled('None', 'ConditionalCheckFailed')],
    ['another transaction was under way', cancelled(undefined, 'TransactionConflict')],
    ['both', cancelled('ConditionalCheckFailed', 'TransactionConflict')],
  ])('came too late when %s', async (_why, error) => {
    expect(await holds(Promise.reject(error))).toBe(false);
  });

  it.each([
    ['was throttled', cancelled('ThrottlingError')],
    ['was throttled and came too late', cancelled('ConditionalCheckFailed', 'ThrottlingError')],
    ['was cancelled for no reason', cancelled('None')],
    ['was cancelled with no reasons', cancelled()],
    ['was cancelled silently', new TransactionCanceledException({ message: 'cancelled', $metadata: {} })],
    [
      'failed in another way',
      Object.assign(new Error('other'), { CancellationReasons: [{ Code: 'ConditionalCheckFailed' }] }),
    ],
  ])('that %s is an error: nobody else was first', async (_why, error) => {
    await expect(holds(Promise.reject(error))).rejects.toBe(error);
  });

  it('that worked holds', async () => {
    expect(await holds(Promise.resolve({}))).toBe(true);
  });
});

describe('an endpoint’s state', () => {
  it('is served while its moments are booked', async () => {
    const states = createEndpointStates({ client, tableName });
    await states.reserveSlot('crm', 1_000, AT);
    expect(await states.isStopped('crm')).toBeUndefined();
  });
});
