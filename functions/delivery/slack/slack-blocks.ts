import type { ChatTopic } from '../chat/chat-topic.ts';
import type { RecordView, Run } from '../chat/chat-view.ts';
import { plainText, richText } from './slack-text.ts';

/** Slack's limits, in characters (see docs/chat.md for where each is written). */
export const SLACK_LIMITS = { blocks: 50, text: 3_000, header: 150, message: 12_000 } as const;

const STYLES = {
  plain: undefined,
  strong: { bold: true },
  faint: { italic: true },
  struck: { strike: true },
  good: { italic: true },
  bad: { italic: true },
} as const satisfies Record<Run['look'], object | undefined>;

/** The message's first block. Slack allows no link in a header. */
export function titleBlock({ title, link }: Pick<ChatTopic, 'title' | 'link'>) {
  if (link === undefined) return { type: 'header', text: plainText(title, SLACK_LIMITS.header) } as const;
  return { type: 'rich_text', elements: [section([{ text: title, look: 'strong', link }])] } as const;
}

/** A line in small grey text: where it happened and, in the reader's own time zone, when. */
export function contextBlock(text: string, observed?: ChatTopic['observed']) {
  const plain = plainText(text, SLACK_LIMITS.text);
  return { type: 'context', elements: observed ? [plain, timeText(observed)] : [plain] } as const;
}

/** One record: its heading and a list of its fields. */
export function recordBlock({ heading, lines }: RecordView) {
  const list = { type: 'rich_text_list', style: 'bullet', elements: lines.map(section) } as const;
  return { type: 'rich_text', elements: [section(heading), ...(lines.length > 0 ? [list] : [])] } as const;
}

/** The characters of all the texts in a rich text block. */
export function textLength({ heading, lines }: RecordView): number {
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
