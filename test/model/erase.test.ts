import { expect, it } from 'vitest';
import { auditEvents, skippedEvent } from '../../functions/changes/process-events.ts';
import { completedEvent } from '../../functions/changes/snapshot-events.ts';
import { eraseEvent, isAbout } from '../../functions/model/erase.ts';
import type { SentEvent } from '../../functions/model/event.ts';
import { AT, PROCESSES } from '../kit/operations/context.ts';
import { eventsOf } from '../kit/operations/events.ts';

const [PROCESS] = PROCESSES as [(typeof PROCESSES)[number]];
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
  [
    'a change in a process of this id in another workspace',
    change({ process: { ...PROCESS, workspace: 'us' } }),
    false,
  ],
  ['that it can’t be read', skipped('7'), true],
  ['that another can’t be read', skipped('8'), false],
  [
    'the end of a snapshot',
    completedEvent({ ...PROCESS, jobId: 'j', startedAt: AT }, { projects: 7, tasks: 7 }),
    false,
  ],
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

it('the reason for which a project was skipped is erased, too', () => {
  expect(JSON.stringify(eraseEvent(skipped('7')))).not.toContain('Zoë');
});
