import type { ChatMessage, MessageContext } from '../../model/endpoint.ts';
import type { SentEvent } from '../../model/event.ts';
import { fitRecords, leftText, summaryText, type Tally, tallyOf } from '../chat/chat-fit.ts';
import { cutText } from '../chat/chat-text.ts';
import type { ChatTopic } from '../chat/chat-topic.ts';
import { chatTopics } from '../chat/chat-topics.ts';
import type { RecordView, Run } from '../chat/chat-view.ts';
import { headerText, inertText, lineText } from './inert-text.ts';
import { type Form, formOf } from './presets.ts';

/** The most records in a message: nobody reads more in a chat. */
const RECORDS = 100;
/** Room for the end of the line, a word joiner and an ellipsis, in bytes. */
const NOTE_MARGIN = 8;

/** The messages that show a batch of events as plain text in JSON: one per project, one per `source.*` event
 *  (design.md §9). Whatever the events hold, each text keeps within the service's limit and states what it leaves
 *  out. No data becomes a mention or a link; links come only from the link templates. */
export function textMessages(
  events: readonly SentEvent[],
  { endpoint, linkTemplates }: MessageContext,
): ChatMessage[] {
  const form = formOf(endpoint);
  return chatTopics(events, linkTemplates).map(topic => ({
    ...messageOf(topic, form),
    eventIds: topic.eventIds,
  }));
}

function messageOf(topic: ChatTopic, form: Form): Pick<ChatMessage, 'body' | 'headers'> {
  const { field, titleField, titleHeader, more, headers } = form;
  const title = inertText(topic.title, form);
  const body = { ...more, [field]: textOf(topic, form), ...(titleField && { [titleField]: title }) };
  return {
    body: JSON.stringify(body),
    headers: { ...headers, ...(titleHeader && { [titleHeader]: headerText(topic.title) }) },
  };
}

function textOf(topic: ChatTopic, form: Form): string {
  const { size, limit } = form;
  const empty = size(compose(topic, [], tallyOf(topic.records), form));
  if (topic.note !== undefined) {
    const note = cutText(topic.note, limit - empty - NOTE_MARGIN, part => size(inertText(part, form)));
    return compose(topic, [lineText(note, form)], tallyOf([]), form);
  }
  const { parts, left } = fitRecords(topic.records, {
    total: limit - empty,
    parts: RECORDS,
    write: view => recordText(view, form),
    // 1 for the end of the line.
    size: part => size(part) + 1,
  });
  return compose(topic, parts, left, form);
}

function compose(topic: ChatTopic, parts: readonly string[], left: Tally, form: Form): string {
  const { title, link, origin, observed, records } = topic;
  const hasTitle = form.titleField === undefined && form.titleHeader === undefined;
  const summary = records.length > 0 ? `${summaryText(topic)} · ${origin}` : origin;
  return [
    ...(hasTitle ? [lineText(title, form)] : []),
    ...(link === undefined ? [] : [link]),
    lineText(summary, form),
    ...(observed ? [timeText(observed)] : []),
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

function timeText({ after, before }: NonNullable<ChatTopic['observed']>): string {
  const text = (time: number) => new Date(time).toISOString().slice(0, 19).replace('T', ' ');
  return after === before ? `seen ${text(before)} UTC` : `between ${text(after)} and ${text(before)} UTC`;
}
