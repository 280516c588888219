import { describe, expect, test } from 'vitest';
import { ServiceStatusError } from '../../functions/service/errors.ts';
import type { RequestShare } from '../../functions/service/service.ts';
import { failureOf } from '../kit/service/connect.ts';
import { type Bearing, readLists, virtualRig } from '../kit/service/virtual.ts';

const quick: Bearing = () => ({ ms: 100 });

test('how many requests are sent at once grows while answers are quick: five hundred lists take less than a third of the time that four at once do', async () => {
  const found = virtualRig(quick);
  const four = virtualRig(quick, { concurrency: 4 });
  const time = await found.within(readLists(found.service, 500));
  expect(time).toBeLessThan((await four.within(readLists(four.service, 500))) / 3);
  expect([found.most(), four.most()]).toEqual([16, 4]);
});

test('how many requests are sent at once stays small for a service that is slower the more it is asked', async () => {
  const crowded = virtualRig((_now, underWay) => ({ ms: 100 * (1 + underWay) }), { concurrency: 32 });
  await crowded.within(readLists(crowded.service, 1_000, 32));
  expect(crowded.most()).toBeLessThan(16);
});

/** A service that allows so many requests in each second. */
const WINDOWS: [string, (perSecond: number) => (now: number) => boolean][] = [
  [
    'counted by the clock',
    perSecond => {
      let second = 0;
      let count = 0;
      return now => {
        const at = Math.floor(now / 1_000);
        count = at === second ? count + 1 : 1;
        second = at;
        return count <= perSecond;
      };
    },
  ],
  [
    'of a bucket that fills steadily',
    perSecond => {
      let tokens = perSecond;
      let last = 0;
      return now => {
        tokens = Math.min(perSecond, tokens + ((now - last) * perSecond) / 1_000);
        last = now;
        if (tokens < 1) return false;
        tokens -= 1;
        return true;
      };
    },
  ],
];

const headers: [string, Record<string, string>][] = [
  ['with Retry-After', { 'retry-after': '1' }],
  ['without', {}],
];

test.each(
  WINDOWS.flatMap(([counted, window], first) =>
    headers.flatMap(([how, retryAfter], second) =>
      [20, 100, 400].flatMap((ms, third) =>
        (first + second + third) % 2 === 0 ? [{ counted, window, how, retryAfter, ms }] : [],
      ),
    ),
  ),
)(
  'a service that allows twenty requests a second, $counted, $how, answers in $ms ms: most of them are used, and no list fails',
  async ({ window, retryAfter, ms }) => {
    const allows = window(20);
    const { service, within, answers } = virtualRig(now =>
      allows(now) ? { ms } : { ms, status: 429, headers: retryAfter },
    );
    const time = await within(readLists(service, 1_000));
    const refused = answers.filter(({ status }) => status === 429).length;
    expect(1_000 / (time / 1_000) / 20).toBeGreaterThanOrEqual(0.8);
    expect(refused).toBeLessThan(60);
  },
);

describe('a service that says when to come back', () => {
  test.each([429, 503])('within 20 s is sent nothing before, by nobody: %i', async code => {
    let asked = 0;
    const { service, within, answers, scheduler } = virtualRig(() => {
      asked += 1;
      return asked === 20 ? { ms: 50, status: code, headers: { 'retry-after': '20' } } : { ms: 50 };
    });
    await within(readLists(service, 100));
    const at = answers.find(({ status }) => status === code)?.at ?? 0;
    // Those that were under way come back; what is sent is answered 50 ms later.
    expect(answers.filter(answer => answer.at > at + 50 && answer.at < at + 20_050)).toEqual([]);
    expect(scheduler.now).toBeLessThan(at + 35_000);
  });

  test('behind the deadline has refused what is asked meanwhile: no time was short', async () => {
    const refusal = { ms: 50, status: 429, headers: { 'retry-after': '15' } };
    const { connection, within, scheduler, answers } = virtualRig(() => refusal);
    const failing = async () => {
      const failed = failureOf(readLists(connection.open({ deadline: scheduler.now + 10_000 }), 1));
      await within(failed);
      return failed;
    };
    await failing();
    const second = await failing();
    expect(second).toBeInstanceOf(ServiceStatusError);
    expect(second).toMatchObject({ status: 429, scope: 'everybody', retryAfter: undefined });
    expect(second.message).toContain('the service asks for no request before 2026-07-01T10:00:15.050Z');
    expect(answers).toHaveLength(1);
  });

  test.each([429, 503])('in more than 20 s has all fail at once that wait for their turn: %i', async code => {
    let asked = 0;
    const { service, within, answers } = virtualRig(() => {
      asked += 1;
      return asked === 2 ? { ms: 100, status: code, headers: { 'retry-after': '600' } } : { ms: 1_000 };
    });
    const all = Array.from({ length: 30 }, () => failureOf(readLists(service, 1, 1)).catch(() => undefined));
    // Four are under way; the others need not wait for these.
    expect(await within(Promise.all(all))).toBe(1_000);
    const errors = (await Promise.all(all)).filter(error => error !== undefined);
    expect(answers).toHaveLength(4);
    expect(errors).toHaveLength(27);
    for (const error of errors)
      expect(error).toMatchObject({ status: code, scope: 'everybody', retryAfter: 600_000 });
  });
});

/** A share of so many requests at once. */
function shareOf(count: number) {
  const share = { count, underWay: 0, most: 0, held: 0 };
  return Object.assign(share, {
    hold: async () => void share.held++,
    begin: () => {
      share.underWay += 1;
      share.most = Math.max(share.most, share.underWay);
    },
    end: () => void share.underWay--,
  });
}

describe('the shares of runs', () => {
  const DEADLINE = Date.parse('2026-07-02T10:00:00Z');
  const openWith = (share: RequestShare, bearing: Bearing = quick) => {
    const made = virtualRig(bearing);
    return { ...made, service: made.connection.open({ deadline: DEADLINE, share }) };
  };

  test('bound how many requests are sent at once, and each request is made under one', async () => {
    const share = shareOf(3);
    const { service, within, most } = openWith(share);
    await within(readLists(service, 500));
    expect([most(), share.most, share.underWay]).toEqual([3, 3, 0]);
    // Before the wait for the turn, and after it.
    expect(share.held).toBeGreaterThanOrEqual(1_000);
  });

  test('are awaited before each request: one that has ended fails what would be sent', async () => {
    const share = shareOf(3);
    let holds = 0;
    const hold = () => (++holds > 10 ? Promise.reject(new Error('the share has ended')) : Promise.resolve());
    const { service, within, answers } = openWith({ ...share, count: 3, hold });
    const failed = failureOf(readLists(service, 500, 1));
    await within(failed);
    expect((await failed).message).toBe('the share has ended');
    expect(answers).toHaveLength(5);
  });

  test('may end while a request waits for its turn: it is not sent', async () => {
    let isOver = false;
    const hold = async () => {
      if (isOver) throw new Error('the share has ended');
    };
    const { service, within, answers, scheduler } = openWith({ ...shareOf(1), hold });
    scheduler.after(50, () => {
      isOver = true;
    });
    const [first, second] = [readLists(service, 1, 1), failureOf(readLists(service, 1, 1))];
    await within(first);
    await within(second);
    expect((await second).message).toBe('the share has ended');
    expect(answers).toHaveLength(1);
  });

  test('add up where several runs use one connection, and never to more than the settings allow', async () => {
    const made = virtualRig(quick, { concurrency: 8 });
    const open = (count: number) => made.connection.open({ deadline: DEADLINE, share: shareOf(count) });
    await made.within(Promise.all([open(2), open(3)].map(service => readLists(service, 300))));
    expect(made.most()).toBe(5);
    await made.within(Promise.all([open(7), open(7)].map(service => readLists(service, 300))));
    expect(made.most()).toBe(8);
  });

  test('that have ended count no more, once the next run opens the connection, or asks whether the service answers', async () => {
    const made = virtualRig(quick);
    const share = shareOf(2);
    await made.within(readLists(made.connection.open({ deadline: DEADLINE, share }), 20));
    share.count = 0;
    await made.within(made.connection.probe('p'));
    expect(made.answers).toHaveLength(21);
    const next = made.connection.open({ deadline: DEADLINE, share: shareOf(4) });
    await made.within(readLists(next, 200));
    expect(made.most()).toBe(4);
  });
});
