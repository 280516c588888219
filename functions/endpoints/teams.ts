import type { ChangeEvent } from '../changes/event.ts';
import { fitRecords, leftText, type Tally, tallyOf, tallyText } from './chat-fit.ts';
import { type ChatTopic, chatTopics } from './chat-topic.ts';
import type { ChatMessage } from './endpoint.ts';
import { headContainer, recordElement, richTextBlock, tailBlock } from './teams-card.ts';

/** Bytes of the whole message. Teams writes "approximately 28 KB", and counts UTF-16 where it says how it counts: so
 *  neither the UTF-8 nor the UTF-16 of a message may be longer (see docs/chat.md). */
export const TEAMS_BYTES = 28_000;

/** More records than that nobody reads in a chat. */
const RECORDS = 100;

/** The messages for a Teams Workflows webhook that tell a batch of events, each an Adaptive Card 1.5: one per project,
 *  one per `source.*` event (DESIGN §9). Whatever the events hold, each message keeps within 28 KB and tells what it
 *  leaves out, and nothing of the data becomes formatting, a link, a mention or a date. */
export function teamsMessages(events: readonly ChangeEvent[]): ChatMessage[] {
  return chatTopics(events).map(topic => ({
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
  const { title, origin, observed, note, records } = topic;
  const changes = records.length > 0 ? tallyText(tallyOf(records)) : '';
  const content = {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.5',
    // Read as markdown where it is shown: so it holds none of the data.
    fallbackText: changes || title,
    msteams: { width: 'Full' },
    body: [
      headContainer(title, [changes, origin].filter(Boolean).join(' · '), observed),
      ...(note === undefined ? [] : [richTextBlock([{ text: note, look: 'plain' }])]),
      ...elements,
      ...(left.changes > 0 ? [tailBlock(`… ${leftText(left)}`)] : []),
    ],
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}
