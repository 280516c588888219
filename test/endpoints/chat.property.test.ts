import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slackMessages } from '../../functions/endpoints/slack.ts';
import { teamsMessages } from '../../functions/endpoints/teams.ts';
import { anyBatch } from './chat-arbitraries.ts';
import { slackMessage, textsOf } from './slack-schema.ts';
import { cardOf, runsOf } from './teams-schema.ts';

describe('chat messages', () => {
  it('Slack, any events: limits hold, every id is in one message, nothing of the data is markup', () => {
    fc.assert(
      fc.property(anyBatch, events => {
        const messages = slackMessages(events);
        expect(messages.flatMap(({ eventIds }) => eventIds).sort()).toEqual(
          [...new Set(events.map(({ id }) => id))].sort(),
        );
        for (const { body } of messages) {
          expect(body.isWellFormed()).toBe(true);
          const { text, blocks } = slackMessage.parse(JSON.parse(body));
          for (const data of textsOf(blocks)) expect(data).not.toMatch(/\p{Cc}|[\u202A-\u202E\u2066\u2067]/u);
          const richTexts = textsOf(blocks.filter(({ type }) => type === 'rich_text'));
          for (const data of richTexts) expect(data).not.toMatch(/<(?=[^\s\u2060])/);
          const plain = blocks.flatMap(block =>
            block.type === 'header' ? [block.text] : block.type === 'context' ? [block.elements[0]] : [],
          );
          for (const data of [text, ...plain.map(object => object.text)]) {
            expect(data).not.toMatch(/[<>]|&(?!(?:amp|lt|gt);)/);
          }
          expect(text).not.toMatch(/[*_~`:@#|.](?!\u2060)/);
        }
      }),
      { numRuns: 60, interruptAfterTimeLimit: 30_000 },
    );
  });

  it('Teams, any events: limits hold, every id is in one message, nothing of the data is markup', () => {
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
      { numRuns: 60, interruptAfterTimeLimit: 30_000 },
    );
  });
});
