import { describe, expect, it } from 'vitest';
import { changeLine } from '../../../console/model/change-line.ts';
import { EVERYTHING } from '../../../console/model/line-filter.ts';
import { hasNames, matching, queryOf } from '../../../console/model/search.ts';
import { fieldChange, taskEvent } from '../../kit/console/events.ts';

const committed = (id: string, at: number, changes: object[] = []) =>
  taskEvent({
    ...{ id, at: new Date(at).toISOString(), process: 'launch', task: { id: 't', name: id }, changes },
  });
const due = fieldChange('dueDate', null, '2026-11-26', { type: 'date' });

describe('a search', () => {
  it('asks the journal for words, types, a process and times', () => {
    expect(queryOf(EVERYTHING)).toEqual({});
    const times = { since: '2026-11-24T12:00:00.000Z', until: '2026-11-24T13:00:00.000Z' };
    const filter = { words: ' Ann ', type: 'task.updated', field: 'due', person: 'lee', process: 'eu/a/b' };
    const query = { search: 'Ann  due lee', types: ['task.updated'], workspace: 'eu', process: 'a/b' };
    expect(queryOf({ ...filter, ...times })).toEqual({ ...query, ...times });
    const ofTasks = ['task.created', 'task.updated', 'task.deleted', 'task.due', 'task.overdue'];
    expect(queryOf({ ...EVERYTHING, type: 'task' }).types).toEqual(ofTasks);
    const cut = { field: 'Contract value bef…', person: 'Maximili…' };
    expect(queryOf({ ...EVERYTHING, ...cut }).search).toBe('Contract value bef Maximili');
    expect(queryOf({ ...EVERYTHING, words: 'x'.repeat(900) }).search).toHaveLength(256);
  });

  it('by a field finds what changed it, by a part of the name that people see', () => {
    const is = (field: string, changes: object[]) =>
      hasNames(committed('a', 1, changes), { ...EVERYTHING, field });
    expect(['', 'due d', 'DUED', 'date'].map(field => is(field, [due]))).toEqual([true, true, true, true]);
    expect([is('status', [due]), is('due', []), is('', [])]).toEqual([false, false, true]);
  });

  it('by a person finds the changes of whoever has this part in the name', () => {
    const event = taskEvent({ actors: [{ id: 'u-1', name: 'Ann Lee' }, { id: 'u-2' }] });
    const by = (person: string) => hasNames(event, { ...EVERYTHING, person });
    expect(['', 'n l', ' ANN', 'u-2', 'u-1'].map(by)).toEqual([true, true, true, true, false]);
  });

  it('shows what is found beside what is live, each once, the newest first', () => {
    const lines = ['a', 'b', 'c', 'd'].map((id, index) => changeLine(committed(id, 1_000 * index)));
    const [a, b, c, d] = lines as [never, never, never, never];
    const filter = { ...EVERYTHING, words: 'launch' };
    expect(matching([d, b], [c, b, a], filter)).toEqual([d, c, b, a]);
    expect(matching([d, b], [a], { ...filter, words: 'none' })).toEqual([a]);
  });
});
