import { createHash } from 'node:crypto';
import type { EndpointSettings } from '../../model/endpoint.ts';
import { addressesIn, type Mail } from '../../model/mail.ts';
import { fitRecords, leftText, summaryText, type Tally, tallyOf, tallyText } from '../chat/chat-fit.ts';
import { timeText } from '../chat/chat-locale.ts';
import { sentenceOf } from '../chat/chat-sentence.ts';
import { counted } from '../chat/chat-text.ts';
import type { ChatTopic } from '../chat/chat-topic.ts';
import type { RecordView, Run } from '../chat/chat-view.ts';

/** Bytes of the HTML of all sections. Mail clients cut off what is over 102 KB; the text is always shorter. */
const MAX_BYTES = 90_000;
/** The least room for the records of one project, in bytes: the first projects are shown rather than a line of each. */
const MIN_SECTION_BYTES = 3_000;
const MAX_RECORDS = 500;
const MAX_SUBJECT_LENGTH = 200;

/** All topics as one mail: a section for each, and a count of those that it has no room for. */
export function emailMessage(
  topics: readonly ChatTopic[],
  endpoint: EndpointSettings,
): { readonly body: Mail } {
  const { name, from = '', to = '' } = endpoint;
  const subject = subjectOf(topics);
  const { sections, left } = fitted(topics, endpoint);
  const [first] = topics;
  const frame = {
    ...{ subject, sections, left },
    preview: first ? sentenceOf(first) : '',
    foot: `Sent by Changewire to its endpoint ${name}.`,
  };
  const content = { from, to: addressesIn(to), subject, text: mailText(frame), html: mailHtml(frame) };
  const digest = createHash('sha256')
    .update(JSON.stringify([name, content]))
    .digest('hex')
    .slice(0, 40);
  return { body: { ...content, messageId: `<${digest}@${from.slice(from.lastIndexOf('@') + 1)}>` } };
}

/** `12 changes in 3 projects`, or of one topic `Onboarding ACME: 3 changes in the project and 1 task`. */
function subjectOf(topics: readonly ChatTopic[]): string {
  const [only] = topics;
  const text =
    only && topics.length === 1
      ? only.records.length === 0
        ? only.title
        : `${only.title}: ${tallyText(tallyOf(only.records))}`
      : allOf(topics);
  return [...text].slice(0, MAX_SUBJECT_LENGTH).join('');
}

function allOf(topics: readonly ChatTopic[], more = ''): string {
  const changes = topics.reduce((sum, topic) => sum + changesIn(topic), 0);
  const projects = topics.filter(({ records }) =>
    records.some(({ entity }) => !entity.endsWith('field')),
  ).length;
  const isDue = topics.every(({ records }) => records.length > 0 && tallyOf(records).noun === 'event');
  return `${counted(changes, `${more}${isDue ? 'event' : 'change'}`)}${projects > 0 ? ` in ${counted(projects, 'project')}` : ''}`;
}

function changesIn({ records, eventIds }: ChatTopic): number {
  return records.length > 0 ? tallyOf(records).changes : eventIds.length;
}

/** As many sections as fit, in order. Each gets an equal part of the room that is left. */
function fitted(topics: readonly ChatTopic[], endpoint: EndpointSettings): Pick<Frame, 'sections' | 'left'> {
  const sections: Section[] = [];
  let free = MAX_BYTES;
  for (const [index, topic] of topics.entries()) {
    const empty = sizeOf(sectionHtml(sectionOf(topic, [], tallyOf(topic.records), endpoint)));
    const share = Math.max(MIN_SECTION_BYTES, Math.floor(free / (topics.length - index)) - empty);
    if (share + empty > free) break;
    const { parts, left } = fitRecords(topic, {
      total: share,
      parts: MAX_RECORDS,
      write: view => view,
      size: view => sizeOf(recordHtml(view)),
    });
    const section = sectionOf(topic, parts, left, endpoint);
    sections.push(section);
    free -= sizeOf(sectionHtml(section));
  }
  const others = topics.slice(sections.length);
  return { sections, left: others.length > 0 ? `and ${moreText(others)} not shown` : undefined };
}

/** `12 more changes in 3 projects are`. */
function moreText(topics: readonly ChatTopic[]): string {
  const changes = topics.reduce((sum, topic) => sum + changesIn(topic), 0);
  return `${allOf(topics, 'more ')} ${changes === 1 ? 'is' : 'are'}`;
}

function sectionOf(
  topic: ChatTopic,
  records: readonly RecordView[],
  left: Tally,
  endpoint: EndpointSettings,
): Section {
  const { title, link, observed, note } = topic;
  return {
    ...{ title, link, note, records },
    context: [summaryText(topic), ...(observed ? [timeText(observed, endpoint)] : [])],
    left: left.changes > 0 ? leftText(left) : undefined,
  };
}

function sizeOf(text: string): number {
  return Buffer.byteLength(text);
}

/** A mail without its encodings. */
interface Frame {
  readonly subject: string;
  /** Shown beside the subject in lists of mails. */
  readonly preview: string;
  readonly sections: readonly Section[];
  readonly left: string | undefined;
  readonly foot: string;
}

/** The part of a mail about one topic, as text and HTML show it. */
interface Section {
  readonly title: string;
  readonly link: string | undefined;
  /** Who, where and when. */
  readonly context: readonly string[];
  readonly note: string | undefined;
  readonly records: readonly RecordView[];
  /** What is left out, in words. */
  readonly left: string | undefined;
}

function mailText({ subject, sections, left, foot }: Frame): string {
  const parts = sections.map(section =>
    [
      inertText(section.title),
      ...(section.link === undefined ? [] : [section.link]),
      ...section.context.map(inertText),
      ...(section.note === undefined ? [] : ['', inertText(section.note)]),
      ...(section.records.length === 0 ? [] : ['', ...section.records.map(recordText)]),
      ...(section.left === undefined ? [] : ['', `… ${section.left}`]),
    ].join('\n'),
  );
  const rest = left === undefined ? [] : [`… ${left}`];
  return `${[inertText(subject), ...parts, ...rest, `-- \n${foot}`].join('\n\n')}\n`;
}

/** Data that no mail client makes a link of: an invisible word joiner breaks what looks like a host, an address or the
 *  beginning of a URL. */
function inertText(text: string): string {
  return text.replace(
    /(?<=[\p{L}\p{N}_-])\.(?=[\p{L}\p{N}_-])|@|:(?=\/\/)|\bwww(?=\.)/giu,
    mark => `${mark}\u2060`,
  );
}

/** A record and its lines, as plain text. */
function recordText({ heading, lines }: RecordView): string {
  return [`* ${runsText(heading)}`, ...lines.map(line => `    - ${runsText(line)}`)].join('\n');
}

/** The text, and below it what it links to. */
function runsText(runs: readonly Run[]): string {
  const links = runs.flatMap(({ link }) => link ?? []);
  return [inertText(runs.map(({ text }) => text).join('')), ...links].join('\n    ');
}

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** Each look as an element. Styles are inline, because some clients drop those of the head; classes are for dark mode.
 */
const LOOKS: Readonly<Record<Run['look'], readonly [begin: string, end: string]>> = {
  plain: ['', ''],
  strong: ['<b>', '</b>'],
  faint: ['<span class="f" style="color:#5b6570">', '</span>'],
  struck: ['<s>', '</s>'],
  good: ['<span class="g" style="color:#1a7f37">', '</span>'],
  bad: ['<span class="b" style="color:#c4320a">', '</span>'],
};

const DARK = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page{background:#101418!important;color:#e3e7eb!important}
.card{background:#1a2027!important;border-color:#343c45!important}
.f{color:#9aa5b1!important}.g{color:#57c36d!important}.b{color:#ff8a65!important}
a{color:#7ab7ff!important}
}`;

/** One column of at most 600 px, of tables, which every mail client lays out alike. */
function mailHtml({ subject, preview, sections, left, foot }: Frame): string {
  const rest = left === undefined ? '' : faint(`… ${left}`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>${data(subject)}</title><style>${DARK}</style></head>
<body class="page" style="margin:0;padding:0;background:#f3f5f7;color:#1b2026;${FONT};font-size:15px;line-height:1.5">
<div style="display:none;max-height:0;overflow:hidden">${data(preview)}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f5f7;color:#1b2026"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px;text-align:left;${FONT};font-size:15px;line-height:1.5;word-break:break-word">
<tr><td style="padding:0 4px 16px"><h1 style="margin:0;font-size:20px;line-height:1.3">${data(subject)}</h1></td></tr>
${sections.map(sectionHtml).join('\n')}
<tr><td style="padding:0 4px">${rest}${faint(foot)}</td></tr>
</table></td></tr></table></body></html>
`;
}

/** One project, as a row of the mail's table. */
function sectionHtml({ title, link, context, note, records, left }: Section): string {
  return `<tr><td style="padding:0 0 16px"><table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="background:#ffffff;border:1px solid #d9dfe5;border-radius:8px"><tr><td style="padding:16px">
<h2 style="margin:0 0 2px;font-size:17px;line-height:1.3">${linked(data(title), link)}</h2>
${context.map(faint).join('\n')}
${note === undefined ? '' : `<p style="margin:10px 0 0">${data(note)}</p>`}
${records.map(recordHtml).join('\n')}
${left === undefined ? '' : `<div style="padding-top:10px">${faint(`… ${left}`)}</div>`}
</td></tr></table></td></tr>`;
}

/** One record: its heading, and its lines in a list. */
function recordHtml({ heading, lines }: RecordView): string {
  const items = lines.map(line => `<li style="margin:2px 0">${runs(line)}</li>`).join('');
  const list = items === '' ? '' : `<ul style="margin:2px 0 0;padding:0 0 0 20px">${items}</ul>`;
  return `<p style="margin:10px 0 0">${runs(heading)}</p>${list}`;
}

function runs(all: readonly Run[]): string {
  return all
    .map(({ text, look, link }) => {
      const [begin, end] = LOOKS[look];
      return `${begin}${linked(data(text), link)}${end}`;
    })
    .join('');
}

function faint(text: string): string {
  return `<div class="f" style="color:#5b6570;font-size:13px">${data(text)}</div>`;
}

function linked(html: string, link: string | undefined): string {
  return link === undefined ? html : `<a href="${escaped(link)}" style="color:#0a58ca">${html}</a>`;
}

function data(text: string): string {
  return escaped(inertText(text));
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, mark => ESCAPES[mark] as string);
}
