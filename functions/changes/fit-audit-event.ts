import type { AuditEvent } from '../model/event.ts';
import { fits, shorten, VALUE_LENGTHS } from './fit-event.ts';

/** The event itself when it fits; else with the begin of its entry as a text, at last with fewer projects, tasks and users.
 *  `data.truncated` says what was cut. */
export function fitAuditEvent(event: AuditEvent): AuditEvent {
  if (fits(event)) return event;
  const text = JSON.stringify(event.data.entry);
  const withEntry = (length: number): AuditEvent => ({
    ...event,
    data: { ...event.data, entry: shorten(text, length), truncated: ['entry'] },
  });
  const short = VALUE_LENGTHS.map(withEntry);
  return short.find(fits) ?? withFewerNames(short.at(-1) as AuditEvent);
}

function withFewerNames(event: AuditEvent): AuditEvent {
  const { projects, tasks, users } = event.data;
  let fewer = event;
  for (let count = Math.max(projects.length, tasks.length, users.length); !fits(fewer) && count > 0; ) {
    count = Math.floor(count / 2);
    const data = {
      projects: projects.slice(0, count),
      tasks: tasks.slice(0, count),
      users: users.slice(0, count),
      truncated: ['entry', 'projects', 'tasks', 'users'],
    };
    fewer = { ...event, data: { ...event.data, ...data } };
  }
  return fewer;
}
