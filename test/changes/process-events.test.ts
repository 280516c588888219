import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import { fits } from '../../functions/changes/fit-event.ts';
import {
  auditEvents,
  onHoldEvent,
  type ReadEntry,
  recoveredEvent,
  skippedEvent,
  stalledEvent,
} from '../../functions/changes/process-events.ts';
import type { ChangeEvent, SentEvent } from '../../functions/model/event.ts';
import { asFieldChange } from '../../functions/model/field-definition.ts';
import { ANY_CHARACTER } from '../kit/any-character.ts';
import { checkEvents } from '../kit/check-event.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const origin = { workspace: 'eu', processId: 'p' };
const envelope = {
  specversion: '1.0',
  source: '/workspaces/eu/processes/p',
  time: '2026-11-21T12:00:00.000Z',
  datacontenttype: 'application/json',
  sequence: String(AT),
};

const [since, until] = [AT - 300_000, AT];
const hours = { since: '2026-11-21T11:55:00.000Z', until: '2026-11-21T12:00:00.000Z' };
const project = { version: AT, index: 2, at: AT, projectId: 'p1', since, reason: 'too large' };
const reason = expect.stringMatching(/^30 of 60 projects are gone at once/);

it.each<[string, () => SentEvent, type: string, index: number, data: object]>([
  [
    'how many projects are gone from a process on hold',
    () => onHoldEvent(origin, { version: AT, at: AT, missing: 30, known: 60 }),
    ...(['source.held', 0, { missing: 30, known: 60, reason }] as const),
  ],
  [
    'since when no pass was completed, and why',
    () => stalledEvent(origin, { version: AT, at: AT, since, reason: 'status 500' }),
    ...(['source.stalled', 0, { reason: 'status 500', since: hours.since }] as const),
  ],
  [
    'from when until when that was so',
    () => recoveredEvent(origin, { version: AT, since, until }),
    ...(['source.recovered', 0, hours] as const),
  ],
  [
    'which project is left out, one of several',
    () => skippedEvent(origin, project),
    ...(['source.skipped', 2, { project: { id: 'p1' }, reason: 'too large', since: hours.since }] as const),
  ],
])('an event about a process itself tells %s', (_, made, type, index, data) => {
  expect(checkEvents([made() as ChangeEvent])).toEqual([
    { ...envelope, id: `p..${AT}.${index}`, type, data: { process: { id: 'p' }, ...data } },
  ]);
});

it.each([
  ['archived', 'Archived', 'boolean'],
  ['name', 'Name', 'string'],
  ['options', 'Choices', 'array'],
  ['type', 'Type', 'string'],
] as const)('the changed property %s of a definition is shown as the field %s', (field, name, type) => {
  const change = { field, from: null, to: 'x' };
  expect(asFieldChange(change)).toEqual({ ...change, name, kind: 'builtin', type });
});

const auditOrigin = { workspace: 'eu', processId: 'p/1' };
const ID = '0123456789abcdef'.repeat(2);

function eventOf(more: Partial<ReadEntry>) {
  const read = { id: ID, entry: {}, projects: [], tasks: [], users: [], ...more };
  const [event] = auditEvents(auditOrigin, [read], { version: AT + 1, at: AT });
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
        ...envelope,
        id: `p%2F1..${ID}.0`,
        source: '/workspaces/eu/processes/p%2F1',
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

  it('fits, whatever the entry holds', () => {
    const part = fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 20 });
    const textOf = (max: number) =>
      fc.tuple(part, fc.nat({ max })).map(([unit, times]) => unit.repeat(times));
    const [text, short] = [textOf(20_000), textOf(2_000)];
    fc.assert(
      fc.property(text, fc.array(short, { maxLength: 30 }), text, (value, projects, name) => {
        const tasks = projects.map(projectId => ({ id: projectId, projectId }));
        const event = eventOf({ entry: { value }, projects, tasks, users: [{ id: 'u', name }] });
        expect(fits(event)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});
