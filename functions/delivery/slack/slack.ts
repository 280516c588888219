import type { ChatMessage, MessageContext } from '../../model/endpoint.ts';
import type { SentEvent } from '../../model/event.ts';
import { fitRecords, leftText, summaryText, type Tally, tallyOf } from '../chat/chat-fit.ts';
import { sentenceOf } from '../chat/chat-sentence.ts';
import type { ChatTopic } from '../chat/chat-topic.ts';
import { chatTopics } from '../chat/chat-topics.ts';
import type { RecordView } from '../chat/chat-view.ts';
import { contextBlock, recordBlock, SLACK_LIMITS, textLength, titleBlock } from './slack-blocks.ts';
import { notificationText } from './slack-text.ts';

/** The messages for a Slack incoming webhook that show a batch of events: one per project, one per `source.*`
 *  event (design.md §9). Whatever the events hold, each message keeps within Slack's limits and says what it
 *  leaves out. No data becomes formatting, a mention, an emoji or a link; links come only from the link
 *  templates. */
export function slackMessages(
  events: readonly SentEvent[],
  { linkTemplates }: Pick<MessageContext, 'linkTemplates'> = {},
): ChatMessage[] {
  return chatTopics(events, linkTemplates).map(topic => ({
    body: JSON.stringify(messageOf(topic)),
    eventIds: topic.eventIds,
  }));
}

function messageOf(topic: ChatTopic) {
  const all = tallyOf(topic.records);
  const empty = JSON.stringify(compose(topic, [], all)).length;
  const { parts, left } = fitRecords(topic.records, {
    total: SLACK_LIMITS.message - empty,
    parts: SLACK_LIMITS.blocks - 3,
    write: view => ({ view, block: recordBlock(view) }),
    // Slack counts the JSON around texts, too, so that the JSON is measured; 1 for the comma.
    size: ({ view, block }) =>
      textLength(view) > SLACK_LIMITS.text ? Number.POSITIVE_INFINITY : JSON.stringify(block).length + 1,
  });
  return compose(
    topic,
    parts.map(({ block }) => block),
    left,
  );
}

function compose(topic: ChatTopic, blocks: readonly ReturnType<typeof recordBlock>[], left: Tally) {
  const { records, origin, observed, note } = topic;
  const summary = records.length > 0 ? `${summaryText(topic)} · ` : '';
  return {
    text: notificationText(sentenceOf(topic)),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      titleBlock(topic),
      contextBlock(`${summary}${origin}`, observed),
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
