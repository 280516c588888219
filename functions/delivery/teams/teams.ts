import { fitRecords, leftText, summaryText, type Tally, tallyOf, tallyText } from '../chat/chat-fit.ts';
import { sentenceOf } from '../chat/chat-sentence.ts';
import type { ChatTopic } from '../chat/chat-topic.ts';
import type { RecordView, Run } from '../chat/chat-view.ts';

/** Teams' limit is "approximately 28 KB", sometimes documented as UTF-16. So neither the UTF-8 nor the UTF-16 of a
 *  message may be longer (see docs/chat.md). */
const MAX_BYTES = 28_000;

const MAX_RECORDS = 100;

/** The bytes that a message counts for: of UTF-8 or of UTF-16, whichever is more. */
export function teamsBytes(json: string): number {
  return Math.max(Buffer.byteLength(json), 2 * json.length);
}

/** A topic as a message for a Teams Workflows webhook: an Adaptive Card 1.5. */
export function teamsMessage(topic: ChatTopic) {
  const empty = teamsBytes(JSON.stringify(compose(topic, [], tallyOf(topic.records))));
  const { parts, left } = fitRecords(topic, {
    total: MAX_BYTES - empty,
    parts: MAX_RECORDS,
    write: recordElement,
    size: part => teamsBytes(`${JSON.stringify(part)},`),
  });
  return { body: compose(topic, parts, left) };
}

function compose(topic: ChatTopic, elements: readonly ReturnType<typeof recordElement>[], left: Tally) {
  const { title, note, records } = topic;
  const changes = records.length > 0 ? tallyText(tallyOf(records)) : '';
  const content = {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.5',
    // Clients show it as markdown, so it holds no data.
    fallbackText: changes || title,
    msteams: { width: 'Full' },
    body: [
      headContainer(topic, summaryText(topic)),
      ...(note === undefined ? [] : [richTextBlock([{ text: note, look: 'plain' }])]),
      ...elements,
      ...(left.changes > 0 ? [tailBlock(`… ${leftText(left)}`)] : []),
    ],
  };
  return {
    type: 'message',
    summary: plainSummary(sentenceOf(topic)),
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

const STYLES = {
  plain: undefined,
  strong: { weight: 'Bolder' },
  faint: { isSubtle: true },
  struck: { strikethrough: true },
  good: { color: 'Good' },
  bad: { color: 'Attention' },
} as const satisfies Record<Run['look'], object | undefined>;

/** The card's head: the project, what happened to it, where, and (in the reader's own time zone) when. */
function headContainer({ title, link, observed }: ChatTopic, summary: string) {
  return {
    type: 'Container',
    style: 'emphasis',
    bleed: true,
    items: [
      { ...richTextBlock([]), inlines: [{ ...run(title, link), size: 'Large', weight: 'Bolder' }] },
      { ...richTextBlock([{ text: summary, look: 'faint' }]), spacing: 'Small' },
      ...(observed ? [timeBlock(observed)] : []),
    ],
  } as const;
}

/** One record: its heading and, in a container with it, a line per field. */
function recordElement({ heading, lines }: RecordView) {
  if (lines.length === 0) return richTextBlock(heading);
  const items = lines.map(line => ({
    ...richTextBlock([{ text: '•  ', look: 'faint' }, ...line]),
    spacing: 'Small',
  }));
  return { type: 'Container', items: [richTextBlock(heading), ...items] } as const;
}

/** A line of fixed words below the records. They hold nothing that a TextBlock would read as markdown. */
export function tailBlock(text: string) {
  return { type: 'TextBlock', text, isSubtle: true, wrap: true, separator: true } as const;
}

/** A block of runs. Unlike TextBlock and FactSet, these are not read as markdown. */
function richTextBlock(runs: readonly Run[]) {
  return { type: 'RichTextBlock', inlines: runs.map(inline) } as const;
}

function inline({ text, look, link }: Run) {
  return look === 'plain' ? inert(text) : { ...run(text, link), ...STYLES[look] };
}

/** A link is made by the run's action: a markdown link would read the text as markdown, too. */
function run(text: string, link?: string) {
  const action = link && ({ selectAction: { type: 'Action.OpenUrl', url: link } } as const);
  return { type: 'TextRun', text: inert(text), ...action } as const;
}

/** The plain text of notifications. What looks like a mention or a link is broken, in case a client reads it
 *  as markdown. */
function plainSummary(text: string): string {
  return inert(text.replace(/<(?=\S)|\](?=[([])/g, mark => `${mark}\u2060`));
}

/** Clients replace `{{DATE(…)}}` and `{{TIME(…)}}` even in runs. An invisible word joiner keeps data from
 *  being replaced. */
function inert(text: string): string {
  return text.replace(/\{(?=\{)/g, '{\u2060');
}

/** The only text with date functions in it. It holds no data. */
function timeBlock({ after, before }: NonNullable<ChatTopic['observed']>) {
  const text =
    after === before ? `Seen ${localTime(before)}` : `Between ${localTime(after)} and ${localTime(before)}`;
  return { type: 'TextBlock', text, isSubtle: true, wrap: true, size: 'Small', spacing: 'Small' } as const;
}

function localTime(time: number): string {
  const iso = `${new Date(time).toISOString().slice(0, 19)}Z`;
  return `{{DATE(${iso}, SHORT)}} {{TIME(${iso})}}`;
}
