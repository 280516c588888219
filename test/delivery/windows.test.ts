import { describe, expect, it } from 'vitest';
import { onHoldEvent } from '../../functions/changes/process-events.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import type { WindowSettings } from '../../functions/model/windows.ts';
import { change, commitOf, field } from '../kit/delivery/chat-batches.ts';
import { simulate } from '../kit/delivery/many-endpoints.ts';
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

/** What a Slack channel with these settings gets of these events: the title, and all that is said, by minutes; and what is left in the
 *  end. */
async function channelOf(settings: WindowSettings, sent: readonly Sent[], minutes: number) {
  let left = 0;
  let posts: readonly { readonly body: string; readonly at: number }[] = [];
  const members = [{ manner: 200, settings: { kind: 'slack', ...settings } }] as const;
  await simulate(members, minutes * MINUTE, (world, after) => {
    posts = world.posts;
    for (const [at, event] of sent) after(at, () => void world.send(0, JSON.stringify(event)));
    after(minutes * MINUTE - 1, async () => {
      left = (await world.deliveries.counts('e0')).pending;
    });
  });
  const messages = posts.map(({ body, at }) => {
    const { title, summary, paragraphs, tail } = readSlack(body);
    const texts = paragraphs.flatMap(({ heading, lines }) => [heading, ...lines]);
    return { minute: Math.floor(at / MINUTE), title, summary, texts, tail };
  });
  return { messages, left };
}

describe('a chat that gathers changes', () => {
  it('gets two messages of forty edits in ten minutes with a window of 15 minutes: the first one, and the rest', async () => {
    const sent = Array.from({ length: 40 }, (_, index) =>
      edit(index * 15 * SECOND, `${index}`, `${index + 1}`),
    ).flat();
    const { messages, left } = await channelOf({ window: '15m' }, sent, 40);
    expect(messages.map(({ minute, texts }) => [minute, ...texts])).toEqual([
      [0, 'Task t-1 · Status: 0 → 1'],
      [15, '39 changes summed up', 'Task t-1 · Status: 1 → 40'],
    ]);
    expect(left).toBe(0);
  });

  it('gets a message in each window while changes go on, and the next change at once after a quiet window', async () => {
    const steps = [0, 1, 2, 16, 17, 60];
    const sent = steps.flatMap((minute, index) => edit(minute * MINUTE, `${index}`, `${index + 1}`));
    const { messages } = await channelOf({ window: '15m' }, sent, 90);
    expect(messages.map(({ minute, texts }) => [minute, texts.at(-1)?.slice(-5)])).toEqual([
      [0, '0 → 1'],
      [15, '1 → 3'],
      [30, '3 → 5'],
      [60, '5 → 6'],
    ]);
  });

  it('gets a digest at its time alone, and problems at once', async () => {
    const sent = [
      ...edit(MINUTE, 'a', 'b'),
      held(2 * MINUTE),
      ...edit(61 * MINUTE, 'b', 'c'),
      ...edit(125 * MINUTE, 'c', 'd'),
    ];
    const { messages, left } = await channelOf({ digest: '15:00 Europe/Berlin' }, sent, 130);
    expect(messages.map(({ minute, title, texts }) => [minute, title, texts.at(-1)?.slice(-5)])).toEqual([
      [2, 'Deletions are on hold', expect.anything()],
      [120, 'Project p-1', 'a → c'],
    ]);
    expect(left).toBe(1);
  });

  it('gets no change before the next digest, also where nothing changed for days', async () => {
    const days = 24 * 60;
    const sent = [...edit(MINUTE, 'a', 'b'), ...edit((3 * days + 10) * MINUTE, 'b', 'c')];
    const { messages } = await channelOf({ digest: '13:00 UTC' }, sent, 3 * days + 70);
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
    const { messages } = await channelOf({ quiet }, sent, 120);
    expect(messages.map(({ minute, texts }) => [minute, texts.at(-1)?.slice(-5)])).toEqual([
      [1, 'a → b'],
      [90, 'b → d'],
      [95, 'd → e'],
    ]);
  });
});
