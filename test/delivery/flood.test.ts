import { Duration } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../functions/store/sqlite/store.ts';
import { QUEUES } from '../../local/data/store.ts';
import { change, commitOf, field } from '../kit/delivery/chat-batches.ts';
import { simulate } from '../kit/delivery/many-endpoints.ts';
import { readSlack } from '../kit/delivery/read-slack.ts';
import { AT } from '../kit/delivery/setting.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

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

/** What a Slack channel gets of these events, of which so many arrive at once each second. */
async function messagesOf(bodies: readonly string[], perSecond: number, isLocal: boolean, minutes = 15) {
  const store = isLocal ? openSqliteStore(':memory:') : undefined;
  const local = {
    batch: QUEUES.chat.batch,
    window: Duration.seconds(0),
    concurrency: 1,
    timeout: Duration.minutes(6),
  };
  let posts: readonly { readonly body: string; readonly at: number }[] = [];
  let left = 0;
  await simulate(
    [{ manner: 200, settings: { kind: 'slack' } }],
    minutes * MINUTE,
    (world, after) => {
      posts = world.posts;
      for (let first = 0; first < bodies.length; first += perSecond)
        after((first / perSecond) * SECOND, () => {
          for (const body of bodies.slice(first, first + perSecond)) void world.send(0, body);
        });
      after(minutes * MINUTE - 1, () => {
        void world.deliveries.counts('e0').then(({ pending }) => {
          left = pending;
        });
      });
    },
    store ? { store, chat: local } : {},
  );
  store?.close();
  return { posts, left };
}

describe.each([
  ['DynamoDB and SQS', false],
  ['SQLite and local queues', true],
])('5,000 new tasks, over %s', (name, isLocal) => {
  it.each([
    ['of 500 projects, at once', 10, 5_000, 10],
    ['of one project, at once', 5_000, 5_000, 10],
    ['of 2,000 projects, 100 a second', 2.5, 100, 10],
    ['of 500 projects, in ten minutes', 10, 9, 80],
  ])('%s, are a few messages, which count each of them once', async (what, each, perSecond, most) => {
    const bodies = newTasks(5_000, Math.ceil(each));
    const { posts, left } = await messagesOf(bodies, perSecond, isLocal);
    process.stdout.write(`5,000 new tasks ${what}, ${name}: ${posts.length} messages\n`);
    const counts = posts.map(({ body }) => countIn(body));
    expect([counts.reduce((sum, count) => sum + count, 0), left]).toEqual([bodies.length, 0]);
    expect(posts.length).toBeLessThanOrEqual(most);
  });
});
