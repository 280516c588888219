import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SavedState } from '../../functions/model/process-state.ts';
import { createTickClaims } from '../../functions/store/dynamo/tick.ts';
import { TICK_KEY } from '../../functions/store/keys.ts';
import type { TickClaims } from '../../functions/store/store.ts';
import { STORES, type TestStore } from '../kit/store/stores.ts';
import { leaseOf } from '../kit/store/subject.ts';
import { type OpenTable, TABLES } from '../kit/store/tables.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;
const UNTIL = AT + MINUTE;

describe.each(STORES)('the claims of ticks, in %s', (_, open) => {
  let store: TestStore;
  let claims: TickClaims;
  beforeEach(async () => {
    store = await open();
    claims = store.claims;
  });
  afterEach(() => store.stop());

  it('begin now, and go on where the last ended', async () => {
    expect(await claims.claim({ now: AT, to: AT + MINUTE })).toBe(AT);
    expect(await claims.claim({ now: AT + MINUTE + 7, to: AT + 2 * MINUTE })).toBe(AT + MINUTE);
    expect(await claims.claim({ now: AT + 9 * MINUTE, to: AT + 10 * MINUTE })).toBe(AT + 2 * MINUTE);
  });

  it.each([
    [2 * MINUTE, undefined],
    [2 * MINUTE + 1, AT],
  ])('begin anew where the last lies ahead by more than two minutes: by %i ms', async (ahead, from) => {
    await claims.claim({ now: AT + ahead - MINUTE, to: AT + ahead });
    expect(await claims.claim({ now: AT, to: AT + MINUTE })).toBe(from);
  });
});

describe.each(STORES)('how far processes are, in %s', (_, open) => {
  let store: TestStore;
  let names = 0;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store?.stop());

  const processOf = (workspace = 'eu') => ({ workspace, processId: `a#process ${++names}` });
  const leased = (process: ReturnType<typeof processOf>, mode: 'changes' | 'sweep' = 'sweep') =>
    leaseOf(store.snapshots, process, { mode, until: UNTIL });
  const finished = async (state: Partial<SavedState>) => {
    const process = processOf();
    const lease = await leased(process);
    expect(await store.snapshots.finish(process, lease, state)).toBe(true);
    return process;
  };
  const read = <Process extends ReturnType<typeof processOf>>(...processes: Process[]) =>
    store.progress.ofAll(processes);

  it('is read of each as its passes wrote it, whatever its name', async () => {
    const state = {
      ...{ baselined: true, completedAt: AT, sweepCompletedAt: AT - 7 },
      ...{ hold: { since: AT, missing: 3 }, released: true, stalled: { since: AT } },
      skipped: 3,
      pace: { wait: 10_000, dueAt: AT + 10_000 },
    };
    const [process, other] = [await finished(state), await finished({ baselined: true, completedAt: 5 })];
    const found = await read(process, other);
    expect(found.get(process)).toMatchObject(state);
    expect(found.get(other)).toMatchObject({ baselined: true, completedAt: 5, pace: undefined, skipped: 0 });
    expect([...found.keys()]).toEqual([process, other]);
  });

  it('is that of an unknown one where nothing was written', async () => {
    const process = processOf();
    expect((await read(process)).get(process)).toMatchObject({ baselined: false, completedAt: 0 });
  });

  it('tells of one without a baseline whether somebody walks its projects', async () => {
    const [walking, asking, idle, changing] = [processOf(), processOf(), processOf(), processOf()];
    const { snapshots } = store;
    const begin = async (process: ReturnType<typeof processOf>, mode?: 'changes') => {
      const lease = { ...(await leased(process, mode)), window: { startedAt: AT, begunAt: AT } };
      await snapshots.saveProgress(process, lease, UNTIL);
      return lease;
    };
    await begin(walking);
    await leased(asking);
    await snapshots.release(idle, await begin(idle));
    await begin(changing, 'changes');
    const swept = await finished({ baselined: true });
    await begin(swept);
    const all = [walking, asking, idle, changing, swept];
    const found = await read(...all);
    expect(all.map(each => found.get(each)?.workedUntil)).toEqual([UNTIL, ...Array(4).fill(undefined)]);
  });

  it('says of each when its last sweep was completed, and whether one is under way', async () => {
    const { snapshots } = store;
    const idle = await finished({ baselined: true, sweepCompletedAt: AT - 7 });
    const asking = await finished({ baselined: true, sweepCompletedAt: AT - 7 });
    await leased(asking);
    const goesOn = await finished({ baselined: true, sweepCompletedAt: AT - 7 });
    const lease = { ...(await leased(goesOn)), window: { startedAt: AT, begunAt: AT } };
    await snapshots.saveProgress(goesOn, lease, UNTIL);
    await snapshots.release(goesOn, lease);
    const changing = await finished({ baselined: true, sweepCompletedAt: AT - 7 });
    await leased(changing, 'changes');
    const found = await read(idle, asking, goesOn, changing);
    const none = { completedAt: AT - 7, isUnfinished: false, leasedUntil: undefined };
    expect(found.get(idle)?.sweep).toEqual(none);
    expect(found.get(asking)?.sweep).toEqual({ ...none, leasedUntil: UNTIL });
    expect(found.get(goesOn)?.sweep).toEqual({ ...none, isUnfinished: true });
    expect(found.get(changing)?.sweep).toEqual(none);
  });
});

describe.each(TABLES)('the claims of ticks, in a row of %s,', (_, open) => {
  let table: OpenTable;
  let claims: TickClaims;
  let chance = 0;
  const claimsOver = (client: OpenTable['client'] = table.client) =>
    createTickClaims({ ...table, client, timing: { ...table.timing, random: () => ++chance / 1_000 } });
  beforeAll(async () => {
    table = await open();
  });
  beforeEach(async () => {
    await table.client.send(new DeleteItemCommand({ TableName: table.tableName, Key: TICK_KEY }));
    claims = claimsOver();
  });
  afterAll(() => table?.stop());

  it.each(['gone', 'empty'])('are none where the row is %s, also during a claim that fails', async state => {
    const { client, tableName: TableName } = table;
    const strike = () =>
      state === 'gone'
        ? client.send(new DeleteItemCommand({ TableName, Key: TICK_KEY }))
        : client.send(new PutItemCommand({ TableName, Item: TICK_KEY }));
    await strike();
    expect(await claims.claim({ now: AT, to: AT + MINUTE })).toBe(AT);
    let failed = false;
    const send = client.send.bind(client) as (command: unknown) => Promise<unknown>;
    const struck = {
      send: async (command: object) => {
        if (failed) await strike();
        if (command.constructor.name !== 'UpdateItemCommand') return send(command);
        failed = true;
        await claims.claim({ now: AT + MINUTE, to: AT + 2 * MINUTE });
        return send(command);
      },
    } as never;
    expect(await claimsOver(struck).claim({ now: AT + MINUTE, to: AT + 2 * MINUTE })).toBeUndefined();
  });
});
