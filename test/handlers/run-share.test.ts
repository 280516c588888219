import { beforeEach, describe, expect, it } from 'vitest';
import { type RunShare, ShareLostError, type Taken, takeShare } from '../../functions/handlers/run-share.ts';
import type { WorkspaceRow } from '../../functions/model/workspace-row.ts';
import { DeadlineError } from '../../functions/service/errors.ts';
import { createWorkspaceRows } from '../../functions/store/dynamo/workspaces.ts';
import type { WorkspaceRows } from '../../functions/store/store.ts';
import { openModel } from '../kit/table.ts';
import { AT, MINUTE, SECOND } from '../kit/time.ts';

describe('the share of a run', () => {
  const workspace = 'eu';
  let own: WorkspaceRows;
  let now: number;
  beforeEach(() => {
    own = createWorkspaceRows(openModel());
    now = AT;
  });

  const take = (
    run: string,
    more: Partial<Parameters<typeof takeShare>[1]> = {},
    rows: WorkspaceRows = own,
  ): Promise<Taken> =>
    takeShare(rows, { workspace, run, ceiling: 8, isBulk: false, isAsked: false, ...more }, () => now);
  const taken = async (...how: Parameters<typeof take>): Promise<RunShare & { isProbe: boolean }> => {
    const got = await take(...how);
    if (got.as !== 'taken') throw new Error(`The run got ${got.as}.`);
    return Object.assign(got.share, { isProbe: got.isProbe });
  };
  const rowOf = async () => (await own.all()).get(workspace);
  const shares = async () =>
    Object.fromEntries(Object.entries((await rowOf())?.shares ?? {}).map(([run, { count }]) => [run, count]));
  const pause = (ms: number) =>
    own.change(workspace, row => ({
      ...row,
      pause: { until: now + ms, since: now, reason: 'It is down.', failures: 1 },
    }));
  /** The rows, with how often the one of a workspace was written. */
  function counted() {
    const writes = { count: 0 };
    const change: WorkspaceRows['change'] = (name, decide) =>
      own.change(name, row => {
        const after = decide(row);
        if (after) writes.count += 1;
        return after;
      });
    return { writes, rows: { ...own, change } };
  }

  it('is taken by one write, and given back by one', async () => {
    const { writes, rows } = counted();
    const share = await taken('a', {}, rows);
    expect([share.count, share.isProbe, writes.count]).toEqual([4, false, 1]);
    expect(await shares()).toEqual({ a: 4 });
    await share.release();
    expect([await shares(), share.count, writes.count]).toEqual([{}, 0, 2]);
  });

  it('is none where other runs have all: the first of those that find none writes that down, and the others nothing', async () => {
    for (const run of ['a', 'b', 'c', 'd']) await taken(run);
    const { writes, rows } = counted();
    expect(await take('e', {}, rows)).toEqual({ as: 'full' });
    expect((await rowOf())?.wantedAt).toBe(AT);
    for (const run of ['f', 'e']) expect(await take(run, {}, rows)).toEqual({ as: 'full' });
    expect(writes.count).toBe(1);
    expect(await shares()).toEqual({ a: 4, b: 2, c: 1, d: 1 });
  });

  it('is none while the workspace is paused: nothing is written, and the pause is told', async () => {
    await pause(MINUTE);
    const { writes, rows } = counted();
    const paused = { until: AT + MINUTE, since: AT, reason: 'It is down.', failures: 1 };
    expect(await take('a', {}, rows)).toEqual({ as: 'paused', pause: paused });
    now += MINUTE - 1;
    expect(await take('a', {}, rows)).toMatchObject({ as: 'paused' });
    expect(writes.count).toBe(0);
  });

  it('is that of the one run that asks whether the service answers again, once the pause is over; for others it goes on', async () => {
    await pause(MINUTE);
    now += MINUTE;
    const all = await Promise.all(['a', 'b', 'c'].map(run => take(run)));
    const probing = all.filter(one => one.as === 'taken');
    expect(probing).toMatchObject([{ isProbe: true }]);
    expect(all.filter(one => one.as === 'paused')).toHaveLength(2);
    // It was killed: another run asks 15 s later.
    now += 15 * SECOND - 1;
    expect(await take('d')).toMatchObject({ as: 'paused' });
    now += 1;
    expect(await take('d')).toMatchObject({ as: 'taken', isProbe: true });
  });

  it('is had during a pause by an operator’s run, which asks as well', async () => {
    await pause(10 * MINUTE);
    expect(await take('a', { isAsked: true })).toMatchObject({ as: 'taken', isProbe: true });
    expect((await rowOf())?.pause?.until).toBe(AT + 15 * SECOND);
  });

  it('is taken once where the answer was lost and the request is repeated, after a pause, too', async () => {
    const lossy: WorkspaceRows = {
      ...own,
      change: async (name, decide) => {
        await own.change(name, decide);
        return own.change(name, decide);
      },
    };
    const plain = await taken('a', {}, lossy);
    expect([await shares(), plain.count]).toEqual([{ a: 4 }, 4]);
    await plain.release();
    await pause(SECOND);
    now += SECOND;
    expect((await taken('b', {}, lossy)).isProbe).toBe(true);
    expect(await shares()).toEqual({ b: 4 });
  });

  it('is no probe of a pause that came after it was taken, though the answer was lost', async () => {
    const change: WorkspaceRows['change'] = async (name, decide) => {
      await own.change(name, decide);
      await pause(MINUTE);
      return own.change(name, decide);
    };
    expect((await taken('a', {}, { ...own, change })).isProbe).toBe(false);
    expect((await rowOf())?.pause?.until).toBe(AT + MINUTE);
  });

  it('is renewed before a request once it is 20 s old, by one write for all that wait', async () => {
    const { writes, rows } = counted();
    const share = await taken('a', {}, rows);
    now += 20 * SECOND - 1;
    await share.hold();
    expect(writes.count).toBe(1);
    now += 1;
    await Promise.all([share.hold(), share.hold(), share.hold()]);
    expect(writes.count).toBe(2);
    expect((await rowOf())?.shares.a?.until).toBe(now + MINUTE);
    now += 19 * SECOND;
    await share.hold();
    expect(writes.count).toBe(2);
    // A clock that was set back makes it older than it seems.
    now -= MINUTE;
    await share.hold();
    expect(writes.count).toBe(3);
  });

  it('becomes larger or smaller when it is renewed, but never smaller than the requests under way', async () => {
    const [a, b] = [await taken('a'), await taken('b')];
    expect([a.count, b.count]).toEqual([4, 2]);
    await b.release();
    now += 20 * SECOND;
    await a.hold();
    expect(a.count).toBe(4);
    const c = await taken('c');
    expect(c.count).toBe(2);
    // The fifth is one of another share, by a shared connection.
    for (let begun = 0; begun < 5; begun++) a.begin();
    now += 20 * SECOND;
    await a.hold();
    expect(a.count).toBe(4);
    for (let ended = 0; ended < 4; ended++) a.end();
    now += 20 * SECOND;
    await a.hold();
    await c.hold();
    expect([a.count, c.count]).toEqual([3, 3]);
  });

  it('of a sweep is halved while another run wants one', async () => {
    const sweep = await taken('s', { isBulk: true });
    for (const run of ['a', 'b', 'c', 'd', 'e']) await take(run);
    expect(await take('f')).toEqual({ as: 'full' });
    now += 20 * SECOND;
    const before = sweep.count;
    await sweep.hold();
    expect(sweep.count).toBe(Math.floor(before / 2));
    expect(await take('f')).toMatchObject({ as: 'taken' });
  });

  it('that was lost fails what would be sent, as when time is up: others have all', async () => {
    const suspended = await taken('a');
    now += MINUTE;
    for (const run of ['b', 'c', 'd', 'e']) await taken(run);
    const lost = suspended.hold();
    await expect(lost).rejects.toThrow(ShareLostError);
    await expect(lost).rejects.toBeInstanceOf(DeadlineError);
    await expect(lost).rejects.toThrow(`Workspace ${workspace}: other runs use all its concurrent requests`);
    expect([suspended.count, Object.keys(await shares())]).toEqual([0, ['b', 'c', 'd', 'e']]);
    await expect(suspended.hold()).rejects.toThrow(ShareLostError);
  });

  it('that has expired is had again where some are free, though its requests under way no longer count', async () => {
    const suspended = await taken('a');
    for (let begun = 0; begun < 4; begun++) suspended.begin();
    now += MINUTE;
    await taken('b');
    await suspended.hold();
    expect(suspended.count).toBe(2);
  });

  it('that has expired counts no requests under way, though nobody has removed it', async () => {
    const [suspended, other] = [await taken('a'), await taken('b')];
    for (let begun = 0; begun < 4; begun++) suspended.begin();
    now += MINUTE - 1;
    await other.hold();
    now += 1;
    await suspended.hold();
    expect([suspended.count, other.count]).toEqual([3, 2]);
  });

  it('of a sweep leaves some to other passes, and grows after 2 s to all that is free beside', async () => {
    const sweep = await taken('s', { isBulk: true });
    expect(sweep.count).toBe(3);
    now += 2 * SECOND - 1;
    await sweep.hold();
    expect(sweep.count).toBe(3);
    now += 1;
    await sweep.hold();
    expect(sweep.count).toBe(6);
    expect(await take('t', { isBulk: true })).toEqual({ as: 'full' });
    expect(await take('a')).toMatchObject({ as: 'taken' });
  });

  it('that was closed fails what would be sent with the reason, and is given back all the same', async () => {
    const share = await taken('a');
    const reason = new Error('the service is down');
    share.close(reason);
    await expect(share.hold()).rejects.toBe(reason);
    now += 20 * SECOND;
    await expect(share.hold()).rejects.toBe(reason);
    expect(await shares()).toEqual({ a: 4 });
    await share.release();
    expect(await shares()).toEqual({});
  });

  it('that could not be renewed fails the request, and is tried again with the next', async () => {
    let isDown = false;
    const change: WorkspaceRows['change'] = (...how) =>
      isDown ? Promise.reject(new Error('table down')) : own.change(...how);
    const share = await taken('a', {}, { ...own, change });
    now += 20 * SECOND;
    isDown = true;
    await expect(share.hold()).rejects.toThrow('table down');
    isDown = false;
    await share.hold();
    expect((await rowOf())?.shares.a?.until).toBe(now + MINUTE);
  });

  it('of a run whose answer came late counts from when it was taken', async () => {
    const slow = (ms: number): WorkspaceRows => ({
      ...own,
      change: async (name, decide): Promise<WorkspaceRow> => {
        const row = await own.change(name, decide);
        now += ms;
        return row;
      },
    });
    const share = await taken('a', {}, slow(25 * SECOND));
    // It is renewed before the first request, until an answer comes in time; each of these is late.
    await expect(share.hold()).rejects.toThrow(ShareLostError);
  });
});
