import { describe, expect, test } from 'vitest';
import { ServiceStatusError } from '../../functions/service/errors.ts';
import { failureOf } from '../kit/service/connect.ts';
import { type Bearing, readLists, virtualRig } from '../kit/service/virtual.ts';

const quick: Bearing = () => ({ ms: 100 });

describe('how many requests are sent at once', () => {
  test('grows while answers are quick: a thousand lists take less than a third of the time that four at once do', async () => {
    const found = virtualRig(quick);
    const four = virtualRig(quick, { concurrency: 4 });
    const time = await found.within(readLists(found.service, 1_000));
    expect(time).toBeLessThan((await four.within(readLists(four.service, 1_000))) / 3);
    expect([found.most(), four.most()]).toEqual([16, 4]);
  });

  test('stays small for a service that is slower the more it is asked', async () => {
    const crowded = virtualRig((_now, underWay) => ({ ms: 100 * (1 + underWay) }), { concurrency: 32 });
    await crowded.within(readLists(crowded.service, 2_000, 32));
    expect(crowded.most()).toBeLessThan(16);
  });

  test('is one at least, whatever the service answers', async () => {
    let asked = 0;
    const { service, within, most } = virtualRig(() => ({ ms: 100, status: asked++ < 200 ? 503 : 200 }), {
      maxAttempts: 60,
    });
    await within(readLists(service, 100));
    expect(most()).toBeGreaterThan(1);
  });

  test.each([429, 503])('is halved behind a %i, once for all that were under way', async code => {
    let refusals = 0;
    const { service, within, scheduler, answers } = virtualRig((now, underWay) => {
      underWays.push({ now, underWay: underWay + 1 });
      const isRefused = now >= trouble && now < trouble + 100;
      if (isRefused) refusals += 1;
      return isRefused ? { ms: 100, status: code } : { ms: 100 };
    });
    const underWays: { now: number; underWay: number }[] = [];
    const trouble = scheduler.now + 5_000;
    await within(readLists(service, 800));
    const most = (from: number, to: number) =>
      Math.max(
        ...underWays
          .filter(({ now }) => now >= trouble + from && now < trouble + to)
          .map(each => each.underWay),
      );
    expect(refusals).toBeGreaterThan(8);
    expect(answers.filter(({ status }) => status === code)).toHaveLength(refusals);
    expect(most(-200, 0)).toBe(16);
    expect(most(300, 400)).toBeLessThanOrEqual(9);
    expect(most(300, 400)).toBeGreaterThanOrEqual(code === 503 ? 8 : 1);
  });
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
    'counted over the last second',
    perSecond => {
      let allowed: number[] = [];
      return now => {
        allowed = allowed.filter(at => at > now - 1_000);
        if (allowed.length >= perSecond) return false;
        allowed.push(now);
        return true;
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

describe('a service that allows twenty requests a second', () => {
  const headers: [string, Record<string, string>][] = [
    ['with Retry-After', { 'retry-after': '1' }],
    ['without', {}],
  ];

  test.each(
    WINDOWS.flatMap(([counted, window]) =>
      headers.flatMap(([how, retryAfter]) =>
        [20, 100, 400].map(ms => ({ counted, window, how, retryAfter, ms })),
      ),
    ),
  )(
    '$counted, $how, answers in $ms ms: most of them are used, and no list fails',
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
});

describe('a service that says when to come back', () => {
  test.each([429, 503])('is sent nothing before, by nobody: %i', async code => {
    let asked = 0;
    const { service, within, answers, scheduler } = virtualRig(() => {
      asked += 1;
      return asked === 20 ? { ms: 50, status: code, headers: { 'retry-after': '30' } } : { ms: 50 };
    });
    await within(readLists(service, 100));
    const at = answers.find(({ status }) => status === code)?.at ?? 0;
    // Those that were under way come back; what is sent is answered 50 ms later.
    expect(answers.filter(answer => answer.at > at + 50 && answer.at < at + 30_050)).toEqual([]);
    expect(scheduler.now).toBeLessThan(at + 45_000);
  });

  test('behind the deadline has refused what is asked meanwhile: no time was short', async () => {
    const { connection, within, scheduler, answers } = virtualRig(() => ({
      ms: 50,
      status: 429,
      headers: { 'retry-after': '120' },
    }));
    const pass = () => connection.open({ deadline: scheduler.now + 60_000 });
    const first = failureOf(readLists(pass(), 1));
    await within(first);
    const second = failureOf(readLists(pass(), 1));
    await within(second);
    expect(await second).toBeInstanceOf(ServiceStatusError);
    expect(await second).toMatchObject({ status: 429, scope: 'everybody' });
    expect((await second).message).toContain(
      'the service asks for no request before 2026-07-01T10:02:00.050Z',
    );
    expect(answers).toHaveLength(1);
  });

  test('in an hour is asked again before that', async () => {
    let asked = 0;
    const { service, within, answers } = virtualRig(() => {
      asked += 1;
      return asked === 1 ? { ms: 50, status: 503, headers: { 'retry-after': '3600' } } : { ms: 50 };
    });
    const [refused, other] = [readLists(service, 1), readLists(service, 1)];
    await within(other);
    await within(refused);
    expect(answers.map(({ status }) => status)).toEqual([503, 200, 200]);
  });
});
