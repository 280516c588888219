import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { createSnapshots } from '../../functions/store/dynamo/store.ts';
import { openStage } from '../kit/stage.ts';
import { PROCESS, type World } from '../kit/world.ts';

const stage = openStage();
let world: World;
const { told } = stage;

const ABOUT = { message: 'Slow down', $metadata: {} };
const cancelled = (Code: string) =>
  new TransactionCanceledException({ ...ABOUT, CancellationReasons: [{ Code }, { Code: 'None' }] });
const THROTTLED = cancelled('ThrottlingError');

/** A poller whose table refuses each write so often, before it takes it; and the writes that were refused. */
async function refusing(times: number) {
  world = await stage.create({ settings: { concurrency: 1 } });
  await world.run();
  world.edit.updateProject(PROCESS, '1001', { budget: '1' });
  const refused: string[] = [];
  let inARow = 0;
  const send = async (command: object) => {
    const name = command.constructor.name;
    const isWrite = name === 'UpdateItemCommand' || name === 'TransactWriteItemsCommand';
    if (!isWrite || inARow === times) {
      inARow = 0;
      return (stage.table.client.send as (one: object) => Promise<object>)(command);
    }
    inARow += 1;
    refused.push(name);
    throw name === 'UpdateItemCommand' ? new TransactionConflictException(ABOUT) : THROTTLED;
  };
  const timing = {
    clock: () => world.clock.now,
    random: () => 1,
    sleep: async (ms: number) => world.pass(ms),
  };
  const snapshots = createSnapshots({ ...stage.table, client: { send } as never, timing });
  return { snapshots, refused };
}

describe('a table that is throttled, or whose items others write at the same moment', () => {
  it('delays a pass, and does not end it', async () => {
    const { snapshots, refused } = await refusing(3);
    world.pass(60_000);
    const began = world.clock.now;
    const poll = world.poller({ snapshots });
    expect(await world.run('changes', { poll })).toMatchObject({
      outcome: 'completed',
      commits: 1,
      events: 1,
    });
    expect(await told()).toEqual(['project.updated 1001 budget: "" → "1"']);
    // The lease, the commit, the end: each waits 50 + 100 + 200 ms.
    expect([refused.length / 3, world.clock.now - began]).toEqual([3, 3 * 350]);
  });

  it('ends it after some seconds, and the next one goes on', async () => {
    const { snapshots } = await refusing(8);
    world.pass(60_000);
    const poll = world.poller({ snapshots });
    const began = world.clock.now;
    await expect(world.run('changes', { poll })).rejects.toThrow('Slow down');
    expect(world.clock.now - began).toBe(4_750);
    expect(await world.later('changes')).toMatchObject({ outcome: 'completed', events: 1 });
  });

  it('ends it before a wait that is longer than the run', async () => {
    const { snapshots } = await refusing(8);
    world.pass(60_000);
    const poll = world.poller({ snapshots });
    const began = world.clock.now;
    await expect(world.run('changes', { poll, remaining: 2_000 })).rejects.toThrow('Slow down');
    expect(world.clock.now - began).toBe(750);
  });
});
