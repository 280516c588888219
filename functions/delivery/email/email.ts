import { createHash } from 'node:crypto';
import type { EndpointSettings } from '../../model/endpoint.ts';
import { addressesIn, type Mail } from '../../model/mail.ts';
import { fitRecords, leftText, summaryText, type Tally, tallyOf, tallyText } from '../chat/chat-fit.ts';
import { timeText } from '../chat/chat-locale.ts';
import { sentenceOf } from '../chat/chat-sentence.ts';
import { counted } from '../chat/chat-text.ts';
import type { ChatTopic } from '../chat/chat-topic.ts';
import type { RecordView } from '../chat/chat-view.ts';
import { mailHtml, recordHtml, sectionHtml } from './html.ts';
import { type Frame, mailText, type Section } from './text.ts';

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
