import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../../functions/changes/event.ts';
import { slackMessages } from '../../../functions/endpoints/slack.ts';
import { teamsMessages } from '../../../functions/endpoints/teams.ts';
import { batches } from '../../endpoints/chat-batches.ts';
import { Violation } from '../oracle/violation.ts';
import { textAt } from '../texts.ts';
import { tellsGroup } from './check-message.ts';
import { readSlack } from './read-slack.ts';
import { readTeams } from './read-teams.ts';

const CHATS = [
  { name: 'Slack', messages: slackMessages, read: readSlack },
  { name: 'Teams', messages: teamsMessages, read: readTeams },
];

/** What is wrong with each message for these events, whose changes `alter` alters in what it tells. */
function faults(
  { messages, read }: (typeof CHATS)[number],
  events: readonly ChangeEvent[],
  alter = (text: string) => text,
) {
  return messages(events).map(({ body, eventIds }) => {
    const unique = [...new Map(events.map(event => [event.id, event])).values()];
    try {
      const told = tellsGroup(
        read(alter(body)),
        unique.filter(({ id }) => eventIds.includes(id)),
      );
      return typeof told === 'string' ? told : undefined;
    } catch (error) {
      if (error instanceof Violation) return error.message;
      throw error;
    }
  });
}

describe.each(CHATS)('the judge of what $name shows', chat => {
  it.each(Object.entries(batches))('takes what is sent for the batch “%s”', (_, events) => {
    expect(faults(chat, events).filter(Boolean)).toEqual([]);
  });

  it.each([
    ['another value', (body: string) => body.replaceAll('In progress', 'In Progress')],
    ['another title', (body: string) => body.replaceAll('Website relaunch', 'Website relaunches')],
    ['another count', (body: string) => body.replace('1 change in', '2 changes in')],
    [
      'another time',
      (body: string) => body.replace(/(\d)(?=\^\{date|Z, SHORT)/, digit => String((Number(digit) + 1) % 10)),
    ],
  ])('refuses %s', (_, alter) => {
    expect(faults(chat, batches.single ?? [], alter)).toEqual([expect.any(String)]);
  });

  it('refuses a message that counts one too few, or shows another record', () => {
    const fewer = (body: string) =>
      body.replace(/(\d+)(?= more changes)/, count => String(Number(count) - 1));
    expect(faults(chat, batches.many ?? [], fewer).join()).toContain('its tail is');
    const swapped = (body: string) => body.replace(/Done 3(?=")/, 'Done 4');
    expect(faults(chat, batches.many ?? [], swapped).join()).toContain('does not tell');
  });

  it('takes any texts, and none of them for another one', () => {
    const [event] = (batches.single ?? []) as [ChangeEvent];
    const withTo = (to: string) =>
      ({
        ...event,
        data: { ...event.data, changes: [{ ...(event.data as { changes: object[] }).changes[0], to }] },
      }) as ChangeEvent;
    fc.assert(
      fc.property(fc.nat(1_000), fc.nat(1_000), (one, other) => {
        const [message] = chat.messages([withTo(textAt(one))]);
        const shown = chat.read(message?.body ?? '');
        expect(tellsGroup(shown, [withTo(textAt(one))])).toEqual({ left: 0 });
        if (textAt(one) !== textAt(other) && one % 4 !== 0)
          expect(tellsGroup(shown, [withTo(textAt(other))])).toContain('does not tell');
      }),
    );
  });
});
