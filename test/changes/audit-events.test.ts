import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import { auditEvents, type ReadEntry } from '../../functions/changes/audit-events.ts';
import { fits } from '../../functions/changes/fit-event.ts';
import { checkEvents } from '../kit/check-event.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const origin = { workspace: 'eu', processId: 'p/1' };
const ID = '0123456789abcdef'.repeat(2);

function eventOf(more: Partial<ReadEntry>) {
  const read = { id: ID, entry: {}, projects: [], tasks: [], users: [], ...more };
  const [event] = auditEvents(origin, [read], { version: AT + 1, at: AT });
  if (!event) throw new Error('no event');
  return event;
}

describe('the event of an audit entry', () => {
  it('has the entry as it came, what was found in it, and an id by its content', () => {
    const entry: JsonObject = { what: 'moved', of: ['1', { to: null }] };
    const users = [{ id: 'u1', name: 'Eva' }, { id: 'u2' }];
    const tasks = [{ id: '7', projectId: '2' }];
    expect(checkEvents([eventOf({ entry, projects: ['1', '2'], tasks, users })])).toEqual([
      {
        specversion: '1.0',
        id: `p%2F1..${ID}.0`,
        source: '/workspaces/eu/processes/p%2F1',
        time: '2026-11-21T12:00:00.000Z',
        datacontenttype: 'application/json',
        sequence: String(AT + 1),
        type: 'audit.recorded',
        data: { process: { id: 'p/1' }, entry, projects: [{ id: '1' }, { id: '2' }], tasks, users },
      },
    ]);
  });

  it('has the begin of an entry that is too long, as a text', () => {
    const entry = { text: 'x'.repeat(300_000) };
    const { data } = eventOf({ entry, projects: ['1'] });
    expect(data).toMatchObject({ truncated: ['entry'], projects: [{ id: '1' }] });
    expect(data.entry).toBe(`${JSON.stringify(entry).slice(0, 8_192)}…`);
  });

  it('names only some of more projects, tasks and users than there is room for', () => {
    const projects = Array.from({ length: 20_000 }, (_, index) => `project ${index}`);
    const { data } = eventOf({
      projects,
      tasks: [{ id: 't1', projectId: 'project 0' }],
      users: [{ id: 'u1' }],
    });
    expect(data.truncated).toEqual(['entry', 'projects', 'tasks', 'users']);
    expect(data.tasks).toEqual([{ id: 't1', projectId: 'project 0' }]);
    expect(data.users).toEqual([{ id: 'u1' }]);
    expect(data.projects.length).toBeGreaterThan(2_000);
    expect(data.projects[0]).toEqual({ id: 'project 0' });
  });

  it('names nobody where there is no room for any name', () => {
    const processId = 'p'.repeat(250_000);
    const read = { id: ID, entry: {}, projects: ['1'], tasks: [], users: [{ id: 'u1' }] };
    const [event] = auditEvents({ ...origin, processId }, [read], { version: AT, at: AT });
    expect(event?.data).toMatchObject({
      projects: [],
      users: [],
      truncated: ['entry', 'projects', 'tasks', 'users'],
    });
  });

  it('names only the first of very many tasks of one project', () => {
    const tasks = Array.from({ length: 20_000 }, (_, index) => ({ id: `task ${index}`, projectId: '1' }));
    const { data } = eventOf({ projects: ['1'], tasks });
    expect(data.truncated).toEqual(['entry', 'projects', 'tasks', 'users']);
    expect(data.projects).toEqual([{ id: '1' }]);
    expect(data.tasks.length).toBeGreaterThan(2_000);
    expect(data.tasks).toEqual(tasks.slice(0, data.tasks.length));
  });

  it('fits, whatever the entry holds', () => {
    const long = fc.tuple(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
      fc.nat({ max: 20_000 }),
    );
    const text = long.map(([part, times]) => part.repeat(times));
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 30 }), text, (value, projects, name) => {
        const tasks = projects.map(projectId => ({ id: value, projectId }));
        const event = eventOf({ entry: { value }, projects, tasks, users: [{ id: 'u', name }] });
        expect(fits(event)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
