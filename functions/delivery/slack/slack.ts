import type { EndpointSettings } from '../../model/endpoint.ts';
import { fitRecords, leftText, summaryText, type Tally, tallyOf } from '../chat/chat-fit.ts';
import { sentenceOf } from '../chat/chat-sentence.ts';
import { cutText } from '../chat/chat-text.ts';
import type { ChatTopic } from '../chat/chat-topic.ts';
import type { RecordView, Run } from '../chat/chat-view.ts';

/** A topic as a message for a Slack incoming webhook, or, with a channel, for an app. */
export function slackMessage(topic: ChatTopic, { channel }: Pick<EndpointSettings, 'channel'> = {}) {
  const bare = compose(topic, [], tallyOf(topic.records));
  const { parts, left } = fitRecords(topic, {
    total: SLACK_LIMITS.message - JSON.stringify(bare).length - (channel === undefined ? 0 : MAX_APP_PART),
    parts: SLACK_LIMITS.blocks - bare.blocks.length,
    write: view => ({ view, block: recordBlock(view) }),
    // Slack counts the JSON around texts, too, so that the JSON is measured; 1 for the comma.
    size: ({ view, block }) =>
      textLength(view) > SLACK_LIMITS.text ? Number.POSITIVE_INFINITY : JSON.stringify(block).length + 1,
  });
  const blocks = parts.map(({ block }) => block);
  return { body: compose(topic, blocks, left) };
}

function compose(topic: ChatTopic, blocks: readonly ReturnType<typeof recordBlock>[], left: Tally) {
  const { observed, note } = topic;
  return {
    text: notificationText(sentenceOf(topic)),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      titleBlock(topic),
      contextBlock(summaryText(topic), observed),
      ...(note === undefined ? [] : [recordBlock(noteView(note))]),
      ...blocks,
      ...(left.changes > 0 ? [contextBlock(`… ${leftText(left)}`)] : []),
    ],
  };
}

function noteView(text: string): RecordView {
  // Stryker disable next-line StringLiteral: an unknown look is shown as plain text, too
  return { heading: [{ text, look: 'plain' }], lines: [], shown: 0 };
}

/** The characters of the channel, the thread and whether a reply is broadcast. */
const MAX_APP_PART = 200;
/** Slack's limits, in characters (see docs/chat.md for where each is written). */
const SLACK_LIMITS = { blocks: 50, text: 3_000, header: 150, message: 12_000 } as const;

const STYLES = {
  plain: undefined,
  strong: { bold: true },
  faint: { italic: true },
  struck: { strike: true },
  good: { italic: true },
  bad: { italic: true },
} as const satisfies Record<Run['look'], object | undefined>;

/** The message's first block. Slack allows no link in a header. */
function titleBlock({ title, link }: Pick<ChatTopic, 'title' | 'link'>) {
  if (link === undefined) return { type: 'header', text: plainText(title, SLACK_LIMITS.header) } as const;
  return { type: 'rich_text', elements: [section([{ text: title, look: 'strong', link }])] } as const;
}

/** A line in small grey text: where it happened and, in the reader's own time zone, when. */
export function contextBlock(text: string, observed?: ChatTopic['observed']) {
  const plain = plainText(text, SLACK_LIMITS.text);
  return { type: 'context', elements: observed ? [plain, timeText(observed)] : [plain] } as const;
}

/** One record: its heading and a list of its fields. */
function recordBlock({ heading, lines }: RecordView) {
  const list = { type: 'rich_text_list', style: 'bullet', elements: lines.map(section) } as const;
  return { type: 'rich_text', elements: [section(heading), ...(lines.length > 0 ? [list] : [])] } as const;
}

/** The characters of all the texts in a rich text block. */
function textLength({ heading, lines }: RecordView): number {
  return [heading, ...lines].flat().reduce((sum, run) => sum + richText(run.text).length, 0);
}

function section(runs: readonly Run[]) {
  return { type: 'rich_text_section', elements: runs.map(element) } as const;
}

function element({ text, look, link }: Run) {
  const style = STYLES[look];
  const kind = link === undefined ? ({ type: 'text' } as const) : ({ type: 'link', url: link } as const);
  return { ...kind, text: richText(text), ...(style && { style }) };
}

/** The only mrkdwn in the message. It holds no data. */
function timeText({ after, before }: NonNullable<ChatTopic['observed']>) {
  const isOneDay = before - after < 12 * 60 * 60 * 1000;
  const text =
    after === before
      ? `seen ${date(before, '{date_short_pretty} {time_secs}')}`
      : `between ${date(after, '{date_short_pretty} {time_secs}')} and ${date(before, isOneDay ? '{time_secs}' : '{date_short_pretty} {time_secs}')}`;
  return { type: 'mrkdwn', text } as const;
}

function date(time: number, format: string): string {
  const fallback = new Date(time).toISOString().slice(0, 19).replace('T', ' ');
  return `<!date^${Math.floor(time / 1000)}^${format}|${fallback} UTC>`;
}

/** Slack's own escape, for its text objects: only these three characters, and only so. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A `plain_text` object: no formatting, no emoji codes; at most `limit` characters, counted as escaped. */
function plainText(text: string, limit: number) {
  const short = cutText(text, limit, part => escapeSlack(part).length);
  return { type: 'plain_text', text: escapeSlack(short), emoji: false } as const;
}

/** The text of notifications, which Slack may read as mrkdwn. So every character that could begin formatting,
 *  an emoji code, a mention or a link is followed by a word joiner, which is invisible. */
function notificationText(text: string): string {
  return escapeSlack(text.replace(/[*_~`:@#|.]/g, character => `${character}\u2060`));
}

/** Text of a rich text element. Slack doesn't parse it, and would show escapes. Mentions and links are broken
 *  anyway, for receivers that convert rich text to mrkdwn. */
function richText(text: string): string {
  return text.replace(/<(?=\S)/g, '<\u2060');
}
