import { describe, expect, it } from 'vitest';
import type { ChatTopic } from '../../functions/delivery/chat/chat-topic.ts';
import { chatTopics } from '../../functions/delivery/chat/chat-topics.ts';
import { contextBlock, slackMessage } from '../../functions/delivery/slack/slack.ts';
import {
  batches,
  change,
  commitOf,
  commitOfLengths,
  field,
  mostOf,
  slackMessages,
} from '../kit/delivery/chat-batches.ts';
import { readSlack } from '../kit/delivery/read-slack.ts';

describe('Slack messages', () => {
  it('acceptance 5: 500 changes keep within every limit, and the message tells how many are not shown', () => {
    const messages = slackMessages(batches.many ?? []);
    expect(messages.map(({ eventIds }) => eventIds.length)).toEqual([500]);
    const { paragraphs, summary, tail } = readSlack(messages[0]?.body ?? '');
    expect(paragraphs.length).toBeGreaterThan(25);
    expect(summary).toMatch(/^500 changes in 250 tasks · /);
    expect(tail).toBe(`… and ${500 - paragraphs.length} more changes in 227 tasks are not shown`);
  });

  it('a note leaves room for one record fewer', () => {
    const events = commitOf(
      Array.from({ length: 60 }, (_, n) => change(`t${n}`, `Task ${n}`, [field('A', 'x', 'y')])),
    );
    const [topic] = chatTopics(events);
    const blocksOf = (more: Partial<ChatTopic>) =>
      slackMessage({ ...(topic as ChatTopic), ...more }).body.blocks.length;
    expect([blocksOf({}), blocksOf({ note: '1 of 61 changes was taken back' })]).toEqual([50, 50]);
  });

  it('a message takes the last character that Slack takes, and not one more', () => {
    const messageOf = (length: number) => slackMessages(commitOfLengths(length, 250))[0]?.body ?? '';
    const most = mostOf(length => messageOf(length).includes('x'.repeat(length)));
    expect([most > 1, most < 499]).toEqual([true, true]);
    // Room is kept for the line that tells what is left out.
    const left = contextBlock('… and 24 more changes in 24 tasks are not shown');
    expect(messageOf(most)).toHaveLength(12_000 - JSON.stringify(left).length - 1);
  });

  it('a record takes 3,000 characters, and not one more', () => {
    const longest = (length: number) => {
      const fields = [
        field('A', 'x'.repeat(length), 'y'),
        ...Array(6).fill(field('F', 'z'.repeat(420), 'y')),
      ];
      const [message] = slackMessages(commitOf([change('t', 'Task', fields)]));
      return readSlack(message?.body ?? '')
        .paragraphs.flatMap(({ heading, lines }) => [heading, ...lines])
        .join('');
    };
    const most = mostOf(length => longest(length).includes('x'.repeat(length)));
    expect([most > 1, most < 499]).toEqual([true, true]);
    expect(longest(most)).toHaveLength(3_000);
  });

  it('times of one day are told with one date, those that are half a day apart with two', () => {
    const hours = 3_600_000;
    const text = (after: number, before: number) =>
      JSON.stringify(contextBlock('p', { after, before }).elements[1]);
    const dated = /\{date_short_pretty\}/g;
    expect(text(0, 12 * hours - 1).match(dated)).toHaveLength(1);
    expect(text(0, 12 * hours).match(dated)).toHaveLength(2);
    expect(text(5_000, 5_000)).toContain(
      'seen <!date^5^{date_short_pretty} {time_secs}|1970-01-01 00:00:05 UTC>',
    );
    expect(text(0, 12 * hours)).toContain(
      'and <!date^43200^{date_short_pretty} {time_secs}|1970-01-01 12:00:00 UTC>',
    );
  });
});
