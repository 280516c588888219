import { describe, expect, it } from 'vitest';
import type { DrainDependencies } from '../../functions/delivery/drain.ts';
import { joined } from '../../functions/delivery/health.ts';
import type { Answer } from '../../functions/delivery/http/post.ts';
import type { NewDelivery } from '../../functions/model/delivery.ts';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import { change, commitOf, field } from '../kit/delivery/chat-batches.ts';
import { simulate } from '../kit/delivery/many-endpoints.ts';
import { readSlack } from '../kit/delivery/read-slack.ts';
import {
  answered,
  endpointOf,
  messageOf,
  openSetting,
  openStored,
  realJobs,
} from '../kit/delivery/setting.ts';
import { AT, HOUR, MINUTE, SECOND } from '../kit/time.ts';

/** New tasks, `each` in a project, as their events are published. */
function newTasks(count: number, each: number): string[] {
  return Array.from({ length: Math.ceil(count / each) }, (_, project) =>
    commitOf(
      Array.from({ length: Math.min(each, count - project * each) }, (_, task) =>
        change(`t-${project}-${task}`, `Task ${task}`, [field('Status', null, 'Open')], {
          action: 'created',
        }),
      ),
      { projectId: `p-${project}`, name: `Project ${project}`, version: AT + project },
    ),
  )
    .flat()
    .map(event => JSON.stringify(event));
}

/** The number of changes that a message counts. */
function countIn(body: string): number {
  const { title, summary } = readSlack(body);
  const [, count = ''] = /^([\d,]+) changes?/.exec(title) ?? /([\d,]+) changes? in/.exec(summary) ?? [];
  return Number(count.replaceAll(',', ''));
}

/** The changes that each message to a Slack channel counts, of events of which this number arrive at once each second; and what is left
 *  after 15 minutes. */
async function countsOf(bodies: readonly string[], perSecond: number) {
  let counts: number[] = [];
  let left = 0;
  const members = [{ manner: 200, settings: { kind: 'slack' } }] as const;
  await simulate(members, 15 * MINUTE, (world, after) => {
    for (let first = 0; first < bodies.length; first += perSecond)
      after((first / perSecond) * SECOND, () => {
        for (const body of bodies.slice(first, first + perSecond)) void world.send(0, body);
      });
    after(15 * MINUTE - 1, async () => {
      counts = world.posts.map(({ body }) => countIn(body));
      left = (await world.deliveries.counts('e0')).pending;
    });
  });
  return { counts, left };
}

/** Deliveries of `count` new tasks that wait since `since` for a chat. */
async function openBacklog(count: number, post?: () => Answer | Promise<Answer>, since = AT - MINUTE) {
  const setting = openStored(post);
  const waiting = newTasks(count, 3).map((body, index) => {
    const { id } = JSON.parse(body);
    return { endpoint: 'crm', eventId: id, at: AT - HOUR + index, due: since, body, attributes: {} };
  });
  const health = joined({}, since, true);
  await setting.endpoints.change('crm', () => ({ name: 'crm', health, settings: SLACK }));
  await setting.deliveries.add(waiting);
  return {
    ...setting,
    waiting,
    drain: (more: Partial<DrainDependencies> = {}, endpoint: EndpointSettings = SLACK) =>
      setting.drain(endpoint, more),
    counts: () => setting.posts.map(({ body }) => countIn(body)),
  };
}

const SLACK = endpointOf('slack');

describe('the backlog of a chat', () => {
  it('is sent in its usual messages up to 50 changes, and is one message from 51 on', async () => {
    for (const count of [50, 51]) {
      const backlog = await openBacklog(count);
      await backlog.drain();
      expect(backlog.counts()).toEqual(count === 51 ? [51] : [...Array<number>(16).fill(3), 2]);
      expect(await backlog.left()).toBe(0);
    }
  });

  it('is summed up once the oldest of a flood has waited for 30 s; until then new deliveries join it', async () => {
    const backlog = await openBacklog(60, undefined, AT - 10 * SECOND);
    await backlog.drain();
    expect([backlog.posts, backlog.wakes, (await backlog.healthOf())?.notBefore]).toEqual([
      ...[[], [['crm', 20]], AT + 20 * SECOND],
    ]);
    backlog.state.now = AT + 20 * SECOND;
    await backlog.drain();
    expect([backlog.counts(), await backlog.left()]).toEqual([[60], 0]);
  });

  it('is read by pages, without what is due later, and leaves the store only after its message was accepted', async () => {
    const leftAtPost: number[] = [];
    const backlog = await openBacklog(120, async () => {
      leftAtPost.push(await backlog.left());
      return answered(200);
    });
    const [later] = newTasks(121, 3).slice(-1) as [string];
    const place = { endpoint: 'crm', eventId: 'later', at: AT - HOUR + 10, attributes: {} };
    await backlog.deliveries.add([{ ...place, body: later, due: AT + HOUR }]);
    const limits: number[] = [];
    const pending: typeof backlog.deliveries.pending = (endpoint, limit, after) => {
      limits.push(limit);
      return backlog.deliveries.pending(endpoint, limit, after);
    };
    await backlog.drain({ deliveries: { ...backlog.deliveries, pending } });
    expect([leftAtPost, limits, await backlog.left()]).toEqual([[121], [50, 50, 50], 1]);
    expect(backlog.counts()).toEqual([120]);
    const attempts = await backlog.deliveries.attempts('crm', 10);
    expect(attempts.flatMap(({ events }) => events.map(({ id }) => id)).toSorted()).toEqual(
      backlog.waiting.map(({ eventId }) => eventId).toSorted(),
    );
  });

  it('comes whole again after a kill between the acceptance and the removal', async () => {
    const backlog = await openBacklog(120);
    const remove = () => Promise.reject(new Error('killed'));
    await backlog.drain({ deliveries: { ...backlog.deliveries, remove } });
    expect([backlog.posts.length, await backlog.left()]).toEqual([1, 120]);
    backlog.state.now += MINUTE;
    await backlog.drain();
    expect([backlog.counts(), await backlog.left()]).toEqual([[120, 120], 0]);
  });

  it('waits for its next attempt after a refusal, each delivery with its first attempt noted', async () => {
    const backlog = await openBacklog(60, () => answered(500));
    await backlog.drain();
    const rows = await backlog.deliveries.due('crm', Number.MAX_SAFE_INTEGER, 100);
    expect([backlog.posts.length, rows.length]).toEqual([1, 60]);
    expect(rows.every(row => row.triedAt === AT && row.attempts === 1 && row.due > AT)).toBe(true);
  });

  it('loses what is malformed, can not be rendered or is not wanted, each for itself', async () => {
    const backlog = await openBacklog(60);
    const [first] = backlog.waiting as [NewDelivery];
    const { data, ...event } = JSON.parse(first.body);
    const more = (id: string, body: string) => ({ ...first, eventId: id, body });
    const of = (id: string, more: object) => JSON.stringify({ ...event, id, data, ...more });
    await backlog.deliveries.add([
      more('malformed', '{'),
      more('unrenderable', of('unrenderable', { data: { process: { id: 'p' } } })),
      more('uncountable', of('uncountable', { type: 'task.updated', data: { ...data, changes: 1 } })),
      more('unwanted', of('unwanted', { type: 'task.deleted' })),
    ]);
    const filtered = { ...SLACK, filter: { events: ['task.created', 'task.updated'] } } as const;
    await backlog.drain({}, filtered);
    const dead = await backlog.deliveries.dead('crm', 10);
    const lost = dead.map(({ eventId }) => eventId);
    expect(lost.toSorted()).toEqual(['malformed', 'uncountable', 'unrenderable']);
    const sum = backlog.counts().reduce((total, count) => total + count, 0);
    expect([sum, await backlog.left()]).toEqual([60, 0]);
  });
});

const deliver = async (count: number, each: number) => {
  const setting = openSetting();
  await setting.register({}, SLACK);
  const messages = newTasks(count, each).map((body, index) => messageOf(`${index}`, body));
  await setting.deliver(messages, SLACK, { jobsOf: realJobs });
  return [setting.posts.length, (await setting.pendingIds()).length];
};

it.each([
  ['50 changes of two projects are sent', 50, 25, [2, 0]],
  ['51 changes of two projects wait', 51, 26, [0, 51]],
  ['51 events of one project wait', 51, 51, [0, 51]],
])('new deliveries of a chat %s', async (_, count, each, expected) => {
  expect(await deliver(count, each)).toEqual(expected);
});

it('new deliveries of a chat wait after 20 messages in a row; each half minute allows one more', async () => {
  const setting = openSetting();
  await setting.register({}, SLACK);
  const sent: number[] = [];
  for (const [index, body] of newTasks(23, 1).entries()) {
    setting.state.now = AT + index * SECOND + (index < 22 ? 0 : 30 * SECOND);
    await setting.deliver([messageOf(`${index}`, body, { now: setting.state.now })], SLACK, {
      jobsOf: realJobs,
    });
    if (index >= 20) await setting.register({}, SLACK);
    sent.push(setting.posts.length);
  }
  expect(sent.slice(18)).toEqual([19, 20, 20, 20, 21]);
});

it.each([
  ['1,000 new tasks of 100 projects, at once', 1_000, 10, 1_000, 10],
  ['1,000 new tasks of one project, at once', 1_000, 1_000, 1_000, 10],
  ['1,000 new tasks of 334 projects, 100 a second', 1_000, 3, 100, 10],
  ['1,200 new tasks of 120 projects, in ten minutes', 1_200, 10, 2, 80],
])('%s, are a few messages, which count each of them once', async (_, count, each, perSecond, most) => {
  const { counts, left } = await countsOf(newTasks(count, each), perSecond);
  expect([counts.reduce((sum, one) => sum + one, 0), left]).toEqual([count, 0]);
  expect(counts.length).toBeLessThanOrEqual(most);
});
