import {
  BatchGetItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Mode } from '../../../functions/basics/process.ts';
import type { SavedState } from '../../../functions/model/process-state.ts';
import { createProcessReader } from '../../../functions/store/dynamo/processes.ts';
import { createSnapshots } from '../../../functions/store/dynamo/store.ts';
import { createTickProgresses } from '../../../functions/store/dynamo/tick.ts';
import { createWorkspaceRows } from '../../../functions/store/dynamo/workspaces.ts';
import { passKey } from '../../../functions/store/keys.ts';
import type { CommitRequest, Lease, Snapshots } from '../../../functions/store/store.ts';
import { AT, commitOf, content, event, noise, recheckOf, snapshot } from '../../kit/store/subject.ts';
import { openModel, TABLE_TIMING } from '../../kit/table.ts';
import { Units } from '../../kit/units.ts';
import { modelClient } from '../../simulation/models/table.ts';

const process = { workspace: 'eu', processId: 'p' };
const digests = (count: number) => Array.from({ length: count }, (_, index) => noise(16, index));
let units: Units;
let sent: object[];
let client: DynamoDBClient;
let snapshots: Snapshots;
let tableName: string;
beforeEach(() => {
  const opened = openModel();
  ({ tableName } = opened);
  units = new Units(opened.model);
  sent = [];
  client = modelClient(async command => {
    sent.push(command);
    return units.run(command);
  });
  snapshots = createSnapshots({ client, tableName, timing: TABLE_TIMING });
});
const counted = async (work: () => Promise<unknown>) => {
  const before = { ...units };
  const from = sent.length;
  await work();
  return {
    read: units.read - before.read,
    written: units.written - before.written,
    requests: sent.slice(from).map(command => command.constructor.name.replace('Command', '')),
  };
};
const take = async (mode: Mode = 'changes') =>
  (await snapshots.takeLease(process, { mode, owner: 'a'.repeat(60), now: AT, until: AT + 1 })) as Lease;
const finish = async (mode: Mode, state: Partial<SavedState>) =>
  expect(await snapshots.finish(process, await take(mode), state)).toBe(true);

/** As a process is that has a baseline, of so many definitions. */
const began = async (fields = 40) => {
  const project = Array.from({ length: fields }, (_, index) => ({
    ...{
      externalId: `field-${index}-${noise(12, index).replaceAll(/\W/g, 'x')}`,
      name: `Field ${index}`,
      type: 'text',
    },
  }));
  await finish('changes', {
    ...{ baselined: true, definitions: { project, task: project }, watermark: AT, completedAt: AT },
    ...{ sweptAt: AT, sweepCompletedAt: AT, recent: [], reported: ['audit-denied'], announced: AT },
    audit: { order: 'newest-first', tail: undefined, seen: digests(100) },
  });
};
const idle = { watermark: AT + 1, completedAt: AT + 2, pace: { wait: 60_000, dueAt: AT }, skipped: 0 };

describe('what a pass costs in the table', () => {
  it('that found nothing: two units written, two read, in four requests', async () => {
    await began();
    await finish('changes', idle);
    const cost = await counted(async () => {
      const lease = await take();
      await snapshots.readState(process);
      await snapshots.finish(process, lease, { ...idle, watermark: AT + 60_000 });
    });
    expect(cost).toEqual({
      ...{ read: 2, written: 2 },
      requests: ['UpdateItem', 'GetItem', 'Query', 'UpdateItem'],
    });
  });

  it('that found nothing, with hundreds of audit entries known, a larger schema and some rechecks: no more than four read', async () => {
    await began(150);
    const audit = { order: 'newest-first', tail: undefined, seen: digests(300) } as const;
    await finish('changes', { ...idle, audit });
    const owed = recheckOf({ cause: 'not-listed', since: AT, reason: 'It is not listed.' });
    await snapshots.writeRechecks(
      process,
      ['1001', '1002'].map(projectId => ({ projectId, before: undefined, after: owed })),
    );
    const { read, written } = await counted(async () => {
      const lease = await take();
      await snapshots.readState(process);
      await snapshots.finish(process, lease, idle);
    });
    expect(written).toBe(2);
    expect(read).toBeLessThanOrEqual(4);
  });

  it('a sweep that found nothing ends with one unit, and one transaction where more than its own row moves', async () => {
    await began();
    const own = await counted(() => finish('sweep', { sweptAt: AT + 1, sweepCompletedAt: AT + 1 }));
    expect(own).toEqual({ read: 0, written: 2, requests: ['UpdateItem', 'UpdateItem'] });
    const more = await counted(() => finish('sweep', { sweptAt: AT + 2, released: false }));
    expect(more.requests).toEqual(['UpdateItem', 'TransactWriteItems']);
    const others = await counted(() => finish('sweep', { sweptAt: AT + 2, watermark: 7 }));
    expect(others.requests).toEqual(['UpdateItem', 'TransactWriteItems']);
  });
});

describe('what a commit costs in the table', () => {
  const commit = (more: Partial<CommitRequest> = {}) =>
    snapshots.commit(process, commitOf('p1', snapshot(AT, content({ name: 'Acme' })), more));
  const expected = snapshot(AT, content({}));

  it('of one row: half of a transaction', async () => {
    expect(await counted(() => commit())).toEqual({ read: 0, written: 1, requests: ['PutItem'] });
    const deletion = { expected, snapshot: undefined };
    expect(await counted(() => commit(deletion))).toMatchObject({ written: 1, requests: ['DeleteItem'] });
  });

  it.each<[string, Partial<CommitRequest>]>([
    ['with events', { events: [event(AT)] }],
    ['in a baseline', { isSilent: true }],
    ['that makes a project', { madeAfter: { version: undefined } }],
    ['that leaves a tombstone', { expected, snapshot: undefined, tombstone: { version: AT, readAt: AT } }],
    ['of a large project', { snapshot: snapshot(AT, content({ text: noise(900_000) })) }],
  ])('%s: a transaction', async (_, more) => {
    if (more.expected) await commit();
    const { requests } = await counted(() => commit(more));
    expect(requests).toEqual(['TransactWriteItems']);
  });

  it('of one row is refused when another was first, as any other', async () => {
    expect(await commit()).toBe('committed');
    expect(await commit()).toBe('conflict');
    expect(await commit({ expected: snapshot(AT - 1, content({})) })).toBe('conflict');
    expect(await commit({ expected })).toBe('committed');
  });
});

describe('what it costs to look at snapshots', () => {
  /** Walks over so many snapshots of so many KB, of each page of which some are looked into. */
  async function walked({ count = 40, size = 81 }, lookedInto: (page: number) => number) {
    for (let index = 0; index < count; index++) {
      const text = noise(size * 1_230, index);
      await snapshots.commit(process, commitOf(`p${index}`, snapshot(AT, content({ text }))));
    }
    const sizes: number[] = [];
    const { requests } = await counted(async () => {
      for await (const heads of snapshots.heads(process))
        for (const head of heads.slice(0, lookedInto(sizes.push(heads.length)))) head.whole?.();
    });
    const queries = sent.filter(command => command instanceof QueryCommand).map(({ input }) => input);
    const contents = queries.map(({ ProjectionExpression }) => ProjectionExpression?.includes('blob'));
    return { requests, queries, contents, sizes };
  }

  it('one request for each MB, without the contents behind a page of which none was wanted', async () => {
    const { requests, queries, contents } = await walked({}, () => 0);
    expect(requests).toEqual(Array(4).fill('Query'));
    // The second page is on its way before the first is looked at.
    expect(contents).toEqual([true, true, false, false]);
    expect(queries.map(({ Limit }) => Limit)).toEqual(Array(4).fill(undefined));
  });

  it('with the contents again behind a page of which one in 32 was wanted, whether it had come along or not', async () => {
    const { contents, sizes } = await walked({ count: 200, size: 31 }, page => (page === 4 ? 1 : 0));
    expect(sizes).toEqual([32, 32, 32, 32, 32, 32, 8]);
    expect(contents).toEqual([true, true, false, false, false, true, false]);
  });

  it('a walk that goes on behind a large project reads none of its parts again', async () => {
    await snapshots.commit(process, commitOf('p1', snapshot(AT, content({ text: noise(2_000_000) }))));
    const whole = await counted(() => Array.fromAsync(snapshots.heads(process)));
    const { read } = await counted(() => Array.fromAsync(snapshots.heads(process, 'p1')));
    expect([whole.read > 100, read]).toEqual([true, 1]);
  });

  it('the next page is asked for while somebody is busy with one, and no further one', async () => {
    for (let index = 0; index < 40; index++) {
      const text = noise(100_000, index);
      await snapshots.commit(process, commitOf(`p${index}`, snapshot(AT, content({ text }))));
    }
    const before = sent.length;
    for await (const _ of snapshots.heads(process)) {
      await Promise.resolve();
      break;
    }
    expect(sent.length - before).toBe(2);
  });
});

it('who looks at a process asks twice, however large the rest of its state is', async () => {
  await began();
  await finish('changes', { audit: { order: 'unknown', tail: undefined, seen: digests(5_000) } });
  const table = { client, tableName, timing: TABLE_TIMING };
  const cost = await counted(() => createProcessReader(table).progress(process));
  expect(cost).toEqual({ read: 4, written: 0, requests: ['BatchGetItem', 'Query'] });
});

it('a tick reads three rows of a process, half a unit each, however large the rest is', async () => {
  await began();
  await finish('changes', { audit: { order: 'unknown', tail: undefined, seen: digests(5_000) } });
  const table = { client, tableName, timing: TABLE_TIMING };
  const others = Array.from({ length: 65 }, (_, index) => ({ workspace: 'eu', processId: `q${index}` }));
  const all = [...others, process];
  const progresses = createTickProgresses(table);
  let found: Awaited<ReturnType<typeof progresses.ofAll>> = new Map();
  const cost = await counted(async () => {
    found = await progresses.ofAll(all);
  });
  expect(cost).toEqual({ read: 66 * 1.5, written: 0, requests: ['BatchGetItem', 'BatchGetItem'] });
  expect([...found].filter(([, { baselined }]) => baselined)).toMatchObject([[process, {}]]);
  expect(found.size).toBe(66);
  expect(await counted(() => progresses.ofAll([]))).toMatchObject({ requests: [] });
  const asked = sent.flatMap(command =>
    command instanceof BatchGetItemCommand ? Object.values(command.input.RequestItems ?? {}) : [],
  );
  expect(asked.map(({ Keys }) => Keys?.length)).toEqual([99, 99]);
  expect(asked.map(({ ConsistentRead }) => ConsistentRead)).toEqual([false, false]);
});

it('a state that may be a second old costs half, and is read again in full while it shows no whole baseline', async () => {
  const read = (isEventual: boolean) => counted(() => snapshots.readState(process, isEventual));
  expect((await read(true)).requests).toEqual(['GetItem', 'Query', 'GetItem', 'Query']);
  await began();
  expect(await read(false)).toEqual({ read: 2, written: 0, requests: ['GetItem', 'Query'] });
  expect(await read(true)).toEqual({ read: 1, written: 0, requests: ['GetItem', 'Query'] });
  const { pk, sk } = passKey(process, 'changes');
  await client.send(new DeleteItemCommand({ TableName: tableName, Key: { pk, sk } }));
  expect((await read(true)).requests).toEqual(['GetItem', 'Query', 'GetItem', 'Query']);
});

it('what the runs of a workspace share is not read again a moment later, but where it stays as it is, or was written by others', async () => {
  let now = AT;
  const at = { client, tableName, timing: { ...TABLE_TIMING, clock: () => now } };
  const [rows, others] = [createWorkspaceRows(at), createWorkspaceRows(at)];
  const change = (of = rows) => counted(() => of.change('eu', row => ({ ...row, wantedAt: ++now })));
  const requestsOf = async (counting: ReturnType<typeof counted>) => (await counting).requests;
  expect(await requestsOf(change())).toEqual(['GetItem', 'PutItem']);
  expect(await requestsOf(change())).toEqual(['PutItem']);
  expect(await requestsOf(counted(() => rows.change('eu', () => undefined)))).toEqual(['GetItem']);
  expect(await requestsOf(change())).toEqual(['PutItem']);
  await change(others);
  expect(await requestsOf(change())).toEqual(['PutItem', 'GetItem', 'PutItem']);
  expect((await others.all()).get('eu')?.wantedAt).toBe(now);
  now += 5_000;
  expect(await requestsOf(change())).toEqual(['GetItem', 'PutItem']);
  now -= 1_000;
  expect(await requestsOf(change())).toEqual(['GetItem', 'PutItem']);
});
