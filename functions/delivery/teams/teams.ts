import type { ChatMessage, MessageContext } from '../../model/endpoint.ts';
import type { SentEvent } from '../../model/event.ts';
import { fitRecords, leftText, summaryText, type Tally, tallyOf, tallyText } from '../chat/chat-fit.ts';
import { sentenceOf } from '../chat/chat-sentence.ts';
import type { ChatTopic } from '../chat/chat-topic.ts';
import { chatTopics } from '../chat/chat-topics.ts';
import { headContainer, plainSummary, recordElement, richTextBlock, tailBlock } from './teams-card.ts';

/** The most bytes of a message. Teams' limit is "approximately 28 KB", in UTF-16 where it says how it counts.
 *  So neither the UTF-8 nor the UTF-16 of a message may be longer (see docs/chat.md). */
export const TEAMS_BYTES = 28_000;

/** The most records in a message: nobody reads more in a chat. */
const RECORDS = 100;

/** The messages for a Teams Workflows webhook that show a batch of events, each an Adaptive Card 1.5: one per
 *  project, one per `source.*` event (design.md §9). Whatever the events hold, each message keeps within 28
 *  KB and says what it leaves out. No data becomes formatting, a mention, a date or a link; links come only
 *  from the link templates. */
export function teamsMessages(
  events: readonly SentEvent[],
  { linkTemplates }: Pick<MessageContext, 'linkTemplates'> = {},
): ChatMessage[] {
  return chatTopics(events, linkTemplates).map(topic => ({
    body: JSON.stringify(messageOf(topic)),
    eventIds: topic.eventIds,
  }));
}

/** The bytes that a message counts for: of UTF-8 or of UTF-16, whichever is more. */
export function teamsBytes(json: string): number {
  return Math.max(Buffer.byteLength(json), 2 * json.length);
}

function messageOf(topic: ChatTopic) {
  const empty = teamsBytes(JSON.stringify(compose(topic, [], tallyOf(topic.records))));
  const { parts, left } = fitRecords(topic.records, {
    total: TEAMS_BYTES - empty,
    parts: RECORDS,
    write: recordElement,
    size: part => teamsBytes(`${JSON.stringify(part)},`),
  });
  return compose(topic, parts, left);
}

function compose(topic: ChatTopic, elements: readonly ReturnType<typeof recordElement>[], left: Tally) {
  const { title, origin, note, records } = topic;
  const changes = records.length > 0 ? tallyText(tallyOf(records)) : '';
  const content = {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.5',
    // Clients show it as markdown, so it holds no data.
    fallbackText: changes || title,
    msteams: { width: 'Full' },
    body: [
      headContainer(topic, records.length > 0 ? `${summaryText(topic)} · ${origin}` : origin),
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
