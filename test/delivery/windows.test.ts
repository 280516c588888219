import { describe, expect, it } from 'vitest';
import { onHoldEvent } from '../../functions/changes/process-events.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import type { WindowSettings } from '../../functions/model/windows.ts';
import { change, commitOf, field } from '../kit/delivery/chat-batches.ts';
import type { Manner } from '../kit/delivery/many-endpoints.ts';
import { postsToChat } from '../kit/delivery/one-chat.ts';
import { readSlack } from '../kit/delivery/read-slack.ts';
import { AT, MINUTE, SECOND } from '../kit/delivery/setting.ts';

type Sent = readonly [at: number, event: ChangeEvent];

/** An edit of one task's status, which is sent `at` ms after the beginning. */
const edit = (at: number, from: string, to: string, { project = 'p-1', task = 't-1' } = {}): Sent[] =>
  commitOf([change(task, `Task ${task}`, [field('Status', from, to)])], {
    projectId: project,
    name: `Project ${project}`,
    version: AT + at,
  }).map(event => [at, event]);

const held = (at: number): Sent => [
  at,
  onHoldEvent({ workspace: 'eu', processId: 'p' }, { version: AT + at, at: AT + at, missing: 30, known: 60 }),
];

interface World {
  readonly sent: readonly Sent[];
  readonly minutes: number;
  readonly isLocal: boolean;
  readonly manner?: Manner;
}

/** What a Slack channel with these settings gets of these events: the title, and all that is said, by minutes. */
async function channelOf(settings: WindowSettings, { sent, ...world }: World) {
  const { posts, left } = await postsToChat({ ...world, settings }, (send, after) => {
    for (const [at, event] of sent) after(at, () => send(JSON.stringify(event)));
  });
  const messages = posts.map(({ body, at }) => {
    const { title, summary, paragraphs, tail } = readSlack(body);
    const texts = paragraphs.flatMap(({ heading, lines }) => [heading, ...lines]);
    return { minute: Math.floor(at / MINUTE), title, summary, texts, tail };
  });
  return { messages, left };
}

describe.each([
  ['DynamoDB and SQS', false],
  ['SQLite and local queues', true],
])('a chat that gathers changes, over %s', (_, isLocal) => {
  it('gets two messages of forty edits in ten minutes with a window of 15 minutes: the first one, and the rest', async () => {
    const sent = Array.from({ length: 40 }, (_, index) =>
      edit(index * 15 * SECOND, `${index}`, `${index + 1}`),
    ).flat();
    const { messages, left } = await channelOf({ window: '15m' }, { sent, minutes: 40, isLocal });
    expect(messages.map(({ minute, texts }) => [minute, ...texts])).toEqual([
      [0, 'Task t-1 · Status: 0 → 1'],
      [15, '39 changes summed up', 'Task t-1 · Status: 1 → 40'],
    ]);
    expect(left).toBe(0);
  });

  it('gets a message in each window while changes go on, and the next change at once after a quiet window', async () => {
    const steps = [0, 1, 2, 16, 17, 60];
    const sent = steps.flatMap((minute, index) => edit(minute * MINUTE, `${index}`, `${index + 1}`));
    const { messages } = await channelOf({ window: '15m' }, { sent, minutes: 90, isLocal });
    expect(messages.map(({ minute, texts }) => [minute, texts.at(-1)?.slice(-5)])).toEqual([
      [0, '0 → 1'],
      [15, '1 → 3'],
      [30, '3 → 5'],
      [60, '5 → 6'],
    ]);
  });

  it('gets nothing of changes that were taken back, and a count of them beside others of the project', async () => {
    const sent = [
      ...edit(0, 'a', 'b'),
      ...edit(MINUTE, 'b', 'c'),
      ...edit(2 * MINUTE, 'c', 'b'),
      ...edit(3 * MINUTE, 'x', 'y', { project: 'p-2' }),
      ...edit(4 * MINUTE, 'y', 'x', { project: 'p-2' }),
      ...edit(5 * MINUTE, 'x', 'y', { task: 't-2' }),
    ];
    const { messages, left } = await channelOf({ window: '15m' }, { sent, minutes: 40, isLocal });
    expect([messages.slice(1).map(({ texts }) => texts), left]).toEqual([
      [['3 changes summed up, of which 2 were taken back', 'Task t-2 · Status: x → y']],
      0,
    ]);
  });

  it('gets a digest at its time alone, and problems at once', async () => {
    const sent = [
      ...edit(MINUTE, 'a', 'b'),
      held(2 * MINUTE),
      ...edit(61 * MINUTE, 'b', 'c'),
      ...edit(125 * MINUTE, 'c', 'd'),
    ];
    const { messages, left } = await channelOf(
      { digest: '15:00 Europe/Berlin' },
      { sent, minutes: 130, isLocal },
    );
    expect(messages.map(({ minute, title, texts }) => [minute, title, texts.at(-1)?.slice(-5)])).toEqual([
      [2, 'Deletions are on hold', expect.anything()],
      [120, 'Project p-1', 'a → c'],
    ]);
    expect(left).toBe(1);
  });

  it('gets no change before the next digest, also where nothing changed for days', async () => {
    const days = 24 * 60;
    const sent = [...edit(MINUTE, 'a', 'b'), ...edit((3 * days + 10) * MINUTE, 'b', 'c')];
    const { messages } = await channelOf({ digest: '13:00 UTC' }, { sent, minutes: 3 * days + 70, isLocal });
    expect(messages.map(({ minute }) => minute)).toEqual([60, 3 * days + 60]);
  });

  it('gets nothing in quiet hours, then what was gathered', async () => {
    const sent = [
      ...edit(MINUTE, 'a', 'b'),
      ...edit(35 * MINUTE, 'b', 'c'),
      ...edit(50 * MINUTE, 'c', 'd'),
      ...edit(95 * MINUTE, 'd', 'e'),
    ];
    const quiet = '12:30-13:30 UTC';
    const { messages } = await channelOf({ quiet }, { sent, minutes: 120, isLocal });
    expect(messages.map(({ minute, texts }) => [minute, texts.at(-1)?.slice(-5)])).toEqual([
      [1, 'a → b'],
      [90, 'b → d'],
      [95, 'd → e'],
    ]);
  });

  it('gets a digest of 1,200 changes as one message, which counts all and says what it left out', async () => {
    const ofProjects = (projects: number) =>
      Array.from({ length: 60 }, (_, part) =>
        commitOf(
          Array.from({ length: 20 }, (_, task) =>
            change(`t-${part}-${task}`, `Task ${task}`, [field('Status', 'a', 'b')]),
          ),
          { projectId: `p-${part % projects}`, name: `Project ${part % projects}`, version: AT + part },
        ).map((event): Sent => [part * SECOND, event]),
      ).flat();
    for (const [projects, title, tail] of [
      [60, '1,200 changes in 60 projects', undefined],
      [1, 'Project 0', expect.stringMatching(/^… and 1,1\d\d more changes in 1,1\d\d tasks are not shown$/)],
    ] as const) {
      const { messages, left } = await channelOf(
        { digest: '13:00 UTC' },
        { sent: ofProjects(projects), minutes: 65, isLocal },
      );
      expect(messages).toMatchObject([{ minute: 60, title, tail }]);
      expect(left).toBe(0);
    }
  });
});
