import { describe, expect, it } from 'vitest';
import { isFlood } from '../../functions/delivery/chat/chat-flood.ts';
import { sentenceOf } from '../../functions/delivery/chat/chat-sentence.ts';
import type { ChatTopic } from '../../functions/delivery/chat/chat-topic.ts';
import { chatTopics } from '../../functions/delivery/chat/chat-topics.ts';
import { DUE_TYPES } from '../../functions/model/due.ts';
import { eraseEvent } from '../../functions/model/erase.ts';
import type { DueEvent } from '../../functions/model/event.ts';
import { leftOutBy } from '../../functions/model/filter.ts';
import { exampleEvent } from '../kit/examples/receiver.ts';

const example = (type: DueEvent['type']) => exampleEvent(type) as DueEvent;
const sentence = (event: DueEvent) => sentenceOf(chatTopics([event])[0] as ChatTopic);

describe('what falls due', () => {
  it('is a sentence in the topic of its project', () => {
    expect(DUE_TYPES.map(type => sentence(example(type)))).toEqual([
      'Task "Agree on the scope" in "Sequoia Foods": due on 2026-03-05, in 2 days',
      'Task "Agree on the scope" in "Sequoia Foods": overdue since 2026-03-05',
      'Project "Sequoia Foods": due on 2026-03-04, in 1 day',
      'Project "Sequoia Foods": overdue since 2026-03-04',
      'Project "Project 13": unchanged since 2026-03-02, for 7 days',
    ]);
    const late = { ...example('task.due'), time: '2026-03-05T00:00:00.000Z' } as DueEvent;
    expect(sentence(late)).toBe('Task "Agree on the scope" in "Sequoia Foods": due on 2026-03-05');
    expect(chatTopics([example('task.due'), example('project.due')])).toHaveLength(1);
  });

  it('counts as one change each', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, id) => ({ ...example('task.due'), id: `${id}` }));
    expect([isFlood(many(50)), isFlood(many(51))]).toEqual([false, true]);
  });

  it('is selected by its type and by conditions on its record, by no changed field and no actor', () => {
    const event = example('task.due');
    expect(leftOutBy({ events: ['task.due'], where: [{ status: { in: ['To do'] } }] }, event)).toBe(
      undefined,
    );
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
