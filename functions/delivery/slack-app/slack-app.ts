import type { EndpointSettings } from '../../model/endpoint.ts';
import type { ChatTopic } from '../chat/chat-topic.ts';
import { slackMessage } from '../slack/slack.ts';

/** A topic as a message for `chat.postMessage`. */
export function slackAppMessage(topic: ChatTopic, endpoint: EndpointSettings) {
  // Without a charset, Slack adds a warning to its answers.
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { body: { channel: endpoint.channel, ...slackMessage(topic, endpoint).body }, headers };
}
