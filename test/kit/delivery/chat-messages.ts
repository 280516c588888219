import { chatMessages } from '../../../functions/delivery/kinds.ts';
import { slackMessage } from '../../../functions/delivery/slack/slack.ts';
import { teamsMessage } from '../../../functions/delivery/teams/teams.ts';
import { textMessage } from '../../../functions/delivery/text/text.ts';
import type { LinkTemplates } from '../../../functions/model/endpoint.ts';
import type { SentEvent } from '../../../functions/model/event.ts';
import type { KindSettings } from '../../../functions/model/kinds.ts';

export interface Links {
  readonly linkTemplates?: LinkTemplates | undefined;
}

export const slackMessages = (events: readonly SentEvent[], links: Links = {}) =>
  chatMessages(events, slackMessage, { endpoint: { name: 'ops', kind: 'slack' }, ...links });

export const teamsMessages = (events: readonly SentEvent[], links: Links = {}) =>
  chatMessages(events, teamsMessage, { endpoint: { name: 'ops', kind: 'teams' }, ...links });

export const textMessages = (events: readonly SentEvent[], settings: KindSettings, links: Links = {}) =>
  chatMessages(events, textMessage, { endpoint: { name: 'ops', kind: 'text', ...settings }, ...links });
