import type { BatchGetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PassState } from '../../functions/model/process-state.ts';
import { createSnapshots } from '../../functions/store/dynamo/store.ts';
import { createTickProgresses } from '../../functions/store/dynamo/tick.ts';
import type { Lease } from '../../functions/store/store.ts';
import { type OpenTable, TABLES } from '../kit/store/tables.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const UNTIL = AT + 60_000;

describe.each(TABLES)('how far processes are, in %s', (_, open) => {
  let table: OpenTable;
  let names = 0;
  beforeAll(async () => {
    table = await open();
  });
  afterAll(() => table?.stop());

  const processOf = (workspace = 'eu') => ({ workspace, processId: `a#process ${++names}` });
  const leased = async (process: ReturnType<typeof processOf>, mode: 'changes' | 'sweep' = 'sweep') => {
    const request = { mode, owner: 'o', now: AT, until: UNTIL };
    return (await createSnapshots(table).takeLease(process, request)) as Lease;
  };
  const finished = async (state: Partial<PassState>) => {
    const process = processOf();
    const lease = await leased(process);
    expect(await createSnapshots(table).finish(process, lease, state)).toBe(true);
    return process;
  };
  const read = <Process extends ReturnType<typeof processOf>>(...processes: Process[]) =>
    createTickProgresses(table).ofAll(processes);

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
    const snapshots = createSnapshots(table);
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
    const snapshots = createSnapshots(table);
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

  it('is read of hundreds in requests of a hundred, and of none in none', async () => {
    const processes = Array.from({ length: 230 }, () => processOf());
    await createSnapshots(table).finish(processes[205] as never, await leased(processes[205] as never), {
      baselined: true,
    });
    const asked: number[] = [];
    const send = table.client.send.bind(table.client) as (command: unknown) => Promise<unknown>;
    const counting = {
      send: async (command: BatchGetItemCommand) => {
        asked.push(command.input.RequestItems?.[table.tableName]?.Keys?.length ?? 0);
        return send(command);
      },
    } as never;
    const found = await createTickProgresses({ ...table, client: counting }).ofAll(processes);
    // Three rows of each.
    expect(asked.toSorted()).toEqual([96, ...Array(6).fill(99)]);
    expect(found.size).toBe(230);
    expect(processes.filter(process => found.get(process)?.baselined)).toEqual([processes[205]]);
    expect((await read()).size).toBe(0);
  });
});
