import { expect, it } from 'vitest';
import { tailBlock, teamsBytes } from '../../functions/delivery/teams/teams.ts';
import { batches, commitOfLengths, mostOf, teamsMessages } from '../kit/delivery/chat-batches.ts';
import { readTeams } from '../kit/delivery/read-teams.ts';

it('acceptance 5: 500 changes in Teams messages keep within 28 KB, and the card tells how many are not shown', () => {
  const messages = teamsMessages(batches.many ?? []);
  expect(messages.map(({ eventIds }) => eventIds.length)).toEqual([500]);
  const { paragraphs, summary, tail } = readTeams(messages[0]?.body ?? '');
  expect(paragraphs.length).toBeGreaterThan(50);
  expect(summary).toMatch(/^500 changes in 250 tasks · /);
  expect(tail).toBe(`… and ${500 - paragraphs.length} more changes in 212 tasks are not shown`);
});

it('a Teams message takes the last byte that it may, and not one more', () => {
  const messageOf = (length: number) => teamsMessages(commitOfLengths(length, 390))[0]?.body ?? '';
  const most = mostOf(length => messageOf(length).includes('x'.repeat(length)));
  expect([most > 1, most < 499]).toEqual([true, true]);
  // Room is kept for the line that tells what is left out.
  const left = tailBlock('… and 24 more changes in 24 tasks are not shown');
  expect(teamsBytes(messageOf(most))).toBe(28_000 - teamsBytes(`,${JSON.stringify(left)}`));
});
