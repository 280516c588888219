import type { MessageContext } from '../model/endpoint.ts';
import type { EndpointKind } from '../model/kinds.ts';
import { type ChatFormat, chatJobs, type Jobs, type Letter, webhookJobs } from './jobs.ts';
import { slackMessages } from './slack/slack.ts';
import { teamsMessages } from './teams/teams.ts';
import { textMessages } from './text/text.ts';

/** How events become requests, by the kind of their endpoint. `model/kinds.ts` has what else is to know of each. */
const JOBS: Readonly<Record<EndpointKind, (letters: readonly Letter[], context: MessageContext) => Jobs>> = {
  webhook: webhookJobs,
  slack: messages(slackMessages),
  teams: messages(teamsMessages),
  text: messages(textMessages),
};

/** The requests that deliver these events to an endpoint. */
export function jobsOf(letters: readonly Letter[], context: MessageContext): Jobs {
  return JOBS[context.endpoint.kind](letters, context);
}

function messages(format: ChatFormat) {
  return (letters: readonly Letter[], context: MessageContext) => chatJobs(letters, format, context);
}
