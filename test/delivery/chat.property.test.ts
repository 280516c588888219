import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../functions/model/event.ts';
import type { Mail } from '../../functions/model/mail.ts';
import { anyBatch } from '../kit/delivery/chat-arbitraries.ts';
import {
  floodMessage,
  MAIL_SETTINGS,
  slackMessages,
  teamsMessages,
  templates,
  textMessages,
  windowMessages,
} from '../kit/delivery/chat-batches.ts';
import { readSlack } from '../kit/delivery/read-slack.ts';
import { cardOf, readTeams } from '../kit/delivery/read-teams.ts';
import { floodFault } from '../simulation/chats/check-flood.ts';

/** The library's build for Node, because its main file works in bundlers only. */
const { AdaptiveCard, SerializationContext, Versions } = createRequire(import.meta.url)(
  'adaptivecards/dist/adaptivecards.js',
) as typeof import('adaptivecards');

/** What the official library finds wrong with a card of version 1.5: elements, values or properties that
 *  it doesn't know, in its own words; or a difference between the card and what it read. */
function cardFaults(card: { body: unknown }): string[] {
  const context = new SerializationContext(Versions.v1_5);
  const read = new AdaptiveCard();
  read.parse(card, context);
  const faults = Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index).message);
  const again: unknown = read.toJSON(new SerializationContext(Versions.v1_5))?.body;
  const isSame = JSON.stringify(sorted(again)) === JSON.stringify(sorted(card.body));
  return isSame ? faults : [...faults, `read as ${JSON.stringify(again)}`];
}

/** The card with keys in order, and each text run as an object: the library writes both in its own way. */
function sorted(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    return value.map(item =>
      key === 'inlines' && typeof item === 'string' ? { text: item, type: 'TextRun' } : sorted(item),
    );
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, sorted(inner, name)] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Each of the events again, in a dozen projects of one process, this number of them at least. */
function inProjects(some: readonly ChangeEvent[], least: number): ChangeEvent[] {
  const unique = [...new Map(some.map(event => [event.id, event])).values()];
  const copies = Math.max(12, Math.ceil(least / unique.length));
  const source = '/workspaces/eu/processes/p';
  return Array.from({ length: copies }, (_, copy) =>
    unique.map(({ id, data, ...event }) => {
      const project = 'project' in data && {
        project: { ...data.project, id: `${copy % 12}${data.project.id}` },
      };
      return { ...event, id: `${copy}${id}`, source, data: { ...data, process: { id: 'p' }, ...project } };
    }),
  ).flat() as ChangeEvent[];
}

const someTemplates = fc.constantFrom(undefined, templates);

/** Each event is in one message. */
function expectIds(messages: ReturnType<typeof slackMessages>, events: readonly ChangeEvent[]): void {
  const ids = messages.flatMap(({ eventIds }) => eventIds).toSorted();
  expect(ids).toEqual([...new Set(events.map(({ id }) => id))].toSorted());
}

/** Every address leads to a record of the batch. */
function expectLinks(links: readonly (string | undefined)[], events: readonly ChangeEvent[]): void {
  for (const url of links) {
    if (url === undefined) continue;
    expect(url).toMatch(/^https:\/\/app\.example\.com\/[\w.~%-]+\/p\/[\w.~%-]+(?:\?task=[\w.~%-]+)?$/);
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

/** The tags of a mail. No text of an event is in one, but for links. */
const TAG =
  /^<(?:!doctype html|\/?(?:html|head|meta|title|style|body|table|tr|td|div|h1|h2|p|ul|li|a|b|s|span)(?: (?:lang|charset|name|content|class|style|role|width|cellpadding|cellspacing|align|href)(?:="[\w ;:#,.%()'=/-]*")?)*)>$/;

describe('chat messages', () => {
  it.each([
    ['slack', slackMessages, readSlack],
    ['teams', teamsMessages, readTeams],
  ] as const)(
    '%s, any events, and a summary: limits hold, every id is in one message, each change is counted once, nothing of the data is markup',
    (kind, messagesOf, read) => {
      const shownOf = (body: string, events: readonly ChangeEvent[]) => {
        const shown = read(body);
        expectLinks([shown.link, ...shown.paragraphs.map(({ link }) => link?.url)], events);
        if (kind === 'teams') expect(cardFaults(cardOf(body))).toEqual([]);
        return shown;
      };
      fc.assert(
        fc.property(anyBatch, someTemplates, fc.boolean(), (some, linkTemplates, isSummedUp) => {
          const messages = messagesOf(some, { linkTemplates });
          expectIds(messages, some);
          for (const { body } of messages) shownOf(body, some);
          if (some.length === 0 || !isSummedUp) return;
          const events = inProjects(some, 51);
          const { body } = floodMessage([...events, ...events], { kind }, { linkTemplates });
          expect(floodFault(shownOf(body, events), events, linkTemplates)).toBeUndefined();
        }),
        { numRuns: 24, interruptAfterTimeLimit: 30_000 },
      );
    },
  );

  it('the library of the cards finds what is wrong with one', () => {
    const run = (more: object) => ({
      type: 'AdaptiveCard',
      version: '1.5',
      body: [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: 'a', ...more }] }],
    });
    expect(cardFaults(run({}))).toEqual([]);
    for (const card of [
      run({ weight: 'Fat' }),
      run({ colour: 'Good' }),
      { ...run({}), body: [{ type: 'Paragraph' }] },
    ])
      expect(cardFaults(card)).not.toEqual([]);
  });

  const LIMITS = [
    [{ preset: 'google-chat' }, 'text', 32_000, Buffer.byteLength],
    [{ preset: 'mattermost' }, 'text', 4_000, Buffer.byteLength],
    [{ preset: 'discord' }, 'content', 2_000, (text: string) => text.length],
    [{ preset: 'ntfy' }, 'message', 4_096, Buffer.byteLength],
    [{ field: 'said', titleHeader: 'X-Title' }, 'said', 2_000, Buffer.byteLength],
  ] as const;

  it('mail, any events: limits hold, both parts have the same projects, nothing of the data is markup or a link', () => {
    fc.assert(
      fc.property(anyBatch, anyBatch, someTemplates, (some, others, linkTemplates) => {
        const events = [...some, ...others];
        fc.pre(events.length > 0);
        const messages = windowMessages(events, MAIL_SETTINGS, { linkTemplates });
        const ids = new Set(events.map(({ id }) => id));
        for (const { body, eventIds } of messages) {
          expect(eventIds.every(id => ids.has(id))).toBe(true);
          const { subject, text, html } = JSON.parse(body) as Mail;
          expect(subject).toMatch(/^[^\p{Cc}]+$/u);
          expect(body.isWellFormed()).toBe(true);
          expect(Buffer.byteLength(html)).toBeLessThan(102_000);
          const links = [...html.matchAll(/ href="([^"]*)"/g)].map(([, url = '']) => url);
          expectLinks(links, events);
          for (const url of links) expect(text).toContain(url);
          const tags = html.match(/<[^>]*>/g)?.map(tag => tag.replace(/ href="[^"]*"/, ' href')) ?? [];
          expect(tags.filter(tag => !TAG.test(tag))).toEqual([]);
          const bare = links.reduce((rest, url) => rest.replace(url, ''), text);
          for (const part of [bare, html.replace(/<style>.*<\/style>/s, '').replaceAll(/<[^>]*>/g, '')])
            expect(part).not.toMatch(/@(?!\u2060)|:\/\/|[\u202A-\u202E\u2066\u2067]/u);
          expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
        }
      }),
      { numRuns: 24, interruptAfterTimeLimit: 30_000 },
    );
  });

  it.each(LIMITS)(
    'plain text, any events, and a summary, %j: limits hold, every id is in one message, nothing of the data is a mention or a link',
    (settings, field, limit, size) => {
      const textOf = (
        { body, headers = {} }: ReturnType<typeof floodMessage>,
        events: readonly ChangeEvent[],
      ) => {
        expect(body.isWellFormed()).toBe(true);
        const text = JSON.parse(body)[field] as string;
        expect(size(text)).toBeLessThanOrEqual(limit);
        const links = [...text.matchAll(/(?<=^|\s)https:\/\/app\.example\.com\/\S*/g)].map(([url]) => url);
        expectLinks(links, events);
        const data = links.reduce((rest, url) => rest.replace(url, ''), text);
        expect(data).not.toMatch(/[@<#](?!\u2060)|:\/\/|[\u202A-\u202E\u2066\u2067]/u);
        expect(data.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
        for (const value of Object.values(headers)) expect(value).toMatch(/^[ -~]*$/);
        return text;
      };
      fc.assert(
        fc.property(anyBatch, someTemplates, fc.boolean(), (some, linkTemplates, isSummedUp) => {
          const messages = textMessages(some, settings, { linkTemplates });
          expectIds(messages, some);
          for (const message of messages) textOf(message, some);
          if (some.length === 0 || !isSummedUp) return;
          const events = inProjects(some, 12);
          const text = textOf(floodMessage(events, { kind: 'text', ...settings }, { linkTemplates }), events);
          // All of a record's changes are counted: those of places that found no room, too.
          expect(text).toMatch(/^• (?:and [\d,]+ more|.*) · [\d,]+ changes?(?: |$)/m);
        }),
        { numRuns: 15, interruptAfterTimeLimit: 30_000 },
      );
    },
  );
});
