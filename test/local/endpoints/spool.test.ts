import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Spool } from '../../../local/endpoints/spool.ts';
import { SpoolFile } from '../../../local/endpoints/spool-file.ts';
import { temporaryDirectory } from '../dynamodb/support.ts';

let path: string;
let spool: Spool;
beforeEach(() => {
  path = join(temporaryDirectory(), 'crm.jsonl');
  spool = new Spool(new SpoolFile(path), 0);
});

const waiting = (...keys: string[]) => keys.map(key => ({ key, body: key }));
const queue =
  (...keys: string[]) =>
  async () =>
    waiting(...keys);
const parked = (key: string, due: number) => ({ key, body: key, firstReceived: 1, receives: 1, due });
const onDisk = () => [...new SpoolFile(path).values()].map(({ key }) => key);

describe('what an endpoint has yet to get', () => {
  it('is on disk once it was seen in the queue, until it is settled', async () => {
    await spool.secure(queue('a', 'b'));
    expect(onDisk()).toEqual(['a', 'b']);
    expect(spool.takeDue(1e15)).toEqual([]);
    spool.settle(['a']);
    await spool.secure(queue('b', 'c'));
    expect(onDisk()).toEqual(['b', 'c']);
  });

  it('does not come back because a queue that was asked before listed it', async () => {
    const listed = Promise.withResolvers<void>();
    const securing = spool.secure(async () => {
      await listed.promise;
      return waiting('settled', 'parked', 'left');
    });
    spool.settle(['settled']);
    spool.park(parked('parked', 7));
    listed.resolve();
    await securing;
    expect(onDisk()).toEqual(['parked', 'left']);
    expect(spool.get('parked')?.due).toBe(7);
    // It is still on its way out of the queue.
    await spool.secure(queue('settled'));
    expect(onDisk()).not.toContain('settled');
    // The queue hands it out again: it could not be deleted there.
    spool.received('settled');
    await spool.secure(queue('settled'));
    expect(onDisk()).toContain('settled');
  });

  it('rejects when it can’t be listed, and takes nothing for safe', async () => {
    const away = async () => Promise.reject(new Error('no queue'));
    await expect(spool.secure(away)).rejects.toThrow('no queue');
  });

  it('is parked until it is due, and then handed out once', () => {
    spool.park(parked('a', 10));
    spool.park(parked('b', 20));
    expect(spool.takeDue(9)).toEqual([]);
    expect(spool.takeDue(10).map(({ key }) => key)).toEqual(['a']);
    expect(spool.takeDue(20).map(({ key }) => key)).toEqual(['b']);
    expect(spool.takeDue(99)).toEqual([]);
    spool.putBack('a');
    spool.park(parked('b', 30));
    expect(spool.takeDue(99).map(({ key }) => key)).toEqual(['b', 'a'].sort());
    spool.settle(['a', 'b']);
    expect([spool.size, spool.takeDue(99)]).toEqual([0, []]);
  });

  it('is untried while something due has had no attempt in this run', async () => {
    expect(spool.untried).toBe(false);
    await spool.secure(queue('a'));
    expect(spool.untried).toBe(true);
    spool.park(parked('a', 10));
    expect(spool.untried).toBe(false);
    spool.takeDue(10);
    expect(spool.untried).toBe(false);
    const next = (now: number) => new Spool(new SpoolFile(path), now);
    expect(next(9).untried).toBe(false);
    expect(next(10).untried).toBe(true);
    expect(next(10).takeDue(10)).toEqual([parked('a', 10)]);
  });
});
