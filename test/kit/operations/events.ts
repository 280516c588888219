import type { ProcessKey } from '../../../functions/basics/process.ts';
import { buildEvents } from '../../../functions/changes/build-events.ts';
import type { Actor, ChangeEvent, FieldChange } from '../../../functions/model/event.ts';
import { PROCESSES } from './context.ts';

const NOTE: FieldChange = { field: 'note', name: 'Note', kind: 'custom', type: 'text', from: '', to: 'x' };

/** The events of one commit: each about a task that was updated, or created. `actors` are by the task. */
export function eventsOf(
  version: number,
  count = 1,
  {
    process = PROCESSES[0] as ProcessKey,
    projectId = 'p.1',
    action = 'updated' as 'updated' | 'created',
    actors = {} as Readonly<Record<string, Actor[]>>,
    field = NOTE,
  } = {},
): ChangeEvent[] {
  const observed = { after: version - 1, before: version };
  const origin = { ...process, projectId, projectRecord: { name: 'Acme' }, version };
  return buildEvents(
    {
      ...origin,
      observed: { project: observed, task: observed },
      actorsOf: ({ id }) => actors[id],
    },
    Array.from({ length: count }, (_, index) => ({
      entity: 'task' as const,
      action,
      id: `t${index}`,
      record: {},
      fields: [field],
    })),
  );
}
