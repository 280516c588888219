import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slackMessages } from '../../functions/endpoints/slack.ts';
import { notificationText, plainText, richText } from '../../functions/endpoints/slack-text.ts';
import { anyText } from './chat-arbitraries.ts';
import { batches, change, commitOf, field } from './chat-batches.ts';
import { slackMessage, textsOf } from './slack-schema.ts';

const parse = (body: string | undefined) => slackMessage.parse(JSON.parse(body ?? ''));

describe('Slack messages', () => {
  it('acceptance 5: 500 changes keep within every limit, and the message tells how many are not shown', () => {
    const messages = slackMessages(batches.many ?? []);
    expect(messages.map(({ eventIds }) => eventIds.length)).toEqual([500]);
    const { blocks } = parse(messages[0]?.body);
    const shown = blocks.filter(({ type }) => type === 'rich_text').length;
    expect(shown).toBeGreaterThan(25);
    expect(textsOf(blocks[1])[0]).toMatch(/^500 changes in 250 tasks · /);
    expect(textsOf(blocks.at(-1))).toEqual([`… and ${500 - shown} more changes in 250 tasks are not shown`]);
  });

  it('many fields of one task are told as far as there is room, the rest counted', () => {
    const fields = Array.from({ length: 100 }, (_, index) =>
      field(`Field ${index}`, 'x'.repeat(400), 'y'.repeat(400)),
    );
    const texts = textsOf(parse(slackMessages(commitOf([change('t', 'Task', fields)]))[0]?.body).blocks);
    const shown = texts.filter(text => text.startsWith('Field ')).length;
    expect(shown).toBeGreaterThan(2);
    expect(texts).toContain(`and ${100 - shown} more fields`);
    expect(texts.at(-1)).toBe(`… and ${100 - shown} more changes in 1 task are not shown`);
  });

  it('a lone change is told in the notification', () => {
    const { text } = parse(slackMessages(batches.single ?? [])[0]?.body);
    expect(text.replaceAll('\u2060', '')).toBe(
      'Website relaunch: Agree on the page structure · Status: Open → In progress',
    );
  });

  it('any text of the data can be read again from what is sent', () => {
    const unescaped = (text: string) =>
      text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    const joined = (text: string) => text.replaceAll('\u2060', '');
    fc.assert(
      fc.property(anyText, text => {
        expect(unescaped(plainText(text, Number.POSITIVE_INFINITY).text)).toBe(text);
        expect(unescaped(joined(notificationText(text)))).toBe(joined(text));
        expect(joined(richText(text))).toBe(joined(text));
      }),
    );
  });
});
