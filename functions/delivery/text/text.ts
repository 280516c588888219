import type { EndpointSettings } from '../../model/endpoint.ts';
import { fitRecords, leftText, summaryText, type Tally, tallyOf } from '../chat/chat-fit.ts';
import { timeText } from '../chat/chat-locale.ts';
import { cutText } from '../chat/chat-text.ts';
import type { ChatTopic } from '../chat/chat-topic.ts';
import type { RecordView, Run } from '../chat/chat-view.ts';

const MAX_RECORDS = 100;
/** Room for the end of the line, a word joiner and an ellipsis, in bytes. */
const NOTE_MARGIN = 8;
/** Of the longest message of any chat. */
const MAX_READABLE = 12_000;

/** A topic as a message of plain text in JSON. */
export function textMessage(topic: ChatTopic, endpoint: EndpointSettings) {
  const form = formOf(endpoint);
  const { field, titleField, titleHeader, more, headers } = form;
  const title = inertText(topic.title, form);
  const body = { ...more, [field]: textOf(topic, form), ...(titleField && { [titleField]: title }) };
  return {
    body,
    headers: { ...headers, ...(titleHeader && { [titleHeader]: headerText(topic.title) }) },
  };
}

/** A topic as people read it in any chat: without what keeps data from being markup. */
export function readableText(topic: ChatTopic, endpoint: EndpointSettings): string {
  const { local } = formOf(endpoint);
  return textOf(topic, {
    field: '',
    limit: MAX_READABLE,
    size: characters,
    isRead: true,
    ...(local && { local }),
  });
}

function textOf(topic: ChatTopic, form: Form): string {
  const { size, limit } = form;
  const empty = size(compose(topic, [], tallyOf(topic.records), form));
  const free = limit - empty - NOTE_MARGIN;
  const shown = cutText(topic.note ?? '', free, part => size(inertText(part, form)));
  const note = topic.note === undefined ? [] : [lineText(shown, form)];
  const { parts, left } = fitRecords(topic, {
    // 1 for the end of each line.
    total: limit - empty - note.reduce((sum, text) => sum + size(text) + 1, 0),
    parts: MAX_RECORDS,
    write: view => recordText(view, form),
    size: part => size(part) + 1,
  });
  return compose(topic, [...note, ...parts], left, form);
}

function compose(topic: ChatTopic, parts: readonly string[], left: Tally, form: Form): string {
  const { title, link, observed } = topic;
  const hasTitle = form.titleField === undefined && form.titleHeader === undefined;
  return [
    ...(hasTitle ? [lineText(title, form)] : []),
    ...(link === undefined ? [] : [link]),
    lineText(summaryText(topic), form),
    ...(observed ? [timeText(observed, form.local)] : []),
    ...parts,
    ...(left.changes > 0 ? [`… ${leftText(left)}`] : []),
  ].join('\n');
}

function recordText({ heading, lines }: RecordView, form: Form): string {
  return [`• ${runsText(heading, form)}`, ...lines.map(line => `   ◦ ${runsText(line, form)}`)].join('\n');
}

function runsText(runs: readonly Run[], form: Form): string {
  const links = runs.flatMap(({ link }) => link ?? []);
  return [inertText(runs.map(({ text }) => text).join(''), form), ...links].join(' ');
}

/** Data that no service reads as a mention, link, emoji code or heading: each character that could begin one is
 *  followed by an invisible word joiner (U+2060). For Markdown, a backslash escapes formatting. Each character is
 *  treated by itself, so that a part of a text never takes more room than alone. */
function inertText(text: string, { isMarkdown = false, isRead = false }: Inert): string {
  if (isRead) return text;
  const broken = text.replace(/[@<:#.]/g, character => `${character}\u2060`);
  return isMarkdown
    ? broken.replace(/[\\*_~`|[\]]/g, character => `\\${character}`)
    : broken.replace(/[*_~`]/g, character => `${character}\u2060`);
}

/** Data that begin a line: a leading word joiner keeps them from being a list or a quotation. */
function lineText(text: string, form: Inert): string {
  return `${!form.isRead && /^(?:[-+>=]|\d+[.)])/.test(text) ? '\u2060' : ''}${inertText(text, form)}`;
}

/** A header's value, by RFC 2047 where it is not plain ASCII: words of at most 75 characters. */
function headerText(text: string): string {
  if (/^[ -~]*$/.test(text) && !text.includes('=?')) return text;
  return (text.match(/.{1,10}/gsu) ?? [])
    .map(part => `=?UTF-8?B?${Buffer.from(part).toString('base64')}?=`)
    .join(' ');
}

interface Form {
  /** The field of the body that holds the text. */
  readonly field: string;
  /** The field that holds the title; undefined: the header, or else the first line of the text. */
  readonly titleField?: string;
  readonly titleHeader?: string | undefined;
  /** Further fields of the body, and headers. */
  readonly more?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** The longest text, in units of `size`. */
  readonly limit: number;
  readonly size: (text: string) => number;
  /** Whether the service reads Markdown, in which a backslash escapes. */
  readonly isMarkdown?: boolean;
  /** Whether people read the text as it is. */
  readonly isRead?: boolean;
  /** Of the endpoint. */
  readonly local?: Pick<EndpointSettings, 'locale' | 'timeZone'>;
}

type Inert = Pick<Form, 'isMarkdown' | 'isRead'>;

const bytes = (text: string) => Buffer.byteLength(text);
const characters = (text: string) => text.length;

const PRESETS: Readonly<Record<string, Form>> = {
  // 32,000 bytes are allowed: more than people read.
  'google-chat': { field: 'text', limit: 4_000, size: bytes },
  // 16,383 characters; 4,000 on servers whose table of posts was never migrated.
  mattermost: { field: 'text', limit: 4_000, size: bytes, isMarkdown: true },
  discord: {
    field: 'content',
    // No mention notifies anyone; 4 keeps links from being unfolded.
    more: { allowed_mentions: { parse: [] }, flags: 4 },
    limit: 2_000,
    size: characters,
    isMarkdown: true,
  },
  ntfy: {
    field: 'message',
    titleField: 'title',
    // The server fills these templates from the body. Without them it shows the JSON itself.
    headers: { template: 'yes', title: '{{.title}}', message: '{{.message}}' },
    // 4,096 bytes, of which the services of phones also need some for the title.
    limit: 3_000,
    size: bytes,
  },
};

/** The form of an endpoint's messages: its preset's, or what its settings describe, within the smallest limit. */
function formOf({ preset, field = 'text', titleHeader, locale, timeZone }: EndpointSettings): Form {
  const known = preset === undefined ? undefined : PRESETS[preset];
  return { ...(known ?? { field, titleHeader, limit: 2_000, size: bytes }), local: { locale, timeZone } };
}
