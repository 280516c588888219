import { expect, it } from 'vitest';
import { auditEvents, skippedEvent } from '../../functions/changes/process-events.ts';
import { completedEvent } from '../../functions/changes/snapshot-events.ts';
import { eraseEvent, isAbout } from '../../functions/model/erase.ts';
import type { AuditEvent, ChangeEvent, SentEvent, TaskEvent } from '../../functions/model/event.ts';
import { AT, PROCESSES } from '../kit/operations/context.ts';
import { eventsOf } from '../kit/operations/events.ts';

const [PROCESS] = PROCESSES as [(typeof PROCESSES)[number]];
const COUNTS = { projects: 7, tasks: 7 };
const KEY = { ...PROCESS, projectId: '7' };

const audit = (entry: unknown, more: object = {}, truncated?: string[]): SentEvent => {
  const read = { id: 'a', entry, projects: [], tasks: [], users: [], ...more };
  const [event] = auditEvents(PROCESS, [read as never], { version: AT, at: AT });
  return { ...event, data: { ...event?.data, ...(truncated && { truncated }) } } as SentEvent;
};
const change = (more: object = {}) => eventsOf(AT, 1, { projectId: '7', ...more })[0] as SentEvent;
const skipped = (projectId: string) =>
  skippedEvent(PROCESS, { ...{ version: AT, index: 0, at: AT, since: 0 }, projectId, reason: 'no "Zoë"' });

it.each<[string, SentEvent, boolean]>([
  ['a change of its task', change(), true],
  ['a change of another project', change({ projectId: '71' }), false],
  ['a change in another workspace', change({ process: { ...PROCESS, workspace: 'us' } }), false],
  ['that it can’t be read', skipped('7'), true],
  ['that another can’t be read', skipped('8'), false],
  ['the end of a snapshot', completedEvent({ ...PROCESS, jobId: 'j', startedAt: AT }, COUNTS), false],
  ['an entry that lists it', audit({}, { projects: ['7'] }), true],
  ['an entry that lists another', audit({}, { projects: ['8'] }), false],
  ['an entry that lists a task of it', audit({}, { tasks: [{ id: 't', projectId: '7' }] }), true],
  ['an entry with its id as a number', audit({ projectId: 7 }), true],
  ['an entry with its id in a path', audit({ path: '/projects/7?x' }), true],
  ['an entry with its id in a longer text', audit({ text: '7 of 77' }), false],
  ['an entry whose lists were cut', audit('{"a":', {}, ['entry', 'projects', 'tasks', 'users']), true],
  ['an entry that was cut', audit('{"a":', {}, ['entry']), false],
])('whether an event is about a project: %s', (_, event, expected) => {
  expect(isAbout(event, KEY)).toBe(expected);
});

it.each([
  [{ path: '/projects/a%2Fb%20%22c%22/tasks' }, true],
  [{ projectId: 'a/b "c"' }, true],
  [{ path: '/projects/a%2Fb%20%22c%/tasks' }, false],
])('finds an id that needs encoding in the entry %j: %s', (entry, expected) => {
  expect(isAbout(audit(entry), { ...KEY, projectId: 'a/b "c"' })).toBe(expected);
});

it('erased, an event has which record changed when, and nothing else of its contents', () => {
  const dataOf = (event: SentEvent): object => eraseEvent(event as ChangeEvent).data;
  const process = { id: PROCESS.processId };
  const entry = audit({ note: 'Zoë' }, { projects: ['7'], users: [{ id: 'u', name: 'Zoë' }] }) as AuditEvent;
  const { projects, tasks } = entry.data;
  const rest = { entry: null, users: [], truncated: ['entry', 'users'] };
  expect(dataOf(entry)).toStrictEqual({ process, projects, tasks, ...rest });
  const { observed } = (change() as TaskEvent).data;
  const left = { task: { id: 't0' }, changes: [], truncated: ['record', 'changes'] };
  expect(dataOf(change())).toStrictEqual({ process, project: { id: '7' }, observed, ...left });
  const skip = { process, project: { id: '7' }, since: '1970-01-01T00:00:00.000Z', reason: 'erased' };
  expect(dataOf(skipped('7'))).toStrictEqual(skip);
});
