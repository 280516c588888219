import { cutText } from '../chat/chat-text.ts';

/** Slack's own escape, for its text objects: only these three characters, and only so. */
export function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A `plain_text` object: no formatting, no emoji codes; at most `limit` characters, counted as escaped. */
export function plainText(text: string, limit: number) {
  const short = cutText(text, limit, part => escapeSlack(part).length);
  return { type: 'plain_text', text: escapeSlack(short), emoji: false } as const;
}

/** The text of notifications, which Slack may read as mrkdwn. So every character that could begin formatting,
 *  an emoji code, a mention or a link is followed by a word joiner, which is invisible. */
export function notificationText(text: string): string {
  return escapeSlack(text.replace(/[*_~`:@#|.]/g, character => `${character}\u2060`));
}

/** Text of a rich text element. Slack doesn't parse it, so that escapes would be shown as they stand. What
 *  looks like a mention or a link is broken all the same, for receivers that convert rich text to mrkdwn. */
export function richText(text: string): string {
  return text.replace(/<(?=\S)/g, '<\u2060');
}
