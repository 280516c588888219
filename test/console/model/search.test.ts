import { describe, expect, it } from 'vitest';
import { changeLine } from '../../../console/model/change-line.ts';
import type { Committed } from '../../../console/model/committed.ts';
import { EVERYTHING } from '../../../console/model/line-filter.ts';
import { hasNames, matching, queryOf } from '../../../console/model/search.ts';
import { taskEvent } from '../../kit/console/events.ts';

const committed = (id: string, at: number, changes: object[] = []): Committed => ({
  committedAt: new Date(at).toISOString(),
  event: {
    id,
    type: 'task.updated',
    source: '/workspaces/eu/processes/launch',
    data: { process: { id: 'launch' }, task: { id: 't', name: id }, changes },
  },
});
const due = {
  field: 'dueDate',
  name: 'dueDate',
  kind: 'builtin',
  type: 'date',
  from: null,
  to: '2026-11-26',
};

describe('a search', () => {
  it('asks the journal for words, types, a process and times', () => {
    expect(queryOf(EVERYTHING)).toEqual({});
    const times = { since: '2026-11-24T12:00:00.000Z', until: '2026-11-24T13:00:00.000Z' };
    expect(
      queryOf({
        ...{ words: ' Ann ', type: 'task.updated', field: 'due', person: 'lee' },
        ...{ process: 'eu/a/b', ...times },
      }),
    ).toEqual({
      ...{ search: 'Ann  due lee', types: ['task.updated'], workspace: 'eu', process: 'a/b', ...times },
    });
    expect(queryOf({ ...EVERYTHING, type: 'task' }).types).toEqual([
      ...['task.created', 'task.updated', 'task.deleted', 'task.due', 'task.overdue'],
    ]);
    expect(queryOf({ ...EVERYTHING, words: 'x'.repeat(900) }).search).toHaveLength(256);
  });

  it('by a field finds what changed it, by a part of the name that people see', () => {
    const is = (field: string, changes: object[]) =>
      hasNames(committed('a', 1, changes), { ...EVERYTHING, field });
    expect(['', 'due d', 'DUED', 'date'].map(field => is(field, [due]))).toEqual([true, true, true, true]);
    expect([is('status', [due]), is('due', []), is('', [])]).toEqual([false, false, true]);
  });

  it('by a person finds the changes of whoever has this part in the name', () => {
    const by = (person: string) =>
      hasNames(taskEvent({ actors: [{ id: 'u-1', name: 'Ann Lee' }, { id: 'u-2' }] }), {
        ...EVERYTHING,
        person,
      });
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
