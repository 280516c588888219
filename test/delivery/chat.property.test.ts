import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { anyBatch } from '../kit/delivery/chat-arbitraries.ts';
import { templates } from '../kit/delivery/chat-batches.ts';
import { slackMessages, teamsMessages, textMessages } from '../kit/delivery/chat-messages.ts';
import { slackMessage, textsOf } from '../kit/delivery/slack-schema.ts';
import { cardOf, runsOf } from '../kit/delivery/teams-schema.ts';

const someTemplates = fc.constantFrom(undefined, templates);

/** Every address in a message leads to a record of the batch. */
function expectLinks(body: string, events: readonly ChangeEvent[]): void {
  for (const [, url = ''] of body.matchAll(/"url":"([^"]*)"/g)) {
    const [, processId = '', projectId = '', taskId] =
      /\.com\/([^/]+)\/p\/([^/?]+)(?:\?task=(.+))?$/.exec(url) ?? [];
    const isThere = events.some(
      ({ data }) =>
        data.process.id.toWellFormed() === decodeURIComponent(processId) &&
        'project' in data &&
        data.project.id.toWellFormed() === decodeURIComponent(projectId) &&
        (taskId === undefined ||
          ('task' in data && data.task.id.toWellFormed() === decodeURIComponent(taskId))),
    );
    expect([url, isThere]).toEqual([url, true]);
  }
}

describe('chat messages', () => {
  it('Slack, any events: limits hold, every id is in one message, nothing of the data is markup', () => {
    fc.assert(
      fc.property(anyBatch, someTemplates, (events, templates) => {
        const messages = slackMessages(events, { linkTemplates: templates });
        expect(messages.flatMap(({ eventIds }) => eventIds).sort()).toEqual(
          [...new Set(events.map(({ id }) => id))].sort(),
        );
        for (const { body } of messages) {
          expect(body.isWellFormed()).toBe(true);
          const { text, blocks } = slackMessage.parse(JSON.parse(body));
          for (const data of textsOf(blocks)) expect(data).not.toMatch(/\p{Cc}|[\u202A-\u202E\u2066\u2067]/u);
          expectLinks(body, events);
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
      { numRuns: 30, interruptAfterTimeLimit: 30_000 },
    );
  });

  it('Teams, any events: limits hold, every id is in one message, nothing of the data is markup', () => {
    fc.assert(
      fc.property(anyBatch, someTemplates, (events, templates) => {
        const messages = teamsMessages(events, { linkTemplates: templates });
        expect(messages.flatMap(({ eventIds }) => eventIds).sort()).toEqual(
          [...new Set(events.map(({ id }) => id))].sort(),
        );
        for (const { body } of messages) {
          expect(body.isWellFormed()).toBe(true);
          expect(JSON.parse(body).summary).not.toMatch(/\{\{|\p{Cc}|<(?=[^\s\u2060])|\][([]/u);
          expectLinks(body, events);
          for (const data of runsOf(cardOf(body)))
            expect(data).not.toMatch(/\{\{|\p{Cc}|[\u202A-\u202E\u2066\u2067]/u);
        }
      }),
      { numRuns: 30, interruptAfterTimeLimit: 30_000 },
    );
  });

  const LIMITS = [
    [{ preset: 'google-chat' }, 'text', 32_000, Buffer.byteLength],
    [{ preset: 'mattermost' }, 'text', 4_000, Buffer.byteLength],
    [{ preset: 'discord' }, 'content', 2_000, (text: string) => text.length],
    [{ preset: 'ntfy' }, 'message', 4_096, Buffer.byteLength],
    [{ field: 'said', titleHeader: 'X-Title' }, 'said', 2_000, Buffer.byteLength],
  ] as const;

  it.each(LIMITS)(
    'plain text, any events, %j: limits hold, every id is in one message, nothing of the data is a mention or a link',
    (settings, field, limit, size) => {
      fc.assert(
        fc.property(anyBatch, someTemplates, (events, linkTemplates) => {
          const messages = textMessages(events, settings, { linkTemplates });
          expect(messages.flatMap(({ eventIds }) => eventIds).sort()).toEqual(
            [...new Set(events.map(({ id }) => id))].sort(),
          );
          for (const { body, headers = {} } of messages) {
            expect(body.isWellFormed()).toBe(true);
            const text = JSON.parse(body)[field] as string;
            expect(size(text)).toBeLessThanOrEqual(limit);
            const links = [...text.matchAll(/(?<=^|\s)https:\/\/app\.example\.com\/\S*/g)].map(
              ([url]) => url,
            );
            expectLinks(links.map(url => `"url":${JSON.stringify(url)}`).join(''), events);
            const data = links.reduce((rest, url) => rest.replace(url, ''), text);
            expect(data).not.toMatch(/[@<#](?!\u2060)|:\/\/|[\u202A-\u202E\u2066\u2067]/u);
            expect(data.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
            for (const value of Object.values(headers)) expect(value).toMatch(/^[ -~]*$/);
          }
        }),
        { numRuns: 30, interruptAfterTimeLimit: 30_000 },
      );
    },
  );
});
