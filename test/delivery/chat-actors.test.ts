import { describe, expect, it } from 'vitest';
import { summaryText } from '../../functions/delivery/chat/chat-fit.ts';
import { sentenceOf } from '../../functions/delivery/chat/chat-sentence.ts';
import { actorsInWords } from '../../functions/delivery/chat/chat-topic.ts';
import { chatTopics } from '../../functions/delivery/chat/chat-topics.ts';
import type { Actor } from '../../functions/model/event.ts';
import { change, commitOf, field, shownOf } from '../kit/delivery/chat-batches.ts';

const ann = { id: 'u-1', name: 'Ann Lee' };
const bob = { id: 'u-2', name: 'Bob Ray' };
const due = field('Due date', '2026-12-01', '2026-12-08');
const status = field('Status', 'Open', 'Done');

/** What a message tells: its summary, its headings, its notification. */
function told(changes: ReturnType<typeof change>[], actors: Record<string, Actor[]>) {
  const [topic] = chatTopics(commitOf(changes, { name: 'Onboarding ACME', actors }));
  if (!topic) return undefined;
  const headings = topic.records.map(record => shownOf(record)[0]);
  return { summary: summaryText(topic).split(' · ')[0], headings, sentence: sentenceOf(topic) };
}

describe('those who made a change', () => {
  it.each<[Actor[] | undefined, string | undefined]>([
    [undefined, undefined],
    [[], undefined],
    [[ann], 'Ann Lee'],
    [[{ id: 'u-9' }], 'u-9'],
    [[{ id: 'u-9', name: ' \u200B' }], 'u-9'],
    [[{ id: '\u200B' }], '(no name)'],
    [[ann, bob], 'Ann Lee and Bob Ray'],
    [[ann, bob, { id: '3' }, { id: '4' }], 'Ann Lee, Bob Ray and 2 others'],
    [[{ id: 'u', name: 'x'.repeat(90) }], `${'x'.repeat(59)}…`],
    [[{ id: 'u', name: 'דנה' }, ann], '\u2068דנה\u2069 and Ann Lee'],
  ])('%j are “%s”', (actors, words) => {
    expect(actorsInWords(actors)).toBe(words);
  });

  it('are named once where all changes of a message are theirs', () => {
    const changes = [change('t', 'Check contract', [due]), change('u', 'Call', [], { action: 'created' })];
    expect(told(changes, { t: [ann], u: [ann] })).toEqual({
      summary: 'Ann Lee made 2 changes in 2 tasks',
      headings: ['Check contract · Due date: 2026-12-01 → 2026-12-08', 'Call · task created'],
      sentence:
        'Ann Lee changed task "Check contract" in "Onboarding ACME": Due date 2026-12-01 → 2026-12-08, and 1 more change',
    });
  });

  it('are named with each record where others made other changes', () => {
    const changes = [change('t', 'Check contract', [due]), change('u', 'Call', [due, status])];
    expect(told(changes, { t: [ann], u: [bob, ann] })).toEqual({
      summary: '3 changes in 2 tasks',
      headings: [
        'Check contract · Due date: 2026-12-01 → 2026-12-08 · by Ann Lee',
        'Call · task updated · by Bob Ray and Ann Lee',
      ],
      sentence:
        'Ann Lee changed task "Check contract" in "Onboarding ACME": Due date 2026-12-01 → 2026-12-08. There are 2 more changes',
    });
  });

  it.each([
    [
      'of many',
      [ann, bob, { id: 'u-3' }, { id: 'u-4' }],
      [ann, bob, { id: 'u-5' }, { id: 'u-6' }],
      'Ann Lee, Bob Ray and 2 others',
    ],
    ['of one name', [ann], [{ ...ann, id: 'u-9' }], 'Ann Lee'],
  ])(
    'are named with each record where others who read the same made other changes: %s',
    (_, one, other, words) => {
      const changes = [change('t', 'Check contract', [due]), change('u', 'Call', [status])];
      expect(told(changes, { t: one, u: other })).toEqual({
        summary: '2 changes in 2 tasks',
        headings: [
          `Check contract · Due date: 2026-12-01 → 2026-12-08 · by ${words}`,
          `Call · Status: Open → Done · by ${words}`,
        ],
        sentence: `${words} changed task "Check contract" in "Onboarding ACME": Due date 2026-12-01 → 2026-12-08. There is 1 more change`,
      });
      expect(told(changes, { t: one, u: one })?.summary).toBe(`${words} made 2 changes in 2 tasks`);
    },
  );

  it('are named with each record where one of them has got another name since', () => {
    const changes = [change('t', 'Check contract', [due]), change('u', 'Call', [status])];
    expect(told(changes, { t: [ann], u: [{ ...ann, name: 'Ann Ray' }] })?.headings).toEqual([
      'Check contract · Due date: 2026-12-01 → 2026-12-08 · by Ann Lee',
      'Call · Status: Open → Done · by Ann Ray',
    ]);
  });

  it('are named with their own records alone where nobody is known of others', () => {
    const [one, other] = [change('t', 'Check contract', [due]), change('u', 'Call', [status])];
    expect(told([one, other], { t: [ann] })).toEqual({
      summary: '2 changes in 2 tasks',
      headings: [
        'Check contract · Due date: 2026-12-01 → 2026-12-08 · by Ann Lee',
        'Call · Status: Open → Done',
      ],
      sentence:
        'Ann Lee changed task "Check contract" in "Onboarding ACME": Due date 2026-12-01 → 2026-12-08. There is 1 more change',
    });
    expect(told([one, other], { u: [ann] })).toEqual({
      summary: '2 changes in 2 tasks',
      headings: [
        'Check contract · Due date: 2026-12-01 → 2026-12-08',
        'Call · Status: Open → Done · by Ann Lee',
      ],
      sentence:
        'Task "Check contract" in "Onboarding ACME": Due date 2026-12-01 → 2026-12-08, and 1 more change',
    });
  });

  it('are named with what they made and deleted, and where nothing is told of a change', () => {
    const sentence = (action: 'created' | 'updated' | 'deleted') =>
      told([change('t', 'Call', [], { action, record: { id: 't', name: 'Call' } })], { t: [ann] })?.sentence;
    expect([sentence('created'), sentence('updated'), sentence('deleted')]).toEqual([
      'Ann Lee created task "Call" in "Onboarding ACME"',
      'Ann Lee changed task "Call" in "Onboarding ACME"',
      'Ann Lee deleted task "Call" in "Onboarding ACME"',
    ]);
    const made = [field('Effort', null, '3')];
    const project = change('p', 'Acme', made, { action: 'created', entity: 'project' });
    expect(told([project], { p: [bob] })).toMatchObject({
      summary: 'Bob Ray made 1 change in the project',
      sentence: 'Bob Ray created project "Acme": Effort 3',
    });
  });
});
