import type { ChangeEvent } from '../changes/event.ts';
import { fitRecords, leftText, type Tally, tallyOf, tallyText } from './chat-fit.ts';
import { cutText } from './chat-text.ts';
import { type ChatTopic, chatTopics } from './chat-topic.ts';
import { linesOf, type RecordView, type Run, viewOf } from './chat-view.ts';
import type { ChatMessage } from './endpoint.ts';
import { contextBlock, headerBlock, recordBlock, SLACK_LIMITS, textLength } from './slack-blocks.ts';
import { notificationText } from './slack-text.ts';

/** Of the text that notifications show. */
const NOTIFICATION_LENGTH = 300;

/** The messages for a Slack incoming webhook that tell a batch of events: one per project, one per `source.*` event
 *  (DESIGN §9). Whatever the events hold, each message keeps within Slack's limits and tells what it leaves out, and
 *  nothing of the data becomes formatting, a link, a mention or an emoji. */
export function slackMessages(events: readonly ChangeEvent[]): ChatMessage[] {
  return chatTopics(events).map(topic => ({
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
    // Slack counts the containers of texts too, so the JSON is what is measured; 1 for the comma.
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
  const summary = records.length > 0 ? `${tallyText(tallyOf(records))} · ` : '';
  return {
    text: notificationText(cutText(fallback(topic), NOTIFICATION_LENGTH)),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      headerBlock(topic.title),
      contextBlock(`${summary}${origin}`, observed),
      ...(note === undefined ? [] : [recordBlock(noteView(note))]),
      ...blocks,
      ...(left.changes > 0 ? [contextBlock(`… ${leftText(left)}`)] : []),
    ],
  };
}

/** A lone change is told in the notification itself. */
function fallback({ title, note, records }: ChatTopic): string {
  const [first] = records;
  if (!first) return `${title}: ${note}`;
  if (records.length > 1) return `${title}: ${tallyText(tallyOf(records))}`;
  const { heading, lines } = viewOf(first, linesOf(first, { value: 60, lines: 2 }));
  return `${title}: ${[heading, ...lines].map(asText).join('; ')}`;
}

function asText(runs: readonly Run[]): string {
  return runs.map(run => run.text).join('');
}

function noteView(text: string): RecordView {
  // Stryker disable next-line StringLiteral: what has no look of its own is shown as plain text is
  return { heading: [{ text, look: 'plain' }], lines: [], shown: 0 };
}
