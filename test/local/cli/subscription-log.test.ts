import { expect, it } from 'vitest';
import { logSubscriptions } from '../../../local/cli/topic.ts';
import type { Attempt, Notice } from '../../../local/sns/subscription.ts';

it('tells of each subscription by the name that people gave it, and of its failures as of any endpoint’s', () => {
  const lines: string[] = [];
  const output = {
    say: (text: string) => void lines.push(`says ${text}`),
    warn: (text: string) => void lines.push(`warns ${text}`),
  };
  const tell = logSubscriptions(output, [{ name: 'n1', label: 'planner' }], () => 0);
  const notice = (kind: Notice['kind'], name: string, attempt?: Attempt) =>
    tell({ kind, name, text: `text of ${kind}`, ...(attempt && { attempt }) });
  const failed = (eventId: string, attempts = 1) => ({
    eventId,
    attempts,
    failure: { reason: 'answered 500', said: 'db down' },
  });
  notice('unconfirmed', 'n1');
  notice('confirmed', 'n1');
  notice('retrying', 'n1', { ...failed('e1'), pause: 20_000 });
  notice('retrying', 'n1', { ...failed('e2'), pause: 20_000 });
  notice('retrying', 'n2', { ...failed('e1'), pause: 0 });
  notice('arrived', 'n1', { eventId: 'e3', attempts: 1 });
  notice('arrived', 'n1', { eventId: 'e1', attempts: 2 });
  notice('dead-lettered', 'n1', failed('e2', 4));
  notice('trouble', 'n1');
  expect(lines).toEqual([
    'warns planner: text of unconfirmed',
    'says planner: text of confirmed',
    'warns planner: event e1: answered 500 (db down); next try in 20 s',
    'warns n2: event e1: answered 500 (db down); next try in 0 ms',
    'warns planner: answers again, after 2 failed attempts in 0 ms',
    'warns planner: given up: event e2: answered 500 (db down); it is a dead letter now',
    'warns planner: text of trouble',
  ]);
});
