import { cutText } from './chat-text.ts';

/** Slack's own escape, for its text objects: only these three characters, and only so. */
export function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A `plain_text` object: no formatting, no emoji codes; at most `limit` characters, counted as escaped. */
export function plainText(text: string, limit: number) {
  const short = cutText(text, limit, part => escapeSlack(part).length);
  return { type: 'plain_text', text: escapeSlack(short), emoji: false } as const;
}

/** The text of notifications. It is the one text that Slack may read as mrkdwn: each character that could begin
 *  formatting, an emoji code, a mention or a link gets a word joiner, which nobody sees, behind it. */
export function notificationText(text: string): string {
  return escapeSlack(text.replace(/[*_~`:@#|.]/g, character => `${character}\u2060`));
}

/** Text of a rich text element. It is never parsed, so nothing is escaped: an entity would show as it stands. What
 *  looks like a mention or a link is broken all the same, for receivers that flatten rich text to mrkdwn. */
export function richText(text: string): string {
  return text.replace(/<(?=\S)/g, '<\u2060');
}
