import { describe, expect, it } from 'vitest';
import { summaryText } from '../../functions/delivery/chat/chat-fit.ts';
import { sentenceOf } from '../../functions/delivery/chat/chat-sentence.ts';
import { actorsInWords } from '../../functions/delivery/chat/chat-topic.ts';
import { chatTopics } from '../../functions/delivery/chat/chat-topics.ts';
import type { Actor, SentEvent } from '../../functions/model/event.ts';
import { batches, builtIn, change, commitOf, field, shownOf } from '../kit/delivery/chat-batches.ts';

type Changes = readonly ReturnType<typeof change>[];

const ann = { id: 'u-1', name: 'Ann Lee' };
const bob = { id: 'u-2', name: 'Bob Ray' };
const due = field('Due date', '2026-12-01', '2026-12-08');
const priority = field('Priority', 'Open', 'Done');
const [CHECK, CALL] = [change('t', 'Check contract', [due]), change('u', 'Call', [priority])];
const MADE = change('u', 'Call', [], { action: 'created' });

const sentenceOfAll = (events: readonly SentEvent[]) => {
  const [topic] = chatTopics(events);
  return topic && sentenceOf(topic);
};
/** What a message tells: its summary, its headings, its notification. */
function told(changes: Changes, actors: Record<string, Actor[]> = {}) {
  const events = commitOf([...changes], { name: 'Onboarding ACME', actors });
  const [topic] = chatTopics(events);
  return {
    summary: topic && summaryText(topic).split(' · ')[0],
    headings: topic?.records.map(record => shownOf(record)[0]),
    sentence: sentenceOfAll(events),
  };
}

describe('a notification', () => {
  const CREATED = [
    ...[builtIn('assignee', { name: 'Anna' }), builtIn('dueDate', '2026-12-08'), builtIn('status', 'Open')],
    field('Effort', null, '3'),
  ];
  const DUE = 'Due date 2026-12-01 → 2026-12-08';
  it.each<[Changes, string]>([
    [[CHECK], `Task "Check contract" in "Onboarding ACME": ${DUE}`],
    [
      [change('p-1042', 'Onboarding ACME', [priority], { entity: 'project' })],
      'Project "Onboarding ACME": Priority Open → Done',
    ],
    [
      [change('t', 'Check contract', [due, priority])],
      `Task "Check contract" in "Onboarding ACME": ${DUE}, and 1 more change`,
    ],
    [
      [CHECK, change('u', 'Call', [priority, due])],
      `Task "Check contract" in "Onboarding ACME": ${DUE}, and 2 more changes`,
    ],
    [
      [change('t', 'Check contract', CREATED, { action: 'created' })],
      'New task "Check contract" in "Onboarding ACME": Status Open, Assignee Anna, Due date 2026-12-08',
    ],
    [[MADE, CHECK], 'New task "Call" in "Onboarding ACME", and 1 more change'],
    [[change('p', 'Acme', [], { action: 'created', entity: 'project' })], 'New project "Acme"'],
    [
      [change('t', 'Call', [], { action: 'deleted', record: { name: 'Call', status: 'Open' } })],
      'Task "Call" in "Onboarding ACME" was deleted',
    ],
    [[change('t', 'Call', [])], 'Task "Call" in "Onboarding ACME" changed'],
  ])('tells the first change, and counts the others: %#', (changes, sentence) => {
    expect(told(changes).sentence).toBe(sentence);
  });

  it('says that there is more where the event could not carry it', () => {
    const [event] = commitOf([change('t', 'Call', [due])]);
    const cut = { ...event, data: { ...event?.data, truncated: ['changes'] } } as never;
    expect(sentenceOfAll([cut])).toBe(`Task "Call" in "Website relaunch": ${DUE}, and more changes`);
  });

  it('tells of fields where they are, and of the source what it says', () => {
    const archived = (batches.fields ?? []).filter(({ type }) => type === 'field.archived');
    expect([batches.fields, batches.held, archived].map(batch => sentenceOfAll(batch ?? []))).toEqual([
      'Task field "Effort (hours)" in process customer-projects · workspace eu: Name Effort → Effort (hours), and 4 more changes',
      'Deletions are on hold: 30 of 60 projects are gone at once. Nothing was deleted; an operator must release it.',
      'Task field "Note *old*" in process customer-projects · workspace eu was archived',
    ]);
  });

  it('cuts names and values to 60 characters, in their direction, and what the source says so that 300 are left', () => {
    const long = (unit: string) => unit.repeat(200);
    const changed = change('t', long('a'), [field(long('f'), long('x'), long('y'))]);
    const cut = (unit: string) => `${unit.repeat(59)}…`;
    expect(sentenceOfAll(commitOf([changed], { name: long('ש') }))).toBe(
      `Task "${cut('a')}" in "\u2068${cut('ש')}\u2069": ${cut('f')} ${cut('x')} → ${cut('y')}`,
    );
    const [held] = batches.held ?? [];
    const loud = { ...held, data: { ...held?.data, reason: `x${long('r ')}` } } as never;
    expect(sentenceOfAll([loud])).toHaveLength(300);
  });
});

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

  const [CHECKED, CALLED] = [
    'Check contract · Due date: 2026-12-01 → 2026-12-08',
    'Call · Priority: Open → Done',
  ];
  const CONTRACT = 'task "Check contract" in "Onboarding ACME": Due date 2026-12-01 → 2026-12-08';
  const MANY = [ann, bob, { id: 'u-3' }, { id: 'u-4' }];
  const OTHERS = [ann, bob, { id: 'u-5' }, { id: 'u-6' }];

  it.each<[of: string, changes: Changes, actors: Record<string, Actor[]>, summary: string, ...string[]]>([
    [
      'once where all changes of a message are theirs',
      [CHECK, MADE],
      { t: [ann], u: [ann] },
      'Ann Lee made 2 changes in 2 tasks',
      ...['Call · task created', CHECKED],
      'Ann Lee created task "Call" in "Onboarding ACME", and 1 more change',
    ],
    [
      'with each record where others made other changes',
      [CHECK, change('u', 'Call', [due, priority])],
      { t: [ann], u: [bob, ann] },
      '3 changes in 2 tasks',
      ...[`${CHECKED} · by Ann Lee`, 'Call · task updated · by Bob Ray and Ann Lee'],
      `Ann Lee changed ${CONTRACT}. There are 2 more changes`,
    ],
    [
      'once, of many',
      [CHECK, CALL],
      { t: MANY, u: MANY },
      'Ann Lee, Bob Ray and 2 others made 2 changes in 2 tasks',
      ...[CHECKED, CALLED, `Ann Lee, Bob Ray and 2 others changed ${CONTRACT}, and 1 more change`],
    ],
    [
      'with each record where others who read the same made other changes',
      [CHECK, CALL],
      { t: MANY, u: OTHERS },
      '2 changes in 2 tasks',
      ...[`${CHECKED} · by Ann Lee, Bob Ray and 2 others`, `${CALLED} · by Ann Lee, Bob Ray and 2 others`],
      `Ann Lee, Bob Ray and 2 others changed ${CONTRACT}. There is 1 more change`,
    ],
    [
      'with each record where another has the same name',
      [CHECK, CALL],
      { t: [ann], u: [{ ...ann, id: 'u-9' }] },
      '2 changes in 2 tasks',
      ...[`${CHECKED} · by Ann Lee`, `${CALLED} · by Ann Lee`],
      `Ann Lee changed ${CONTRACT}. There is 1 more change`,
    ],
    [
      'with each record where one of them has got another name since',
      [CHECK, CALL],
      { t: [ann], u: [{ ...ann, name: 'Ann Ray' }] },
      '2 changes in 2 tasks',
      ...[`${CHECKED} · by Ann Lee`, `${CALLED} · by Ann Ray`],
      `Ann Lee changed ${CONTRACT}. There is 1 more change`,
    ],
    [
      'with the first record alone where nobody is known of others',
      [CHECK, CALL],
      { t: [ann] },
      '2 changes in 2 tasks',
      ...[`${CHECKED} · by Ann Lee`, CALLED, `Ann Lee changed ${CONTRACT}. There is 1 more change`],
    ],
    [
      'with a later record alone where nobody is known of the first',
      [CHECK, CALL],
      { u: [ann] },
      '2 changes in 2 tasks',
      ...[CHECKED, `${CALLED} · by Ann Lee`, `T${CONTRACT.slice(1)}, and 1 more change`],
    ],
  ])('are named %s', (_, changes, actors, summary, ...texts) => {
    expect(told(changes, actors)).toEqual({ summary, headings: texts.slice(0, 2), sentence: texts[2] });
  });

  it('are named with what they made and deleted, and where nothing is told of a change', () => {
    const sentence = (action: 'created' | 'updated' | 'deleted') =>
      told([change('t', 'Call', [], { action, record: { id: 't', name: 'Call' } })], { t: [ann] }).sentence;
    expect([sentence('created'), sentence('updated'), sentence('deleted')]).toEqual(
      ['created', 'changed', 'deleted'].map(did => `Ann Lee ${did} task "Call" in "Onboarding ACME"`),
    );
    const made = [field('Effort', null, '3')];
    const project = change('p', 'Acme', made, { action: 'created', entity: 'project' });
    expect(told([project], { p: [bob] })).toMatchObject({
      summary: 'Bob Ray made 1 change in the project',
      sentence: 'Bob Ray created project "Acme": Effort 3',
    });
  });
});
