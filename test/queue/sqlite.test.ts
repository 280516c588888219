import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../functions/queue/queue.ts';
import { recoverMessages, SqliteQueue } from '../../functions/queue/sqlite.ts';
import { openQueue } from '../kit/queue/sqlite.ts';

const bodies = (messages: readonly Message[]) => messages.map(({ body }) => body);
const of = (group: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ body: `${group}${index}`, group }));

describe('a queue in SQLite', () => {
  it('gives messages of one group at a time, in their order, the groups in turn', async () => {
    const { queue } = openQueue();
    await queue.send([...of('b', 5), ...of('a', 3)]);
    await queue.send(of('c', 1));
    const received: string[][] = [];
    for (let turn = 0; turn < 6; turn++) received.push(bodies(await queue.receive(2)));
    expect(received).toEqual([['a0', 'a1'], ['b0', 'b1'], ['c0'], ['a2'], ['b2', 'b3'], ['b4']]);
    expect(await queue.receive(2)).toEqual([]);
  });

  it('gives no message of a busy group, and goes on with the others', async () => {
    const { queue } = openQueue();
    await queue.send([...of('a', 2), ...of('b', 1)]);
    const isBusy = (group: string) => group === 'a';
    expect(bodies(await queue.receive(2, isBusy))).toEqual(['b0']);
    expect(await queue.receive(2, isBusy)).toEqual([]);
    expect(bodies(await queue.receive(2))).toEqual(['a0', 'a1']);
  });

  it('knows when the next message is shown, and what it holds of a group', async () => {
    const { queue, state } = openQueue();
    expect(queue.nextAfter(state.now)).toBeUndefined();
    expect(queue.sizeOf('a')).toEqual({ count: 0, oldest: undefined });
    await queue.send([{ body: 'x', group: 'a', delay: 5.5 }]);
    await queue.send([{ body: 'y', group: 'b', delay: 9 }]);
    await queue.send([{ body: 'z', group: 'c' }]);
    expect(queue.nextAfter(state.now)).toBe(state.now + 5_500);
    expect(queue.sizeOf('a')).toEqual({ count: 1, oldest: state.now });
  });

  it('calls who listens when something is sent or shown again, and not when nothing could be sent', async () => {
    const { queue, file } = openQueue();
    let calls = 0;
    queue.listen(() => calls++);
    await queue.send(of('a', 2));
    expect(calls).toBe(1);
    await queue.extend((await queue.receive(1))[0] as Message, 0);
    expect(calls).toBe(2);
    file.close();
    expect(await queue.send(of('a', 2))).toMatchObject({ indexes: [0, 1], reason: expect.any(String) });
    expect(calls).toBe(2);
  });

  it('gives to another process what one received and did not delete, as received before; what is delayed keeps its time', async () => {
    const { queue, state, file } = openQueue();
    await queue.send([{ body: 'received' }, { body: 'delayed', delay: 60 }]);
    expect(bodies(await queue.receive(9))).toEqual(['received']);
    recoverMessages(file, state.now);
    const next = new SqliteQueue(file, 'deliveries', { clock: () => state.now, visibility: 600 });
    expect(await next.receive(9)).toMatchObject([{ body: 'received', receives: 2 }]);
    state.now += 60_000;
    expect(await next.receive(9)).toMatchObject([{ body: 'delayed', receives: 1 }]);
  });

  it('moves the times of its messages with a clock that is set back, in this run or before it', async () => {
    const { queue, state, file } = openQueue();
    await queue.send([{ body: 'x', delay: 30 }]);
    state.now -= 3_600_000;
    expect(await queue.receive(9)).toEqual([]);
    state.now += 30_000;
    expect(bodies(await queue.receive(9))).toEqual(['x']);
    await queue.send([{ body: 'y', delay: 30 }]);
    state.now -= 3_600_000;
    recoverMessages(file, state.now);
    const next = new SqliteQueue(file, 'deliveries', { clock: () => state.now, visibility: 600 });
    expect(bodies(await next.receive(9))).toEqual(['x', 'y']);
  });

  it('moves the times of its messages once, however many are sent and received after the clock was set back', async () => {
    const { queue, state } = openQueue();
    await queue.send([{ body: 'x', delay: 60 }]);
    state.now -= 3_600_000;
    for (const body of ['y', 'z']) {
      await queue.send([{ body, delay: 60 }]);
      state.now += 10_000;
      expect(await queue.receive(9)).toEqual([]);
    }
    state.now += 39_000;
    expect(await queue.receive(9)).toEqual([]);
    state.now += 1_000;
    expect(bodies(await queue.receive(9))).toEqual(['x', 'y']);
  });

  it('takes a small step back of the clock for a correction', async () => {
    const { queue, state } = openQueue();
    await queue.send([{ body: 'x' }]);
    state.now -= 900;
    expect(await queue.receive(9)).toEqual([]);
    state.now += 900;
    expect(bodies(await queue.receive(9))).toEqual(['x']);
  });

  it('shows messages no later after the clock was set back, received before or not', async () => {
    const { queue, state } = openQueue();
    await queue.send(of('a', 1));
    await queue.extend((await queue.receive(1))[0] as Message, 30);
    await queue.send([{ body: 'b0', group: 'b', delay: 30 }]);
    state.now -= 7_200_000;
    expect(await queue.receive(9)).toEqual([]);
    state.now += 30_000;
    expect(bodies([...(await queue.receive(9)), ...(await queue.receive(9))])).toEqual(['b0', 'a0']);
  });

  it('is one of several in a file', async () => {
    const file = new DatabaseSync(':memory:');
    const { queue, state } = openQueue({}, file);
    const chat = new SqliteQueue(file, 'chat', { clock: () => state.now, visibility: 600 });
    await chat.send([{ body: 'hello' }]);
    expect(await queue.receive(9)).toEqual([]);
    expect(queue.nextAfter(0)).toBeUndefined();
    expect(bodies(await chat.receive(9))).toEqual(['hello']);
  });

  it('joins the transaction that it is used in', async () => {
    const { queue, file } = openQueue();
    file.exec('BEGIN');
    await queue.send([{ body: 'x' }]);
    file.exec('ROLLBACK');
    expect(await queue.receive(9)).toEqual([]);
  });
});
