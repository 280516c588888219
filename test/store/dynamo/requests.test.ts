import { setImmediate } from 'node:timers/promises';
import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactionCanceledException,
  TransactionConflictException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import { decodeEvents } from '../../../functions/store/codec.ts';
import { createSlots } from '../../../functions/store/dynamo/endpoints.ts';
import { checkLayout } from '../../../functions/store/dynamo/layout.ts';
import { createSnapshots } from '../../../functions/store/dynamo/store.ts';
import { conditionalWrite, type TableTiming } from '../../../functions/store/dynamo/table.ts';
import type { Lease } from '../../../functions/store/store.ts';
import { AT, commitOf, content, event, noise, recheckOf, snapshot } from '../../kit/store/subject.ts';
import { openModel, TABLE_TIMING } from '../../kit/table.ts';
import { modelClient } from '../../simulation/models/table.ts';

const process = { workspace: 'eu', processId: 'p' };
let sent: { input: object }[];
/** What the table answers, when it is not the model that does. */
let answer: (command: object) => object | undefined;
let client: DynamoDBClient;
let tableName: string;
let waited: number[];
const timing: TableTiming = {
  ...TABLE_TIMING,
  sleep: async ms => {
    waited.push(ms);
  },
};
beforeEach(() => {
  waited = [];
  sent = [];
  answer = () => undefined;
  ({ client, tableName } = openModel(command => {
    sent.push(command as { input: object });
    return answer(command);
  }));
});
const snapshots = () => createSnapshots({ client, tableName, timing });
const commit = (more = {}) =>
  snapshots().commit(process, commitOf('p1', snapshot(AT, content({ name: 'Acme' })), more));
/** The actions of the last transaction. */
const actions = () => (sent.at(-1) as TransactWriteItemsCommand).input.TransactItems ?? [];
const keysOf = (of: readonly TransactWriteItem[]) => of.map(({ Put }) => Put?.Item?.sk?.S);

describe('a read', () => {
  it('is consistent, whatever it reads: an older state would be compared, or taken for free', async () => {
    await checkLayout({ client, tableName, timing });
    await commit({ snapshot: snapshot(AT, content({ text: noise(900_000) })) });
    await snapshots().readState(process);
    await snapshots().load(process, 'p1');
    await snapshots().withSnapshot(process, ['p1']);
    await snapshots().emittedEntries(process, ['a']);
    await Array.fromAsync(snapshots().heads(process));
    const consistent = sent.flatMap(command => {
      if (command instanceof BatchGetItemCommand)
        return Object.values(command.input.RequestItems ?? {}).map(({ ConsistentRead }) => ConsistentRead);
      return [GetItemCommand, QueryCommand, ScanCommand].some(kind => command instanceof kind)
        ? [(command.input as { ConsistentRead?: boolean }).ConsistentRead]
        : [];
    });
    expect(consistent).toEqual(consistent.map(() => true));
    expect(consistent).toHaveLength(9);
  });

  it('of the state sees a baseline that ended with the watermark that it left, wherever it ends in between', async () => {
    for (const after of [1, 2]) {
      const other = { workspace: 'eu', processId: `p${after}` };
      const request = { mode: 'sweep', owner: 'other', now: AT, until: AT + 1 } as const;
      const lease = (await snapshots().takeLease(other, request)) as Lease;
      let reads = 0;
      const interrupted = modelClient(async command => {
        const output = await client.send(command as never);
        if (++reads === after)
          await snapshots().finish(other, lease, { baselined: true, watermark: AT, sweptAt: AT });
        return output;
      });
      const state = await createSnapshots({ client: interrupted, tableName, timing }).readState(other);
      expect([state.baselined, state.watermark]).not.toEqual([true, 0]);
    }
  });

  it('of a page that nobody waits for any more may fail, and no other', async () => {
    for (const projectId of ['p1', 'p2', 'p3'])
      await commit({ projectId, snapshot: snapshot(AT, content({ text: noise(450_000) })) });
    const failure = new Error('refused');
    let queries = 0;
    answer = command => {
      if (command instanceof QueryCommand && ++queries === 2) throw failure;
      return undefined;
    };
    const unheard: unknown[] = [];
    const hear = (error: unknown) => void unheard.push(error);
    globalThis.process.on('unhandledRejection', hear);
    for await (const [head] of snapshots().heads(process)) {
      expect(head?.projectId).toBe('p1');
      break;
    }
    await setImmediate();
    globalThis.process.off('unhandledRejection', hear);
    expect([queries, unheard]).toEqual([2, []]);
    queries = 0;
    await expect(Array.fromAsync(snapshots().heads(process))).rejects.toBe(failure);
  });

  it('goes over a page that has no items', async () => {
    await commit();
    answer = command => {
      if (!(command instanceof QueryCommand) || command.input.ExclusiveStartKey) return undefined;
      return { LastEvaluatedKey: { pk: { S: 'W#eu#P#p' }, sk: { S: 'PROJECT#' } } };
    };
    expect((await Array.fromAsync(snapshots().heads(process))).flat()).toMatchObject([{ projectId: 'p1' }]);
  });
});

describe('asking which projects have a snapshot', () => {
  const asked = () =>
    sent.map(command =>
      (command as BatchGetItemCommand).input.RequestItems?.[tableName]?.Keys?.map(({ sk }) => sk?.S),
    );
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);

  it('asks for 100 at once, for each once, and nothing for none', async () => {
    await snapshots().withSnapshot(process, [...ids(200), 'p7']);
    expect(asked().map(keys => keys?.length)).toEqual([100, 100]);
    expect(new Set(asked().flat()).size).toBe(200);
    sent = [];
    await snapshots().withSnapshot(process, []);
    expect(sent).toEqual([]);
  });

  it('asks for no identifier that is longer than a key may be, and loads none: the table can not hold it', async () => {
    const longest = 'x'.repeat(1024 - 'PROJECT#'.length);
    expect(await snapshots().withSnapshot(process, [longest, `${longest}x`, 'p1'])).toEqual(new Set());
    expect(asked()).toEqual([[`PROJECT#${longest}`, 'PROJECT#p1']]);
    sent = [];
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
      const Responses = Keys.map(({ sk }) => ({ sk }));
      return {
        Responses: { [tableName]: Responses.filter(({ sk }) => /#p1(50)?$/.test(sk?.S ?? '')) },
      };
    };
    expect(await snapshots().withSnapshot(process, ids(200))).toEqual(new Set(['p1', 'p150']));
    expect(asked().map(keys => keys?.length)).toEqual([100, 100, 100]);
    expect(waited).toEqual([25]);
  });

  it('waits longer while the table has no room for anything, and not at all once it has for something', async () => {
    const answered = [0, 0, 40, 0, 60, 100];
    answer = command => {
      if (!(command instanceof BatchGetItemCommand)) return undefined;
      const { Keys = [] } = command.input.RequestItems?.[tableName] ?? {};
      return { UnprocessedKeys: { [tableName]: { Keys: Keys.slice(answered[sent.length - 1]) } } };
    };
    expect(await snapshots().withSnapshot(process, ids(200))).toEqual(new Set());
    expect(asked().map(keys => keys?.length)).toEqual([100, 100, 100, 100, 100, 100]);
    expect(waited).toEqual([25, 50, 25]);
  });

  it('gives up on a table that never answers', async () => {
    answer = command =>
      command instanceof BatchGetItemCommand ? { UnprocessedKeys: command.input.RequestItems } : undefined;
    await expect(snapshots().withSnapshot(process, ['p1'])).rejects.toThrow(/throttled.*answered no item/);
    expect(sent).toHaveLength(8);
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

describe('a recheck', () => {
  const owed = recheckOf();
  const owing = (...ids: string[]) =>
    snapshots().writeRechecks(
      process,
      ids.map(projectId => ({ projectId, before: undefined, after: owed })),
    );
  const rechecks = async () => [...(await snapshots().readState(process)).rechecks.keys()].sort();

  it('that can not be written keeps no other from being written, and is an error in the end', async () => {
    const failure = new Error('refused');
    answer = command => {
      if (command instanceof PutItemCommand && command.input.Item?.sk?.S === 'DEBT#p2') throw failure;
      return undefined;
    };
    const ids = Array.from({ length: 50 }, (_, index) => `p${index}`);
    await expect(owing(...ids)).rejects.toBe(failure);
    expect(await rechecks()).toEqual(ids.filter(id => id !== 'p2').sort());
  });

  it('has the time and chance for its revision, or one more than it had where a clock was set back', async () => {
    let now = AT + 0.75;
    const port = createSnapshots({
      client,
      tableName,
      timing: { ...timing, clock: () => now, random: () => 0.1239 },
    });
    const write = async () => {
      const before = (await port.readState(process)).rechecks.get('p1');
      await port.writeRechecks(process, [{ projectId: 'p1', before, after: owed }]);
      return (await port.readState(process)).rechecks.get('p1')?.revision;
    };
    expect(await write()).toBe(AT * 1_000 + 123);
    now = AT - 60_000;
    expect(await write()).toBe(AT * 1_000 + 124);
    now = AT + 1;
    expect(await write()).toBe((AT + 1) * 1_000 + 123);
  });

  it('is tried again while it is throttled', async () => {
    let isThrottled = true;
    answer = command => {
      if (!(command instanceof PutItemCommand) || !isThrottled) return undefined;
      isThrottled = false;
      throw Object.assign(new Error('no'), { name: 'ThrottlingException' });
    };
    await owing('p1');
    expect([await rechecks(), waited]).toEqual([['p1'], [25]]);
  });

  it('of a project whose identifier is longer than a key may be stands under its hash', async () => {
    const longest = 'x'.repeat(1024 - 'DEBT#'.length);
    await owing(longest, `${longest}y`);
    const keys = sent.map(command => (command as PutItemCommand).input.Item?.sk?.S);
    expect(keys).toEqual([`DEBT#${longest}`, expect.stringMatching(/^DEBT##[0-9a-f]{64}$/)]);
    expect(await rechecks()).toEqual([longest, `${longest}y`]);
  });
});

it('a change record sorts by the time of its commit, long ago or not, and an announcement names no project', async () => {
  await commit({ at: 7, events: [event(AT)] });
  expect(keysOf(actions()).at(-1)).toBe(`CHANGE#0000000000007#p1#${AT}`);
  const request = { events: [event(AT)], version: AT, at: AT };
  await snapshots().announce(process, { announced: 0, state: {}, request });
  expect(keysOf(actions().slice(1))).toEqual([`CHANGE#${AT}##${AT}`]);
});

describe('a conditional write', () => {
  const FAILED = new ConditionalCheckFailedException({ message: 'no', $metadata: {} });
  const CONFLICT = new TransactionConflictException({ message: 'no', $metadata: {} });
  const named = (name: string) => Object.assign(new Error('no'), { name });
  const cancelled = (...codes: (string | undefined)[]) =>
    new TransactionCanceledException({
      message: 'cancelled',
      $metadata: {},
      CancellationReasons: codes.map(Code => (Code === undefined ? {} : { Code })),
    });
  /** A write that meets these errors, one after the other, and then works; with how often it was tried. */
  const meeting = (...errors: Error[]) => {
    const rest = [...errors];
    const write = async () => {
      write.tried += 1;
      const error = rest.shift();
      if (error) throw error;
      return {};
    };
    write.tried = 0;
    return write;
  };
  let now: number;
  let waits: number[];
  beforeEach(() => {
    now = AT;
    waits = [];
  });
  const table = (more: Partial<TableTiming> = {}) => ({
    client,
    tableName,
    timing: {
      clock: () => now,
      random: () => 0.5,
      sleep: async (ms: number) => {
        waits.push(ms);
        now += ms;
      },
      ...more,
    },
  });

  it('that worked holds', async () => {
    expect(await conditionalWrite(table(), meeting())).toBe(true);
  });

  it.each([
    ['its condition failed', FAILED],
    ['a condition of its transaction failed', cancelled('None', 'ConditionalCheckFailed')],
    [
      'that, and another transaction was under way',
      cancelled('ConditionalCheckFailed', 'TransactionConflict'),
    ],
    ['that, and it was throttled', cancelled(undefined, 'ThrottlingError', 'ConditionalCheckFailed')],
    ['that, and capacity lacked', cancelled('ProvisionedThroughputExceeded', 'ConditionalCheckFailed')],
  ])('came too late when %s, and is not tried again', async (_why, error) => {
    const write = meeting(error);
    expect(await conditionalWrite(table(), write)).toBe(false);
    expect([write.tried, waits]).toEqual([1, []]);
  });

  it.each([
    ['met a transaction', CONFLICT],
    ['was throttled', named('ThrottlingException')],
    ['lacked capacity', named('ProvisionedThroughputExceededException')],
    ['came over the account’s limit', named('RequestLimitExceeded')],
    ['is still under way by its token', named('TransactionInProgressException')],
    ['met another one, as a transaction', cancelled(undefined, 'TransactionConflict')],
    ['was throttled, as a transaction', cancelled('None', 'ThrottlingError')],
    ['lacked capacity, as a transaction', cancelled('ProvisionedThroughputExceeded', 'TransactionConflict')],
  ])('that %s is tried again, and then says who was first', async (_why, error) => {
    const write = meeting(error, error);
    expect(await conditionalWrite(table(), write)).toBe(true);
    expect([write.tried, waits]).toEqual([3, [25, 50]]);
    expect(await conditionalWrite(table(), meeting(error, FAILED))).toBe(false);
  });

  it('waits by full jitter, up to 1.6 s, and gives up at the eighth try', async () => {
    const write = meeting(...Array.from({ length: 9 }, () => CONFLICT));
    await expect(conditionalWrite(table({ random: () => 1 }), write)).rejects.toBe(CONFLICT);
    expect([write.tried, waits]).toEqual([8, [50, 100, 200, 400, 800, 1600, 1600]]);
    await conditionalWrite(table({ random: () => 0 }), meeting(CONFLICT));
    expect(waits.at(-1)).toBe(0);
  });

  it('waits for nothing beyond the deadline', async () => {
    const write = meeting(CONFLICT, CONFLICT, CONFLICT);
    await expect(conditionalWrite(table({ deadline: AT + 75 }), write)).rejects.toBe(CONFLICT);
    expect([write.tried, waits]).toEqual([2, [25]]);
    now = AT;
    expect(await conditionalWrite(table({ deadline: AT + 76 }), meeting(CONFLICT, CONFLICT))).toBe(true);
  });

  it.each([
    [
      'was cancelled for its size too',
      cancelled('ConditionalCheckFailed', 'ItemCollectionSizeLimitExceeded'),
    ],
    ['is wrong, and was throttled', cancelled('ValidationError', 'ThrottlingError')],
    ['was cancelled for no reason', cancelled('None')],
    ['was cancelled with no reasons', cancelled()],
    ['was cancelled silently', new TransactionCanceledException({ message: 'cancelled', $metadata: {} })],
    ['may have worked', named('TimeoutError')],
    ['threw what is no error', 'ThrottlingException' as unknown as Error],
    [
      'failed in another way',
      Object.assign(new Error('other'), { CancellationReasons: [{ Code: 'ConditionalCheckFailed' }] }),
    ],
  ])('that %s is an error at once', async (_why, error) => {
    const write = meeting(error);
    await expect(conditionalWrite(table(), write)).rejects.toBe(error);
    expect([write.tried, waits]).toEqual([1, []]);
  });

  describe('and a read', () => {
    const THROTTLED = named('ProvisionedThroughputExceededException');
    const COMMANDS = [
      GetItemCommand,
      QueryCommand,
      BatchGetItemCommand,
      UpdateItemCommand,
      TransactWriteItemsCommand,
    ];
    /** Each kind of command is refused once. */
    const refuseOnce = () => {
      const rest = new Set(COMMANDS);
      answer = command => {
        const kind = [...rest].find(one => command instanceof one);
        if (!kind) return undefined;
        rest.delete(kind);
        throw kind === TransactWriteItemsCommand ? cancelled('ThrottlingError') : THROTTLED;
      };
      return rest;
    };

    it('is tried again, whatever it is', async () => {
      await commit({ snapshot: snapshot(AT, content({ text: noise(900_000) })) });
      const rest = refuseOnce();
      const port = createSnapshots(table());
      const slots = createSlots(table());
      expect(await port.readState(process)).toMatchObject({ baselined: false });
      expect((await Array.fromAsync(port.heads(process))).flat()).toMatchObject([{ projectId: 'p1' }]);
      expect(await port.withSnapshot(process, ['p1'])).toEqual(new Set(['p1']));
      const lease = await port.takeLease(process, { mode: 'changes', owner: 'me', now: AT, until: AT + 1 });
      expect(await port.finish(process, lease as Lease, { baselined: true })).toBe(true);
      expect(rest.size).toBe(0);
      refuseOnce();
      expect(await port.load(process, 'p1')).toBeDefined();
      refuseOnce();
      expect(await slots.reserveSlot('crm', 1_000, AT, 9 * 1000)).toBe(0);
      expect(await slots.reserveSlot('crm', 1_000, AT, 9 * 1000)).toBe(1_000);
      expect(waits).toHaveLength(8);
    });

    it('of a run that has no time left is not', async () => {
      refuseOnce();
      await expect(createSnapshots(table()).until(AT).readState(process)).rejects.toBe(THROTTLED);
      expect(waits).toEqual([]);
    });
  });
});
