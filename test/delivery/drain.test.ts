import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type DrainDependencies, drain } from '../../functions/delivery/drain.ts';
import { wakesAt } from '../../functions/delivery/health.ts';
import {
  answered,
  endpointOf,
  idsOf,
  isRowOf,
  jobsWith,
  openSetting,
  type Setting,
  TABLE_DOWN,
  waitingOnes,
  writes,
} from '../kit/delivery/setting.ts';
import { AT, DAY, HOUR, MINUTE, SECOND } from '../kit/time.ts';

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);
const drainWith = (
  { dependencies }: Setting,
  more: Partial<DrainDependencies> = {},
  endpoint = endpointOf(),
): Promise<void> => drain(endpoint, { ...dependencies, ...more });

/** A setting with so many deliveries that wait, behind an endpoint of that health. */
async function open(count: number, health: object = {}, post?: Parameters<typeof openSetting>[0]) {
  const setting = openSetting(post);
  await setting.register(health);
  await setting.wait(waitingOnes(count));
  return setting;
}
const failing = (probes = 0, since = AT - HOUR) => ({
  ...{ failing: { since, probes }, failures: { count: 5 + probes, since }, notBefore: AT },
});

/** As tick and queue do, until `end`: looks after the rows whenever that is due. */
async function live(setting: Setting, end: number): Promise<void> {
  for (;;) {
    const health = await setting.healthOf();
    const at = health && wakesAt(health, setting.state.now);
    if (at === undefined || at >= end) return;
    setting.state.now = Math.max(setting.state.now, at);
    await drainWith(setting);
  }
}

describe('what waits for an endpoint', () => {
  it('is sent the oldest first, ten a second, until nothing is left; then new deliveries need not wait', async () => {
    const setting = await open(35);
    await drainWith(setting);
    expect(idsOf(setting.posts)).toEqual(numbers(35));
    expect(setting.posts.map(({ at }) => at / SECOND)).toEqual(
      numbers(35).map(number => Math.floor(number / 10)),
    );
    expect(await setting.pending()).toEqual([]);
    expect(await setting.healthOf()).toEqual({ added: 1 });
    expect([setting.wakes, setting.counts]).toEqual([[], { Delivered: 35 }]);
  });

  it('keeps to the requests a second that its endpoint names', async () => {
    const perSecond = 3;
    const setting = await open(2 * perSecond + 1);
    await drainWith(setting, {}, { ...endpointOf(), perSecond });
    const places = numbers(2 * perSecond + 1).map(number => Math.floor(number / perSecond));
    expect(setting.posts.map(({ at }) => at / SECOND)).toEqual(places);
  });

  it('is sent twice as fast each quarter of a minute, as long as all of it is taken', async () => {
    const setting = await open(240, {}, ({ at }) => answered(at === 17 * SECOND ? 500 : 200));
    await drainWith(setting);
    const perSecond = (second: number) =>
      setting.posts.filter(({ at }) => Math.floor(at / SECOND) === second).length;
    expect([0, 14, 15, 17, 18, 19].map(perSecond)).toEqual([10, 10, 20, 20, 10, 10]);
  });

  it('keeps to its rate also when few are due at once, because others come in all the time', async () => {
    const all = waitingOnes(50);
    let added = 0;
    const more = () => {
      added += 5;
      return setting.wait(all.slice(added - 5, added));
    };
    const setting = openSetting(async (_, number) => {
      if (number % 5 === 0) await more();
      return answered(200);
    });
    await setting.register();
    await more();
    await drainWith(setting);
    expect(setting.posts).toHaveLength(50);
    for (const [index, { at }] of setting.posts.entries())
      expect(
        setting.posts.filter(post => at - SECOND < post.at && post.at <= at).length,
        `${index}`,
      ).toBeLessThan(12);
    expect(idsOf(setting.posts)).toEqual(numbers(50));
  });

  it('goes to a chat by its own pace, several events in one message, those of three projects at a time', async () => {
    const setting = openSetting();
    await setting.register();
    const inProject = (body: string, project: number) => body.replace('"id":"p.1"', `"id":"p.${project}"`);
    await setting.wait(
      waitingOnes(45).map((one, index) => ({ ...one, body: inProject(one.body, index % 5) })),
    );
    const jobsOf = jobsWith(events =>
      events.length === 0 ? [] : [{ body: `${events.length}`, eventIds: events.map(({ id }) => id) }],
    );
    await drainWith(setting, { jobsOf }, endpointOf('slack'));
    expect(setting.posts.map(({ body, at }) => `${body} at ${at / SECOND} s`)).toEqual([
      '27 at 0 s',
      '18 at 1 s',
    ]);
  });

  it('is left alone while its endpoint is paused, stopped, held or removed', async () => {
    const closed = [{ paused: { at: AT } }, { stopped: { at: AT, reason: '' } }, { notBefore: AT + 1 }];
    for (const health of closed) {
      const setting = await open(3, health);
      await drainWith(setting);
      expect([setting.posts, (await setting.pending()).length]).toEqual([[], 3]);
      expect(setting.wakes).toEqual([]);
    }
    const setting = await open(3);
    await setting.rows.change('crm', () => 'removed');
    await drainWith(setting);
    expect([setting.posts, setting.wakes]).toEqual([[], []]);
  });

  it('is left alone from when its endpoint is removed, in the midst of it or at its end', async () => {
    const setting = await open(30, {}, async (_, number) => {
      if (number === 15) await setting.rows.change('crm', () => 'removed');
      return answered(200);
    });
    await drainWith(setting);
    expect([idsOf(setting.posts), setting.wakes]).toEqual([numbers(20), []]);
    expect(await setting.healthOf()).toBeUndefined();
    const last = await open(3);
    const nextDue: typeof last.deliveries.nextDue = async (...given) => {
      await last.rows.change('crm', () => 'removed');
      return last.deliveries.nextDue(...given);
    };
    await drainWith(last, { deliveries: { ...last.deliveries, nextDue } });
    expect([idsOf(last.posts), last.wakes, await last.healthOf()]).toEqual([numbers(3), [], undefined]);
  });

  it('may be nothing: then nothing is written but who looked, and nobody is woken', async () => {
    const setting = openSetting();
    await setting.register();
    await drainWith(setting);
    expect([setting.posts, setting.wakes, await setting.healthOf()]).toEqual([[], [], {}]);
    // No connection was opened, either.
    expect(setting.state.closed).toBe(0);
  });

  it.each([
    [1, [['crm', 1]]],
    [1_001, [['crm', 2]]],
    [MINUTE - 1, [['crm', 60]]],
    [MINUTE, []],
    [HOUR, []],
  ])('and is due %s ms after the rest is looked after then: by a message or the tick', async (ms, wakes) => {
    const setting = await open(10);
    const due = AT + SECOND + ms;
    await setting.wait(waitingOnes(12, { due }).slice(10));
    await drainWith(setting);
    expect([setting.posts.length, setting.wakes]).toEqual([10, wakes]);
    expect(await setting.healthOf()).toEqual({ waiting: { added: 2, due, first: false } });
  });

  it('and is due later wakes nobody by who sent nothing: messages that wake do not multiply', async () => {
    const setting = openSetting();
    await setting.register();
    await setting.wait(waitingOnes(2, { due: AT + SECOND }));
    await drainWith(setting);
    await drainWith(setting);
    expect([setting.posts, setting.wakes]).toEqual([[], []]);
    setting.state.now += SECOND;
    await drainWith(setting);
    expect(setting.posts).toHaveLength(2);
  });
});

describe('a run that sends what waits', () => {
  it('holds the endpoint as long as it lives; one that died gives way to the next when its time is over', async () => {
    const setting = await open(1);
    const remaining = () => 3 * MINUTE;
    const openPoster: DrainDependencies['openPoster'] = () => {
      throw new Error('killed');
    };
    const died = drainWith(setting, { run: 'dies', remaining, openPoster, rows: deadAfter(setting, 1) });
    await expect(died).rejects.toThrow('killed');
    // The turn, and the time for its last attempts.
    expect((await setting.healthOf())?.draining).toEqual({ by: 'dies', until: AT + 40 * SECOND });
    setting.state.now = AT + 40 * SECOND - 1;
    await drainWith(setting, { run: 'early' });
    expect(setting.posts).toEqual([]);
    setting.state.now += 1;
    await drainWith(setting, { run: 'next' });
    expect(idsOf(setting.posts)).toEqual([0]);
  });

  it('may take what it took itself: the answer to that was lost', async () => {
    const setting = await open(1, { draining: { by: 'run', until: AT + HOUR } });
    await drainWith(setting);
    expect(setting.posts).toHaveLength(1);
    expect(await setting.healthOf()).toEqual({ added: 1 });
  });

  it('wakes the next also when it has no time to begin', async () => {
    const setting = await open(3);
    await drainWith(setting, { remaining: () => 19_999 });
    expect([setting.posts, setting.wakes]).toEqual([[], [['crm', 0]]]);
    // No connection was opened, either.
    expect(setting.state.closed).toBe(0);
    await drainWith(setting, { remaining: () => 20_000 });
    expect(idsOf(setting.posts)).toEqual(numbers(3));
  });

  it('sends live deliveries before replayed ones, and lets new ones pass while these are sent', async () => {
    const setting = await open(0);
    const all = waitingOnes(40, { due: AT });
    await setting.wait([...all.slice(0, 30).map(each => ({ ...each, replay: true })), ...all.slice(30, 35)]);
    expect((await setting.healthOf())?.waiting?.first).toBe(true);
    let first: boolean | undefined;
    const rows: typeof setting.rows = {
      ...setting.rows,
      read: async name => {
        const row = await setting.rows.read(name);
        if (setting.posts.length === 20) first = row?.health.waiting?.first;
        if (setting.posts.length === 20) await setting.wait(all.slice(35), false);
        return row;
      },
    };
    await drainWith(setting, { rows });
    expect(idsOf(setting.posts).slice(0, 20)).toEqual([...numbers(5, 30), ...numbers(15)]);
    expect(first).toBe(false);
    expect(idsOf(setting.posts).slice(20)).toEqual([...numbers(5, 35), ...numbers(15, 15)]);
  });

  it('lets new deliveries pass only if none was added meanwhile', async () => {
    const setting = await open(0);
    const all = waitingOnes(20, { due: AT });
    await setting.wait(all.slice(0, 10).map(each => ({ ...each, replay: true })));
    let isAdded = false;
    const due: typeof setting.deliveries.due = async (...given) => {
      const found = await setting.deliveries.due(...given);
      if (!isAdded) await setting.wait(all.slice(10));
      isAdded = true;
      return found;
    };
    const posted: (boolean | undefined)[] = [];
    await drainWith(setting, {
      deliveries: { ...setting.deliveries, due },
      sleep: async () => void posted.push((await setting.healthOf())?.waiting?.first),
    });
    expect(posted[0]).toBe(true);
  });

  it('sends for 20 s, and wakes the next, which continues at the rate that was reached', async () => {
    const setting = await open(1_300);
    const turn = async () => {
      const before = setting.posts.length;
      await drainWith(setting);
      return setting.posts.length - before;
    };
    // 10 a second for 15 s, then 20, then 40, and so on.
    expect(await turn()).toBe(15 * 10 + 6 * 20);
    expect(setting.state.now).toBe(AT + 21 * SECOND);
    expect(setting.wakes).toEqual([['crm', 0]]);
    expect(await setting.healthOf()).toMatchObject({ pace: { since: AT, until: AT + 81 * SECOND } });
    expect(await turn()).toBe(9 * 20 + 12 * 40);
    // Only once the turn before is a minute ago, the rate is that of the beginning.
    setting.state.now += MINUTE;
    expect(await turn()).toBe(15 * 10 + 6 * 20);
    await live(setting, AT + HOUR);
    expect(idsOf(setting.posts)).toEqual(numbers(1_300));
    expect(await setting.healthOf()).toEqual({ added: 1 });
  });

  it('begins at the first rate again after a failure', async () => {
    const setting = await open(600, {}, (_, number) => answered(number > 250 && number <= 270 ? 500 : 200));
    await drainWith(setting);
    await drainWith(setting);
    expect(await setting.healthOf()).toMatchObject({ pace: { since: AT + 21 * SECOND } });
    const began = setting.posts.filter(({ at }) => at >= 21 * SECOND && at < 31 * SECOND);
    expect(began.length).toBe(10 * 10);
  });

  it('waits for a chat’s next moments during its turn, and books none after it', async () => {
    const setting = await open(30);
    const { slots } = setting.dependencies;
    const book = () => slots.reserveSlot('crm', SECOND, setting.state.now, HOUR);
    for (let second = 0; second < 8; second++) await book();
    await drainWith(setting, {}, endpointOf('slack'));
    expect([setting.posts.length, setting.wakes]).toEqual([13, [['crm', 1]]]);
    expect(setting.posts.map(({ at }) => at / SECOND)).toEqual(numbers(13, 8));
    expect(await book()).toBe(SECOND);
  });

  it('leaves all to the next tick when the table is down at its beginning', async () => {
    const setting = await open(3);
    setting.faults.before = command => isRowOf('crm')(command) && TABLE_DOWN;
    await expect(drainWith(setting)).rejects.toThrow('table down');
    setting.faults.before = () => undefined;
    expect([setting.posts, await setting.healthOf()]).toMatchObject([[], { waiting: { added: 1 } }]);
  });

  it.each(['PENDING#', 'crm'])('sends nothing twice while the table takes no write of %s', async prefix => {
    const setting = await open(30, failing());
    setting.faults.before = command => {
      const isBegun = setting.posts.length > 0 && writes(command, prefix);
      return isBegun && TABLE_DOWN;
    };
    const end = drainWith(setting);
    if (prefix === 'crm') await expect(end).rejects.toThrow('table down');
    else await end;
    expect(setting.posts).toHaveLength(1);
    if (prefix !== 'crm') expect(setting.wakes).toEqual([['crm', 30]]);
  });

  it('is not held up by a table that has no room for attempts', async () => {
    const setting = await open(20);
    const room = Promise.withResolvers<void>();
    const deliveries = { ...setting.deliveries, note: () => room.promise };
    let isOver = false;
    const draining = drainWith(setting, { deliveries }).then(() => {
      isOver = true;
    });
    for (let turns = 0; turns < 2000 && setting.posts.length < 20; turns++) await undefined;
    expect(setting.posts).toHaveLength(20);
    while ((await setting.healthOf())?.draining) await turn();
    await turn();
    // It has given up the endpoint, and lives on only until its attempts are written.
    expect(isOver).toBe(false);
    room.resolve();
    await draining;
  });
});

/** Rows that can be written so many times. */
function deadAfter({ rows }: Setting, times: number): DrainDependencies['rows'] {
  let written = 0;
  return {
    ...rows,
    change: (name, decide) => {
      written += 1;
      if (written > times) return Promise.reject(new Error('killed'));
      return rows.change(name, decide);
    },
  };
}

describe('an endpoint that fails', () => {
  it('gets one probe, and the rest waits', async () => {
    const setting = await open(30, failing(), () => answered(500));
    await drainWith(setting);
    expect(setting.posts).toHaveLength(1);
    expect(await setting.healthOf()).toMatchObject({ failing: { probes: 1 }, notBefore: AT + MINUTE });
    expect(setting.wakes).toEqual([['crm', 60]]);
  });

  it('has what had been put off for hours at once when it is back, within 15 minutes of that', async () => {
    const back = AT + HOUR;
    const setting = openSetting(({ at }) => answered(AT + at < back ? 500 : 200));
    const since = AT - MINUTE;
    await setting.register({ failing: { since, probes: 0 }, failures: { count: 5, since }, notBefore: AT });
    await setting.wait(waitingOnes(3, { due: AT + 2 * HOUR, triedAt: since, attempts: 5 }));
    await live(setting, AT + DAY);
    expect(await setting.pending()).toEqual([]);
    expect(setting.state.now).toBeLessThan(back + 15 * MINUTE + 2 * SECOND);
    const apart = setting.posts
      .filter(({ at }) => at < HOUR)
      .map(({ at }, index, all) => at - (all[index - 1]?.at ?? 0));
    expect(apart.slice(1)).toEqual([1, 2, 4, 8, 15, 15].map(minutes => minutes * MINUTE));
  });

  it('is not thought to fail for ever because one event does: the others are tried, too', async () => {
    const [bad, ...good] = waitingOnes(5);
    const setting = await open(0, failing(), ({ body }) => answered(body === bad?.body ? 500 : 200));
    await setting.wait([bad as (typeof good)[number], ...good]);
    await live(setting, AT + 20 * MINUTE);
    expect((await setting.pending()).map(({ eventId }) => eventId)).toEqual([bad?.eventId]);
    expect((await setting.healthOf())?.failing).toBeUndefined();
  });
});
