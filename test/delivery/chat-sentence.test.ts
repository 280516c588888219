import { describe, expect, it } from 'vitest';
import { sentenceOf } from '../../functions/delivery/chat/chat-sentence.ts';
import { chatTopics } from '../../functions/delivery/chat/chat-topics.ts';
import { batches, builtIn, change, commitOf, field } from '../kit/delivery/chat-batches.ts';

const told = (...changes: ReturnType<typeof change>[]) => {
  const [topic] = chatTopics(commitOf(changes, { name: 'Onboarding ACME' }));
  return topic && sentenceOf(topic);
};
const due = field('Due date', '2026-12-01', '2026-12-08');
const status = field('Status', 'Open', 'Done');

describe('a notification', () => {
  it('tells a lone change whole', () => {
    expect(told(change('t', 'Check contract', [due]))).toBe(
      'Task "Check contract" in "Onboarding ACME": Due date 2026-12-01 → 2026-12-08',
    );
    expect(told(change('p-1042', 'Onboarding ACME', [status], { entity: 'project' }))).toBe(
      'Project "Onboarding ACME": Status Open → Done',
    );
  });

  it('tells of several changes the first, and counts the others', () => {
    expect(told(change('t', 'Check contract', [due, status]))).toBe(
      'Task "Check contract" in "Onboarding ACME": Due date 2026-12-01 → 2026-12-08, and 1 more change',
    );
    expect(told(change('t', 'Check contract', [due]), change('u', 'Call', [status, due]))).toBe(
      'Task "Check contract" in "Onboarding ACME": Due date 2026-12-01 → 2026-12-08, and 2 more changes',
    );
  });

  it('tells a new record with its first fields', () => {
    const fields = [
      ...[builtIn('assignee', { name: 'Anna' }), builtIn('dueDate', '2026-12-08'), builtIn('status', 'Open')],
      field('Effort', null, '3'),
    ];
    expect(told(change('t', 'Check contract', fields, { action: 'created' }))).toBe(
      'New task "Check contract" in "Onboarding ACME": Assignee Anna, Due date 2026-12-08, Status Open',
    );
    expect(told(change('t', 'Check contract', [], { action: 'created' }), change('u', 'Call', [due]))).toBe(
      'New task "Check contract" in "Onboarding ACME", and 1 more change',
    );
    expect(told(change('p', 'Acme', [], { action: 'created', entity: 'project' }))).toBe(
      'New project "Acme"',
    );
  });

  it('tells what is gone, and what changed in nothing that is told', () => {
    expect(
      told(change('t', 'Call', [], { action: 'deleted', record: { name: 'Call', status: 'Open' } })),
    ).toBe('Task "Call" in "Onboarding ACME" was deleted');
    expect(told(change('t', 'Call', []))).toBe('Task "Call" in "Onboarding ACME" changed');
  });

  it('says that there is more where the event could not carry it', () => {
    const [event] = commitOf([change('t', 'Call', [due])]);
    const [topic] = chatTopics([{ ...event, data: { ...event?.data, truncated: ['changes'] } } as never]);
    expect(topic && sentenceOf(topic)).toBe(
      'Task "Call" in "Website relaunch": Due date 2026-12-01 → 2026-12-08, and more changes',
    );
  });

  it('tells of fields where they are, and of the source what it says', () => {
    const sentences = [batches.fields, batches.held].map(batch => {
      const [topic] = chatTopics(batch ?? []);
      return topic && sentenceOf(topic);
    });
    expect(sentences).toEqual([
      'Task field "Effort (hours)" in process customer-projects · workspace eu: Name Effort → Effort (hours), and 4 more changes',
      'Deletions are on hold: 30 of 60 projects are gone at once. Nothing was deleted; an operator must release it.',
    ]);
    const [archived] = chatTopics((batches.fields ?? []).filter(({ type }) => type === 'field.archived'));
    expect(archived && sentenceOf(archived)).toBe(
      'Task field "Note *old*" in process customer-projects · workspace eu was archived',
    );
  });

  it('cuts names and values to 60 characters, and what the source says so that 300 are left', () => {
    const long = (unit: string) => unit.repeat(200);
    const [topic] = chatTopics(
      commitOf([change('t', long('a'), [field(long('f'), long('x'), long('y'))])], { name: long('p') }),
    );
    const cut = (unit: string) => `${unit.repeat(59)}…`;
    expect(topic && sentenceOf(topic)).toBe(
      `Task "${cut('a')}" in "${cut('p')}": ${cut('f')} ${cut('x')} → ${cut('y')}`,
    );
    const [held] = batches.held ?? [];
    const [loud] = chatTopics([{ ...held, data: { ...held?.data, reason: `x${long('r ')}` } } as never]);
    expect(loud && sentenceOf(loud)).toHaveLength(300);
  });

  it('keeps a title from right to left in its place when it is cut', () => {
    const [topic] = chatTopics(commitOf([change('t', 'Call', [due])], { name: 'ש'.repeat(200) }));
    expect(topic && sentenceOf(topic)).toContain(` in "\u2068${'ש'.repeat(59)}…\u2069": `);
  });
});
