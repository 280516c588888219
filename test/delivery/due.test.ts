import { describe, expect, it } from 'vitest';
import { summaryText } from '../../functions/delivery/chat/chat-fit.ts';
import { isFlood } from '../../functions/delivery/chat/chat-flood.ts';
import { inLocale } from '../../functions/delivery/chat/chat-locale.ts';
import { sentenceOf } from '../../functions/delivery/chat/chat-sentence.ts';
import type { ChatTopic } from '../../functions/delivery/chat/chat-topic.ts';
import { chatTopics } from '../../functions/delivery/chat/chat-topics.ts';
import { emailMessage } from '../../functions/delivery/email/email.ts';
import { DUE_TYPES } from '../../functions/model/due.ts';
import { eraseEvent } from '../../functions/model/erase.ts';
import type { DueEvent } from '../../functions/model/event.ts';
import { leftOutBy } from '../../functions/model/filter.ts';
import { exampleEvent } from '../kit/examples/receiver.ts';

const example = (type: DueEvent['type']) => exampleEvent(type) as DueEvent;
const sentence = (event: DueEvent) => sentenceOf(chatTopics([event])[0] as ChatTopic);

describe('what falls due', () => {
  it('is a sentence in the topic of its project, with the field unless it is a due date', () => {
    expect(DUE_TYPES.map(type => sentence(example(type)))).toEqual([
      'Task "Agree on the scope" in "Sequoia Foods": due on 2026-03-05',
      'Task "Agree on the scope" in "Sequoia Foods": overdue: was due on 2026-03-05',
      'Project "Sequoia Foods": due on 2026-03-04 (Go-live date)',
      'Project "Sequoia Foods": overdue: was due on 2026-03-04 (Go-live date)',
      'Project "Project 13": unchanged since 2026-03-02',
    ]);
    expect(chatTopics([example('task.due'), example('project.due')])).toHaveLength(1);
  });

  it('has its date and time as the locale of the endpoint writes them', () => {
    const local = { locale: 'de-DE', timeZone: 'Europe/Berlin' };
    const text = (event: DueEvent) => sentenceOf(inLocale(chatTopics([event])[0] as ChatTopic, local));
    const withData = (type: DueEvent['type'], data: object) => {
      const event = example(type);
      return { ...event, data: { ...event.data, ...data } } as DueEvent;
    };
    const since = '2026-03-02T23:09:00.000Z';
    expect(
      [
        example('task.overdue'),
        withData('task.due', { value: '2026-03-05T10:00:00Z' }),
        withData('task.due', { value: '2026-02-30' }),
        withData('project.unchanged', { since, rule: { after: '7d' } }),
        withData('project.unchanged', { since, rule: { after: '30m' } }),
      ].map(event => text(event).replace(/^.*": /, '')),
    ).toEqual([
      'overdue: was due on 05.03.2026',
      'due on 05.03.2026, 11:00',
      'due on 2026-02-30',
      'unchanged since 03.03.2026',
      'unchanged since 03.03.2026, 00:09',
    ]);
    const minutes = withData('project.unchanged', { since, rule: { after: '4h' } });
    expect(sentence(minutes)).toBe('Project "Project 13": unchanged since 2026-03-02 23:09 UTC');
  });

  it('is shown once where several rules state the same, and is no change', () => {
    const again = { ...example('task.due'), id: 'again' };
    const other = { ...example('task.overdue'), id: 'other' };
    const [topic] = chatTopics([example('task.due'), again, other]);
    expect(topic?.records).toHaveLength(2);
    expect(topic?.eventIds).toHaveLength(3);
    expect(summaryText(topic as ChatTopic)).toMatch(/^2 events in 1 task · /);
    expect(sentenceOf(topic as ChatTopic)).toMatch(/, and 1 more event$/);
    const settings = { name: 'm', kind: 'email', from: 'a@example.com', to: 'b@example.com' } as const;
    const subject = (topics: readonly ChatTopic[]) => emailMessage(topics, settings).body.subject;
    expect(subject(chatTopics([example('project.unchanged')]))).toBe('Project 13: 1 event in the project');
    expect(subject(chatTopics([example('project.unchanged'), example('task.due')]))).toBe(
      '2 events in 2 projects',
    );
    expect(subject(chatTopics([exampleEvent('task.updated')]))).toContain('change');
  });

  it('counts as one change each', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, id) => ({ ...example('task.due'), id: `${id}` }));
    expect([isFlood(many(50)), isFlood(many(51))]).toEqual([false, true]);
  });

  it('is selected by its type and by conditions on its record, by no changed field and no actor', () => {
    const event = example('task.due');
    const wanted = { events: ['task.due'], where: [{ status: { in: ['To do'] } }] } as const;
    expect(leftOutBy(wanted, event)).toBe(undefined);
    expect(leftOutBy({ where: [{ 'project.goLiveDate': { before: '+7d' } }] }, event)).toBe(undefined);
    expect(leftOutBy({ where: [{ status: { in: ['Done'] } }] }, event)).toBe('where');
    expect(leftOutBy({ fields: ['dueDate'] }, event)).toBe('fields');
    expect(leftOutBy({ actors: ['101'] }, event)).toBe('actors');
  });

  it('loses its date with its record when it is erased', () => {
    expect(eraseEvent(example('task.due')).data).toEqual({
      process: { id: 'onboarding' },
      project: { id: '1016' },
      task: { id: '500017' },
    });
  });
});
