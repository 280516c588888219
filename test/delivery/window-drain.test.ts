import { describe, expect, it } from 'vitest';
import { onHoldEvent } from '../../functions/changes/process-events.ts';
import type { DrainDependencies } from '../../functions/delivery/drain.ts';
import { EndpointHealth } from '../../functions/delivery/endpoint-health.ts';
import { closedTo, joined, wakesAt } from '../../functions/delivery/health.ts';
import type { Answer } from '../../functions/delivery/http/post.ts';
import { wakeWaiting } from '../../functions/delivery/queues.ts';
import type { NewDelivery } from '../../functions/model/delivery.ts';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import type { Health } from '../../functions/model/endpoint-row.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import type { WindowSettings } from '../../functions/model/windows.ts';
import { change, commitOf, field } from '../kit/delivery/chat-batches.ts';
import { readSlack } from '../kit/delivery/read-slack.ts';
import { answered, messageOf, openSetting, openStored, realJobs } from '../kit/delivery/setting.ts';
import { AT, DAY, HOUR, MINUTE, SECOND } from '../kit/time.ts';

/** This number of edits of one project, one after the other. */
const edits = (count: number, project = 'p-1'): ChangeEvent[] =>
  Array.from({ length: count }, (_, index) =>
    commitOf([change('t-1', 'Task', [field('Status', `${index}`, `${index + 1}`)])], {
      projectId: project,
      name: `Project ${project}`,
      version: AT - HOUR + index,
    }),
  ).flat();
const atHold = { version: AT, at: AT, missing: 3, known: 6 };
const onHold = onHoldEvent({ workspace: 'eu', processId: 'p' }, atHold);

const slack = (settings: WindowSettings) => ({ name: 'crm', kind: 'slack', ...settings }) as EndpointSettings;
const WINDOW = slack({ window: '15m' });
const DIGEST = slack({ digest: '13:00 UTC' });
const QUIET = slack({ quiet: '11:00-13:00 UTC' });

/** A window that is over, and after which changes wait. */
const OVER = { window: { since: AT - HOUR, holds: true } } as const;
const FAILING: Health = {
  failures: { count: 6, since: AT - HOUR },
  failing: { since: AT - HOUR, probes: 1 },
};

const waiting = (events: readonly ChangeEvent[], more: Partial<NewDelivery> = {}): NewDelivery[] =>
  events.map((event, index) => ({
    ...{ endpoint: 'crm', eventId: event.id, at: AT - HOUR + index, due: AT - MINUTE, attributes: {} },
    ...{ body: JSON.stringify(event), ...more },
  }));

/** A chat with this backlog, in this window. At first it is noon. */
async function open(
  settings: EndpointSettings,
  rows: readonly NewDelivery[],
  {
    window = { since: AT - MINUTE, holds: true },
    post,
    ...more
  }: { window?: Health['window']; post?: () => Answer | Promise<Answer> } & Health = {},
) {
  const setting = openStored(post);
  const { endpoints, deliveries } = setting;
  const health = { ...joined({}, AT - MINUTE, false), window, ...more };
  await endpoints.change('crm', () => ({ name: 'crm', health, settings }));
  await deliveries.add(rows);
  return {
    ...setting,
    health: setting.healthOf,
    texts: () =>
      setting.posts.map(({ body }) => {
        const { title, paragraphs } = readSlack(body);
        return [title, ...paragraphs.map(({ heading }) => heading)].join(' | ');
      }),
    drain: (more: Partial<DrainDependencies> = {}, endpoint = settings) => setting.drain(endpoint, more),
    /** In how many seconds a tick wakes a run; undefined if it wakes none. */
    async wakesIn(endpoint = settings) {
      const wakes: number[] = [];
      const queues = { wake: async (_: unknown, seconds: number) => void wakes.push(seconds) };
      const registered = [{ endpoint, row: await endpoints.read('crm') }];
      await wakeWaiting(registered, { queues, log: setting.dependencies.log }, setting.state.now);
      return wakes[0];
    },
  };
}

/** Reads 100 rows for a message. */
const slowly = ({ state, deliveries }: Awaited<ReturnType<typeof open>>) => {
  const pending: typeof deliveries.pending = (...asked) => {
    state.now += 5 * SECOND;
    return deliveries.pending(...asked);
  };
  return { deliveries: { ...deliveries, pending } };
};

describe('the backlog of a chat that gathers changes', () => {
  it('is left alone until its time, then sent, and no tick wakes a run before', async () => {
    const chat = await open(DIGEST, waiting(edits(3)));
    await chat.drain();
    expect([chat.texts(), await chat.wakesIn(), await chat.left()]).toEqual([[], undefined, 3]);
    chat.state.now = AT + HOUR - 20 * SECOND;
    expect(await chat.wakesIn()).toBe(20);
    chat.state.now = AT + HOUR;
    await chat.drain();
    expect(chat.texts()).toEqual(['Project p-1 | 3 changes summed up | Task · Status: 0 → 3']);
    expect([await chat.left(), (await chat.health())?.window]).toEqual([0, { since: AT + HOUR }]);
  });

  it.each<[string, EndpointSettings, WindowSettings]>([
    ['a window is removed', WINDOW, {}],
    ['a digest is moved to an earlier time', DIGEST, { digest: '12:00 UTC' }],
    ['a digest becomes a window', DIGEST, { window: '1m' }],
    ['quiet hours are removed', QUIET, {}],
  ])('is sent within a minute when %s', async (_, before, after) => {
    const chat = await open(before, waiting(edits(3)), { window: { since: AT - 2 * MINUTE, holds: true } });
    await chat.drain();
    expect([chat.texts(), await chat.wakesIn()]).toEqual([[], undefined]);
    expect(await chat.wakesIn(slack(after))).toBe(0);
    await chat.drain({}, slack(after));
    expect([chat.texts().length > 0, await chat.left()]).toEqual([true, 0]);
  });

  it('lets problems, replays and deliveries with a failed attempt pass, but in quiet hours no retried change', async () => {
    const [first, second, third] = edits(3) as [ChangeEvent, ChangeEvent, ChangeEvent];
    const rows = [
      ...waiting([first]),
      ...waiting([second], { attempts: 1, triedAt: AT - 2 * MINUTE, at: AT - 50 * MINUTE }),
      ...waiting([third], { replay: true, at: AT - 40 * MINUTE }),
      ...waiting([onHold], { at: AT - 30 * MINUTE }),
    ];
    for (const [settings, expected, left] of [
      [DIGEST, ['Deletions are on hold', 'Task · Status: 1 → 2', 'Task · Status: 2 → 3'], 1],
      [QUIET, ['Deletions are on hold', 'Task · Status: 2 → 3'], 2],
    ] as const) {
      const chat = await open(settings, rows);
      await chat.drain();
      // A retry and a replay of one project share a message.
      const told = chat
        .texts()
        .flatMap(text => text.split(' | ').slice(/on hold/.test(text) ? 0 : 1, /on hold/.test(text) ? 1 : 3));
      expect([told.toSorted(), await chat.left()]).toEqual([expected, left]);
    }
  });

  it('closes its window before rows leave: after a kill, what is left is not sent again at once', async () => {
    const chat = await open(WINDOW, waiting(edits(3)), OVER);
    let atRemoval: Health['window'];
    const remove = async () => {
      atRemoval = (await chat.health())?.window;
      throw new Error('killed');
    };
    await chat.drain({ deliveries: { ...chat.deliveries, remove } });
    expect([atRemoval?.since, chat.texts().length, await chat.left()]).toEqual([AT, 1, 3]);
    chat.state.now += MINUTE;
    await chat.drain();
    expect(chat.texts().length).toBe(1);
    chat.state.now += 15 * MINUTE;
    await chat.drain();
    expect([chat.texts().length, await chat.left()]).toEqual([2, 0]);
  });

  it('of which one run reads a part is sent in two messages, and the second one does not wait for a window', async () => {
    const chat = await open(WINDOW, waiting(edits(150)), OVER);
    await chat.drain(slowly(chat));
    await chat.drain();
    expect(chat.texts()).toEqual([
      'Project p-1 | 100 changes summed up | Task · Status: 0 → 100',
      'Project p-1 | 50 changes summed up | Task · Status: 100 → 150',
    ]);
    expect(await chat.left()).toBe(0);
  });

  it('of which the first part was all taken back is sent at once, not at the time of the next digest', async () => {
    const there = Array.from({ length: 50 }, (_, index) => edits(1, `p-${index}`)).flat();
    const back = Array.from({ length: 50 }, (_, index) =>
      commitOf([change('t-1', 'Task', [field('Status', '1', '0')])], {
        projectId: `p-${index}`,
        version: AT,
      }),
    ).flat();
    const since = { window: { since: AT - DAY, holds: true as const } };
    const rows = waiting([...there, ...back, ...edits(3, 'other')]);
    const chat = await open(slack({ digest: '12:00 UTC' }), rows, since);
    await chat.drain(slowly(chat));
    const texts = ['Project other | 3 changes summed up | Task · Status: 0 → 3'];
    expect([chat.texts(), await chat.left()]).toEqual([texts, 0]);
  });

  it('is settled without a message when all changes went back, and the next window begins', async () => {
    const [first] = edits(1) as [ChangeEvent];
    const fields = [field('Status', '1', '0')];
    const back = commitOf([change('t-1', 'Task', fields)], { projectId: 'p-1', version: AT });
    const chat = await open(WINDOW, waiting([first, ...back]), OVER);
    await chat.drain();
    expect([chat.texts(), await chat.left()]).toEqual([[], 0]);
    expect(await chat.health()).toMatchObject({ window: { since: AT } });
    // By it `trace` and `verify` find the events.
    const noted = [first, ...back].map(({ id, type }) => ({ id, type }));
    expect(await chat.deliveries.attempts('crm', 9)).toEqual([
      { endpoint: 'crm', at: AT, events: noted, took: 0 },
    ]);
  });

  it('is one message about a project, or a summary of many changes, and counts those that were taken back', async () => {
    const at = (version: number) => ({ projectId: 'p-1', name: 'Project p-1', version });
    const tasks = Array.from({ length: 60 }, (_, task) =>
      change(`t-${task}`, `Task ${task}`, [field('F', 'a', 'b')]),
    );
    const there = change('t', 'Task', [field('Note', 'x', 'y')]);
    const back = change('t', 'Task', [field('Note', 'y', 'x')]);
    for (const [events, text] of [
      [commitOf(tasks, at(AT)), /^Project p-1 \| Task 0 · F: a → b/],
      [
        [...commitOf([...tasks.slice(0, 1), there], at(AT)), ...commitOf([back], at(AT + 1))],
        /^Project p-1 \| 3 changes summed up, of which 2 were taken back \| Task 0 · F: a → b$/,
      ],
      [
        [
          ...commitOf(tasks.slice(0, 26), at(AT)),
          ...commitOf([...tasks.slice(0, 26), there], { ...at(AT), projectId: 'p-2' }),
          ...commitOf([back], { ...at(AT + 1), projectId: 'p-2' }),
        ],
        /^52 changes in 2 projects \| 52 changes of tasks · 54 changes summed up, of which 2 were taken back/,
      ],
    ] as const) {
      const chat = await open(WINDOW, waiting(events), OVER);
      await chat.drain();
      expect([chat.texts(), await chat.left()]).toEqual([[expect.stringMatching(text)], 0]);
    }
  });

  it('stays as it is while the endpoint is down, without a write for each delivery, and is sent whole afterwards', async () => {
    let status = 503;
    const chat = await open(WINDOW, waiting(edits(500)), { ...OVER, post: () => answered(status) });
    let rescheduled = 0;
    const reschedule: typeof chat.deliveries.reschedule = async () => void rescheduled++;
    await chat.drain({ deliveries: { ...chat.deliveries, reschedule } });
    expect([chat.texts().length, rescheduled, await chat.left()]).toEqual([1, 0, 500]);
    expect((await chat.health())?.notBefore).toBe(AT + 30 * SECOND);
    status = 200;
    chat.state.now = AT + 30 * SECOND;
    await chat.drain();
    expect(chat.texts()[1]).toBe('Project p-1 | 500 changes summed up | Task · Status: 0 → 500');
    expect(await chat.left()).toBe(0);
  });

  it('is not drained by another run until the rows of one message are removed', async () => {
    let until = 0;
    const post = async () => {
      until = (await chat.health())?.draining?.until ?? 0;
      return answered(200);
    };
    const window = { since: AT - 25 * HOUR, holds: true } as const;
    const chat = await open(DIGEST, waiting(edits(6_000)), { window, post });
    await chat.drain();
    expect(until).toBeGreaterThanOrEqual(AT + 50 * SECOND);
    expect([chat.texts().length, await chat.left()]).toEqual([1, 0]);
  });

  it('of 6,000 changes is one message, which counts all', async () => {
    const projects = Array.from({ length: 60 }, (_, index) => edits(100, `p-${index}`)).flat();
    const chat = await open(WINDOW, waiting(projects), OVER);
    await chat.drain();
    expect(chat.texts()).toEqual([expect.stringMatching(/6,000 changes summed up/)]);
    expect(await chat.left()).toBe(0);
  });

  it('of eleven projects is one message, of ten a message each', async () => {
    for (const count of [10, 11]) {
      const projects = Array.from({ length: count }, (_, index) => edits(1, `p-${index}`)).flat();
      const chat = await open(WINDOW, waiting(projects), OVER);
      await chat.drain();
      expect(chat.texts().length).toBe(count === 10 ? 10 : 1);
    }
  });
});

describe('the backlog of a failing chat that gathers changes', () => {
  const tried = { attempts: 1, triedAt: AT - 30 * MINUTE, due: AT + 2 * HOUR };
  const [first, second, third] = edits(3) as [ChangeEvent, ChangeEvent, ChangeEvent];

  it.each([
    ['a digest that was set since', DIGEST],
    ['quiet hours', QUIET],
  ])('waits for %s, then is summed up in order, its probe first', async (_, settings) => {
    const other = edits(2, 'p-2');
    const rows = [...waiting([first], { ...tried, due: AT - MINUTE }), ...waiting([second, third, ...other])];
    const chat = await open(settings, rows, { ...FAILING, window: {} });
    await chat.drain();
    expect([chat.texts(), await chat.wakesIn()]).toEqual([[], undefined]);
    expect((await chat.health())?.failing).toEqual(FAILING.failing);
    chat.state.now = AT + HOUR - 20 * SECOND;
    expect(await chat.wakesIn()).toBe(20);
    chat.state.now = AT + HOUR;
    await chat.drain();
    expect(chat.texts()).toEqual([
      'Project p-1 | 3 changes summed up | Task · Status: 0 → 3',
      'Project p-2 | 2 changes summed up | Task · Status: 0 → 2',
    ]);
    expect([await chat.left(), (await chat.health())?.failing]).toEqual([0, undefined]);
  });

  it('is probed at any time by a problem, but in its time alone by changes', async () => {
    const chat = await open(DIGEST, [...waiting([first]), ...waiting([onHold], tried)], FAILING);
    await chat.drain();
    expect([chat.texts(), await chat.left()]).toEqual([[expect.stringMatching('on hold')], 1]);
  });

  it('is probed by a digest that failed, without a wait for the next one', async () => {
    let status = 500;
    const post = () => answered(status);
    const since = { window: { since: AT - DAY, holds: true as const }, ...FAILING, post };
    const chat = await open(slack({ digest: '12:00 UTC' }), waiting(edits(3)), since);
    await chat.drain();
    const [late] = edits(1, 'p-2') as [ChangeEvent];
    await chat.deliveries.add(waiting([late], { at: AT + MINUTE }));
    status = 200;
    chat.state.now = (await chat.health())?.notBefore as number;
    expect(await chat.wakesIn()).toBe(0);
    await chat.drain();
    expect([chat.texts().length, await chat.left()]).toEqual([2, 1]);
    expect((await chat.health())?.failing).toBeUndefined();
  });

  it('has one message per probe, and others next time, so that one that is always refused stops none', async () => {
    const post = () => answered(/p-1/.test(chat.posts.at(-1)?.body ?? '') ? 400 : 200);
    const rows = waiting([...edits(2), ...edits(2, 'p-2')]);
    const chat = await open(WINDOW, rows, { ...OVER, ...FAILING, post });
    for (let probe = 1; probe <= 4; probe += 1) {
      await chat.drain();
      expect(chat.texts().length).toBe(probe);
      chat.state.now = (await chat.health())?.notBefore as number;
    }
    await chat.drain();
    expect(chat.texts()[4]).toBe('Project p-2 | 2 changes summed up | Task · Status: 0 → 2');
    expect((await chat.health())?.failing).toBeUndefined();
  });
});

describe('new changes', () => {
  const deliver = async (settings: EndpointSettings, health: Health, events: readonly ChangeEvent[]) => {
    const setting = openSetting();
    await setting.register(health, settings);
    const messages = events.map((event, index) => messageOf(`${index}`, JSON.stringify(event)));
    await setting.deliver(messages, settings, { jobsOf: realJobs });
    const health_ = await setting.healthOf();
    return { sent: setting.posts.length, waiting: (await setting.pendingIds()).length, health: health_ };
  };
  const since = (at: number) => ({ window: { since: at } });
  const closed = since(AT - MINUTE);

  it.each<[string, EndpointSettings, Health, readonly ChangeEvent[], [number, number]]>([
    ['begin a window', WINDOW, {}, edits(1), [1, 0]],
    ['begin a window after one that is over', WINDOW, since(AT - 15 * MINUTE), edits(1), [1, 0]],
    ['of two projects wait for a drain', WINDOW, {}, [edits(1), edits(1, 'p-2')].flat(), [0, 2]],
    ['wait in a window', WINDOW, closed, edits(2), [0, 2]],
    ['wait for those that wait already', WINDOW, OVER, edits(1), [0, 1]],
    ['wait for a digest, also days after the last one', DIGEST, since(AT - 50 * HOUR), edits(1), [0, 1]],
    ['wait in quiet hours', QUIET, {}, edits(1), [0, 1]],
    ['are sent outside of quiet hours', slack({ quiet: '22:00-07:00 UTC' }), {}, edits(1), [1, 0]],
    ['that are a problem are sent at once', DIGEST, closed, [onHold, ...edits(1)], [1, 1]],
  ])('%s', async (_, settings, health, events, [sent, waiting]) => {
    expect(await deliver(settings, health, events)).toMatchObject({ sent, waiting });
  });

  it('that wait are sent at the time of the present settings, and problems do not wait after them', async () => {
    const { health = {} } = await deliver(WINDOW, closed, edits(1));
    expect(closedTo(health, AT)).toBeUndefined();
    const times = [WINDOW, DIGEST, QUIET, {}].map(settings => wakesAt(health, AT, settings));
    expect(times).toEqual([AT + 14 * MINUTE, AT + HOUR, AT + HOUR, AT]);
  });

  it('of a failing chat wait for their time, and problems as its next probe', async () => {
    const failing: Health = { ...FAILING, notBefore: AT + MINUTE };
    const { health = {} } = await deliver(DIGEST, failing, edits(1));
    expect(wakesAt(health, AT, DIGEST)).toBe(AT + HOUR);
    const beside = await deliver(DIGEST, failing, [onHold, ...edits(1)]);
    expect(beside).toMatchObject({ sent: 0, waiting: 2 });
    expect(wakesAt(beside.health ?? {}, AT, DIGEST)).toBe(AT + MINUTE);
  });

  it('of two runs at once begin one window', async () => {
    const setting = openSetting();
    await setting.register({}, WINDOW);
    const row = await setting.rows.read('crm');
    const begins = [0, 1].map(ms => {
      const clock = () => AT + ms;
      return new EndpointHealth(WINDOW, row, { ...setting.dependencies, clock }).beginsWindow();
    });
    expect(await Promise.all(begins)).toEqual([true, false]);
    // A third one, in the millisecond of the first, once changes wait.
    const health = () => new EndpointHealth(WINDOW, row, setting.dependencies);
    await health().backlogAdded('gathered', false);
    expect(await health().beginsWindow()).toBe(false);
    expect((await setting.healthOf())?.window).toEqual({ since: AT, holds: true, from: AT });
  });

  it('begin no window where they are not sent: no slot, time or secret, no message, or another run closed it', async () => {
    const setting = openSetting();
    const row = await setting.register({}, WINDOW);
    const messages = [messageOf('0', JSON.stringify(edits(1)[0]))];
    const slots = { ...setting.dependencies.slots, reserveSlot: async () => undefined };
    const readSecret = () => Promise.reject(new Error('no secret'));
    const jobsOf: typeof realJobs = deliveries => ({
      jobs: [],
      unrenderable: deliveries.map(delivery => ({ delivery, reason: 'unknown type' })),
    });
    for (const more of [{ remaining: () => SECOND }, { readSecret }, { jobsOf }, { slots }]) {
      await setting.deliver(messages, WINDOW, { jobsOf: realJobs, ...more });
      expect(await setting.healthOf()).not.toHaveProperty('window');
    }
    await setting.register({ notBefore: AT + SECOND }, WINDOW);
    expect(await new EndpointHealth(WINDOW, row, setting.dependencies).beginsWindow()).toBe(false);
  });

  it('that are refused at first are tried again by themselves, while the window is open', async () => {
    const setting = openSetting(() => answered(500));
    await setting.register({}, WINDOW);
    await setting.deliver([messageOf('0', JSON.stringify(edits(1)[0]))], WINDOW, { jobsOf: realJobs });
    const health = await setting.healthOf();
    expect(health?.window).toMatchObject({ since: AT });
    expect(health?.waiting?.due).toBeLessThan(AT + MINUTE);
  });
});
