import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { teamsMessages } from '../../functions/endpoints/teams.ts';
import { anyBatch } from './chat-arbitraries.ts';
import { batches, change, commitOf, field } from './chat-batches.ts';
import { textsOf } from './slack-schema.ts';
import { cardFaults, teamsMessage } from './teams-schema.ts';

const KB = 1024;

function cardOf(body: string | undefined) {
  expect(Buffer.byteLength(body ?? '')).toBeLessThanOrEqual(28 * KB);
  expect(Buffer.byteLength(body ?? '', 'utf16le')).toBeLessThanOrEqual(28 * KB);
  const card = teamsMessage.parse(JSON.parse(body ?? '')).attachments[0].content;
  expect(cardFaults(card)).toEqual([]);
  return card;
}

/** Every run of a card. */
function runsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('inlines' in value && Array.isArray(value.inlines)) {
    return value.inlines.map(run => (typeof run === 'string' ? run : String(run.text)));
  }
  return Object.values(value).flatMap(runsOf);
}

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

  it('many fields of one task are told as far as there is room, the rest counted', () => {
    const fields = Array.from({ length: 100 }, (_, index) =>
      field(`Field ${index}`, 'x'.repeat(400), '漢'.repeat(400)),
    );
    const { body } = cardOf(teamsMessages(commitOf([change('t', 'Task', fields)]))[0]?.body);
    const shown = runsOf(body).filter(text => text.startsWith('Field ')).length;
    expect(shown).toBeGreaterThan(5);
    expect(runsOf(body)).toContain(`and ${100 - shown} more fields`);
    expect(textsOf(body.at(-1))).toEqual([`… and ${100 - shown} more changes in 1 task are not shown`]);
  });

  it('any events: limits hold, every id is in one message, nothing of the data is markup', () => {
    fc.assert(
      fc.property(anyBatch, events => {
        const messages = teamsMessages(events);
        expect(messages.flatMap(({ eventIds }) => eventIds).sort()).toEqual(
          [...new Set(events.map(({ id }) => id))].sort(),
        );
        for (const { body } of messages) {
          expect(body.isWellFormed()).toBe(true);
          for (const data of runsOf(cardOf(body)))
            expect(data).not.toMatch(/\{\{|\p{Cc}|[\u202A-\u202E\u2066\u2067]/u);
        }
      }),
      { numRuns: 30, interruptAfterTimeLimit: 30_000 },
    );
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
