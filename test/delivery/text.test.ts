import { describe, expect, it } from 'vitest';
import { testEvent } from '../../functions/changes/build-events.ts';
import { KINDS, type KindSettings } from '../../functions/model/kinds.ts';
import { batches, change, commitOf, field, templates, textMessages } from '../kit/delivery/chat-batches.ts';

const PRESETS = KINDS.text.settings?.preset?.choices ?? [];
const AT = Date.UTC(2026, 10, 23, 9, 30);
const test = testEvent('ops', { at: AT, tag: 'abc' });

const messages = (settings: KindSettings, events = batches.typical ?? [], linkTemplates = templates) =>
  textMessages(events, settings, { linkTemplates }).map(({ body, headers }) => ({
    body: JSON.parse(body),
    headers,
  }));
const first = (...given: Parameters<typeof messages>) =>
  messages(...given)[0] as { body: never; headers: object };
const named = (name: string) => commitOf([change('t', 'Task', [field('Status', 'a', 'b')])], { name });

/** A text without the word joiners. */
const bare = (text: string) => text.replaceAll('\u2060', '');

describe('a plain-text message', () => {
  const text =
    'endpoint ops\nseen 2026-11-23 09:30:00 UTC\nChangewire can deliver events here. No data was changed.';
  const [title, whole] = ['This is a test', `This is a test\n${text}`];
  const form = { template: 'yes', title: '{{.title}}', message: '{{.message}}' };
  it.each<[settings: KindSettings, body: object, headers?: object]>([
    [{ preset: 'google-chat' }, { text: whole }],
    [{ preset: 'mattermost' }, { text: whole }],
    [{ preset: 'discord' }, { content: whole, allowed_mentions: { parse: [] }, flags: 4 }],
    [{ preset: 'ntfy' }, { message: text, title }, form],
    [{}, { text: whole }],
    [{ field: 'body' }, { body: whole }],
    [{ field: 'body', titleHeader: 'X-Title' }, { body: text }, { 'X-Title': title }],
  ])('has the form of its service: %j', (settings, body, headers = {}) => {
    const [message] = textMessages([test], settings);
    expect([JSON.parse(bare(message?.body ?? '')), message?.headers]).toEqual([body, headers]);
    expect(message?.eventIds).toEqual([test.id]);
  });

  it.each([
    ['@everyone', '@\u2060everyone'],
    ['<users/all>', '<\u2060users/all>'],
    ['https://evil.example', 'https:\u2060//evil.\u2060example'],
    ['# Big :tada:', '#\u2060 Big :\u2060tada:\u2060'],
    ['- item', '\u2060- item'],
    ['> said', '\u2060> said'],
    ['1) one', '\u20601) one'],
    [
      '*b* _i_ ~s~ `c`',
      '*\u2060b*\u2060 _\u2060i_\u2060 ~\u2060s~\u2060 `\u2060c`\u2060',
      '\\*b\\* \\_i\\_ \\~s\\~ \\`c\\`',
    ],
    ['[a](b) || \\', '[a](b) || \\', '\\[a\\](b) \\|\\| \\\\'],
  ])('makes nothing of the data %j', (name, plain, markdown = plain) => {
    const line = (preset: string, key: string) =>
      (first({ preset }, named(name)).body as Record<string, string>)[key]?.split('\n')[0];
    expect([line('google-chat', 'text'), line('discord', 'content')]).toEqual([plain, markdown]);
  });

  it('puts a title that is not ASCII into the header by RFC 2047, in words of at most 75 characters', () => {
    const titled = (name: string) =>
      Object.values(first({ titleHeader: 'Title' }, named(name)).headers)[0] as string;
    expect(titled('Ready?')).toBe('Ready?');
    for (const name of ['Übergabe an Çelik → 🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀', '=?UTF-8?Q?no?=']) {
      const words = titled(name).split(' ');
      expect(words.every(word => /^=\?UTF-8\?B\?[\w+/=]+\?=$/.test(word) && word.length <= 75)).toBe(true);
      expect(words.map(word => Buffer.from(word.slice(10, -2), 'base64').toString()).join('')).toBe(name);
    }
  });

  it('counts what it has no room for', () => {
    for (const preset of PRESETS) {
      const [{ body } = { body: {} }] = messages({ preset }, batches.many, undefined);
      expect(JSON.stringify(body)).toMatch(/… and [\d,]+ more changes in \d+ tasks are not shown/);
    }
  });
});
