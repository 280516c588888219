import { describe, expect, it } from 'vitest';
import { tailBlock, teamsBytes } from '../../functions/delivery/teams/teams.ts';
import { batches, commitOfLengths, mostOf } from '../kit/delivery/chat-batches.ts';
import { teamsMessages } from '../kit/delivery/chat-messages.ts';
import { textsOf } from '../kit/delivery/slack-schema.ts';
import { cardFaults, cardOf, runsOf } from '../kit/delivery/teams-schema.ts';

describe('Teams messages', () => {
  it('acceptance 5: 500 changes keep within 28 KB, and the card tells how many are not shown', () => {
    const messages = teamsMessages(batches.many ?? []);
    expect(messages.map(({ eventIds }) => eventIds.length)).toEqual([500]);
    const { body } = cardOf(messages[0]?.body);
    const shown = body.length - 2;
    expect(shown).toBeGreaterThan(50);
    expect(runsOf(body[0])[1]).toMatch(/^500 changes in 250 tasks · /);
    expect(textsOf(body.at(-1))).toEqual([`… and ${500 - shown} more changes in 250 tasks are not shown`]);
  });

  it('a message takes the last byte that it may, and not one more', () => {
    const messageOf = (length: number) => teamsMessages(commitOfLengths(length, 390))[0]?.body ?? '';
    const most = mostOf(length => messageOf(length).includes('x'.repeat(length)));
    expect([most > 1, most < 499]).toEqual([true, true]);
    // Room is kept for the line that tells what is left out.
    const left = tailBlock('… and 24 more changes in 24 tasks are not shown');
    expect(teamsBytes(messageOf(most))).toBe(28_000 - teamsBytes(`,${JSON.stringify(left)}`));
  });

  it('the library of the format finds what is wrong with a card', () => {
    const run = (more: object) => ({
      type: 'AdaptiveCard',
      version: '1.5',
      body: [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: 'a', ...more }] }],
    });
    expect(cardFaults(run({}))).toEqual([]);
    expect(cardFaults(run({ weight: 'Fat' }))).not.toEqual([]);
    expect(cardFaults(run({ colour: 'Good' }))).not.toEqual([]);
    expect(cardFaults({ ...run({}), body: [{ type: 'Paragraph' }] })).not.toEqual([]);
  });
});
