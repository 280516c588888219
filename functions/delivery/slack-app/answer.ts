import type { EndpointSecret } from '../../model/endpoint.ts';
import { type Outcome, outcomeOf } from '../http/outcome.ts';
import type { Answer, NoAnswer } from '../http/post.ts';

/** Errors of Slack's API, each with its remedy. */
const REMEDIES: Readonly<Record<string, string>> = {
  channel_not_found: 'check the channel, and invite the app if it is private',
  not_in_channel: 'invite the app to the channel, or give it the scope chat:write.public',
  is_archived: 'the channel is archived: choose another one',
  restricted_action: "the workspace's settings do not let the app post in this channel",
  no_permission: "the workspace's settings do not let the app post in this channel",
  not_authed: 'put "Authorization: Bearer xoxb-…" into the headers',
  invalid_auth: 'check the token in the header Authorization',
  token_expired: 'put a new token into the header Authorization',
  token_revoked: 'install the app again, and put its new token into the header Authorization',
  account_inactive:
    'the app was removed: install it again, and put its new token into the header Authorization',
  org_login_required: 'the workspace is being moved',
  missing_scope: 'give the app the scope chat:write, and install it again',
  msg_too_long: 'Slack refuses the length of this message',
  msg_blocks_too_long: 'Slack refuses the length of this message',
  thread_not_found: 'the thread is gone; the next attempt begins another one',
  cannot_reply_to_message: 'the thread takes no replies; the next attempt begins another one',
  restricted_action_thread_locked: 'an admin locked the thread; the next attempt begins another one',
  restricted_action_non_threadable_channel: 'the channel takes no replies; the next attempt is not a reply',
};

/** The thread can't be used any longer. */
const LOST_THREAD = new Set([
  'thread_not_found',
  'cannot_reply_to_message',
  'restricted_action_thread_locked',
  'restricted_action_non_threadable_channel',
]);
const SLOW_DOWN = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded', 'service_unavailable']);

/** Slack answers errors with HTTP 200 and `{"ok":false,"error":"…"}`. */
export function slackOutcome(answer: Answer | NoAnswer, secret: EndpointSecret): Outcome {
  const outcome = outcomeOf(answer, secret);
  if (outcome.kind !== 'delivered' || wasAccepted(answer)) return outcome;
  const error = errorOf(answer);
  if (error === undefined)
    return { kind: 'failed', reason: 'not an answer of the Slack API: check the address' };
  const remedy = REMEDIES[error];
  const reason = `Slack answered ${error}${remedy === undefined ? '' : `: ${remedy}`}`;
  if (!SLOW_DOWN.has(error)) return { kind: 'failed', reason };
  const { status: _, ...head } = answer as Answer;
  return { ...outcomeOf({ ...head, status: 429 }, secret), reason } as Outcome;
}

/** What is kept of an answer: one that accepts a message repeats the message. */
export function shownAnswer(answer: Answer | NoAnswer): Answer | NoAnswer {
  if (!wasAccepted(answer)) return answer;
  const { body: _, ...rest } = answer as Answer;
  return rest;
}

/** The name of the message that Slack accepted. Data can't imitate it: in a text, quotation marks are escaped. */
export function messageIn(answer: Answer | NoAnswer): string | undefined {
  return wasAccepted(answer) ? /"ts":\s*"(\d{1,16}\.\d{1,9})"/.exec(bodyOf(answer))?.[1] : undefined;
}

export function hasLostThread(answer: Answer | NoAnswer): boolean {
  return LOST_THREAD.has(errorOf(answer) ?? '');
}

export function wasAccepted(answer: Answer | NoAnswer): boolean {
  return /^\s*\{\s*"ok":\s*true\b/.test(bodyOf(answer));
}

export function errorOf(answer: Answer | NoAnswer): string | undefined {
  return /"error":\s*"([a-z_]{1,64})"/.exec(bodyOf(answer))?.[1];
}

/** Only its beginning is known, so that it may be no JSON. */
function bodyOf(answer: Answer | NoAnswer): string {
  return 'body' in answer ? (answer.body ?? '') : '';
}
