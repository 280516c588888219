import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Batch, Message } from '../../../functions/queue/queue.ts';
import { Consumer, type ConsumerOptions } from '../../../local/loops/consumer.ts';
import { ownTime, soon } from '../../kit/local/own-time.ts';
import { openQueue } from '../../kit/queue/sqlite.ts';

/** A consumer in time of its own; `serve` leaves nothing in the queue by default. */
function open(
  serve: (batch: Batch) => Promise<readonly string[]> = async () => [],
  options: Partial<ConsumerOptions> = {},
) {
  const time = ownTime(1_000_000);
  const { queue, file } = openQueue({ clock: time.clock });
  const served: string[][] = [];
  const failures: unknown[] = [];
  const consumer = new Consumer({
    ...{ queue, batch: 10, timeout: 60_000, clock: time.clock, sleep: time.sleep },
    serve: batch => {
      served.push(batch.messages.map(({ body }) => body));
      return serve(batch);
    },
    onFailure: error => failures.push(error),
    ...options,
  });
  onTestFinished(() => {
    void consumer.stop();
  });
  consumer.start();
  return { time, queue, file, served, failures, consumer };
}
const bodies = (messages: readonly Message[]) => messages.map(({ body }) => body);

describe('a consumer of a queue', () => {
  it('is woken by a message that is sent, and deletes what its handler is done with', async () => {
    const { queue, served, consumer } = open(async ({ messages }) =>
      messages.filter(({ body }) => body === 'stays').map(({ id }) => id),
    );
    await consumer.idle();
    await queue.send([{ body: 'done' }, { body: 'stays' }]);
    await consumer.idle();
    expect(served).toEqual([['done', 'stays']]);
    expect(bodies(queue.messagesOf(''))).toEqual(['stays']);
  });

  it('receives what is sent while it finds nothing', async () => {
    const { queue, served, time, consumer } = open();
    await consumer.idle();
    const found = Promise.withResolvers<Message[]>();
    const receive = vi.spyOn(queue, 'receive').mockReturnValueOnce(found.promise);
    consumer.wake();
    await soon(() => expect(receive).toHaveBeenCalledOnce());
    await queue.send([{ body: 'x' }]);
    found.resolve([]);
    await soon(() => expect(served).toEqual([['x']]));
    expect(time.elapsed()).toBe(0);
  });

  it('waits for a message that is shown later', async () => {
    const { queue, served, time } = open();
    await queue.send([{ body: 'later', delay: 5 }]);
    await time.step();
    expect(time.elapsed()).toBe(5_000);
    await soon(() => expect(served).toEqual([['later']]));
  });

  it('looks now and then, in case the clock was set', async () => {
    const { queue, served, time } = open();
    await queue.send([{ body: 'much later', delay: 600 }]);
    await time.step();
    expect(time.elapsed()).toBe(20_000);
    time.jump(time.clock() + 600_000);
    await time.step();
    await soon(() => expect(served).toEqual([['much later']]));
  });

  it('serves a message at once if it is shown between a read and the wait after it', async () => {
    const { queue, served, time, consumer } = open();
    await consumer.idle();
    const receive = queue.receive.bind(queue);
    vi.spyOn(queue, 'receive').mockImplementationOnce(async (...given) => {
      const found = await receive(...given);
      time.jump(time.clock() + 1_000);
      return found;
    });
    await queue.send([{ body: 'x', delay: 1 }]);
    await time.step();
    await soon(() => expect(served).toEqual([['x']]));
    expect(time.elapsed()).toBe(0);
  });

  it('serves groups side by side, and one of them by no more runs at once than it may have', async () => {
    const held = Promise.withResolvers<void>();
    const { queue, served, consumer } = open(
      async ({ messages }) => {
        if (messages.some(({ group }) => group === 'slow')) await held.promise;
        return [];
      },
      { batch: 2, perGroup: 2 },
    );
    await queue.send(Array.from({ length: 9 }, (_, index) => ({ body: `s${index}`, group: 'slow' })));
    await queue.send([{ body: 'q0', group: 'quick' }]);
    await soon(() => expect(served.flat()).toContain('q0'));
    expect(served.flat().filter(body => body.startsWith('s'))).toEqual(['s0', 's1', 's2', 's3']);
    held.resolve();
    await consumer.idle();
    expect(served.flat()).toHaveLength(10);
  });

  it('begins no more runs at once than it may', async () => {
    let running = 0;
    let most = 0;
    const { queue, served, consumer } = open(
      async () => {
        most = Math.max(most, ++running);
        await new Promise(resolve => setImmediate(resolve));
        running -= 1;
        return [];
      },
      { batch: 1, concurrency: 1 },
    );
    await queue.send(['a', 'b', 'c'].map(body => ({ body })));
    await consumer.idle();
    expect([served, most]).toEqual([[['a'], ['b'], ['c']], 1]);
  });

  it('goes on with a group while a message of it can not be given back', async () => {
    const { queue, served } = open(
      async ({ messages }) => {
        if (messages.some(({ body }) => body === 'fails')) throw new Error('down');
        return [];
      },
      { batch: 1, perGroup: 1 },
    );
    vi.spyOn(queue, 'extend').mockReturnValue(new Promise(() => {}));
    await queue.send(['fails', 'next'].map(body => ({ body, group: 'one' })));
    await soon(() => expect(served).toEqual([['fails'], ['next']]));
  });

  it('shows messages again soon whose handler fails, and reports it', async () => {
    let count = 0;
    const { queue, served, failures, time, consumer } = open(async () => {
      if (count++ === 0) throw new Error('no');
      return [];
    });
    await queue.send([{ body: 'x' }, { body: 'y' }]);
    await soon(() => expect(failures).toEqual([new Error('no')]));
    await time.step();
    await consumer.idle();
    expect(time.elapsed()).toBe(5_000);
    expect(served).toEqual(Array(2).fill(['x', 'y']));
    expect(queue.messagesOf('')).toEqual([]);
  });

  it('shows a message again each minute whose handler always fails', async () => {
    const { queue, served, time } = open(() => Promise.reject(new Error('no')));
    await queue.send([{ body: 'x' }]);
    for (const runs of Array.from({ length: 12 }, (_, index) => index + 1)) {
      await soon(() => expect(served).toHaveLength(runs));
      const before = time.elapsed();
      while (served.length === runs) await time.step();
      if (runs > 10) expect(time.elapsed() - before).toBe(60_000);
    }
  });

  it('receives a message that is shown while it finds nothing', async () => {
    const { queue, served, time, consumer } = open();
    await consumer.idle();
    await queue.send([{ body: 'later', delay: 5 }]);
    await consumer.idle();
    const receive = vi.spyOn(queue, 'receive').mockImplementationOnce(async () => {
      time.jump(time.clock() + 6_000);
      return [];
    });
    consumer.wake();
    await soon(() => expect(receive).toHaveBeenCalledOnce());
    await time.step();
    await soon(() => expect(served).toEqual([['later']]));
    expect(time.elapsed()).toBe(0);
  });

  it('tries again a second after its queue could not be read', async () => {
    const { queue, failures, time, served, consumer } = open();
    await consumer.idle();
    vi.spyOn(queue, 'receive').mockRejectedValueOnce(new Error('disk I/O error'));
    await queue.send([{ body: 'x' }]);
    await soon(() => expect(failures).toEqual([new Error('disk I/O error')]));
    // The sleep that the message ended is no longer among those that wait.
    await time.step();
    await soon(() => expect(served).toEqual([['x']]));
    expect(time.elapsed()).toBe(1_000);
  });

  it('that is stopped receives nothing more, waits for its runs, and refuses to become idle', async () => {
    const go = Promise.withResolvers<void>();
    const { queue, served, consumer } = open(async () => {
      await go.promise;
      return [];
    });
    await queue.send([{ body: 'under way' }]);
    await soon(() => expect(served).toHaveLength(1));
    const idle = consumer.idle();
    const stopped = consumer.stop();
    await expect(idle).rejects.toThrow('The consumer of the queue deliveries was stopped.');
    await queue.send([{ body: 'too late' }]);
    go.resolve();
    await stopped;
    await expect(consumer.idle()).rejects.toThrow('was stopped');
    expect(bodies(queue.messagesOf(''))).toEqual(['too late']);
    expect(served).toEqual([['under way']]);
  });

  it('that is stopped leaves in the queue what a run has not ended soon', async () => {
    const { queue, served, time, consumer } = open(() => new Promise(() => undefined));
    await queue.send([{ body: 'hangs' }]);
    await soon(() => expect(served).toHaveLength(1));
    const stopped = consumer.stop();
    await time.step();
    await stopped;
    expect(bodies(queue.messagesOf(''))).toEqual(['hangs']);
  });
});
