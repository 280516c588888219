import { buildEvents } from '../../functions/changes/build-events.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import type { EndpointFilter } from '../../functions/model/filter.ts';

export const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const PROCESSES = 20;
const STATES = ['Open', 'Waiting', 'Done', 'Closed'];

/** An event: a task changed in one of 20 processes, in its status and two custom fields. Each `number`
 *  makes another one. */
export function eventOf(number: number): ChangeEvent {
  const at = Date.UTC(2026, 10, 21) + number * 1000;
  const observed = { after: at - 60_000, before: at };
  const state = (index: number) => STATES[index % STATES.length] as string;
  const custom = { kind: 'custom', type: 'text' } as const;
  const fields = [
    {
      field: 'status',
      name: 'status',
      kind: 'builtin',
      type: 'string',
      from: state(number),
      to: state(number + 1),
    },
    { ...custom, field: `c${number % 50}`, name: `Column ${number % 50}`, from: '', to: 'x' },
    { ...custom, field: 'note', name: 'Note', from: 'before', to: 'a note of some words' },
  ] as const;
  const record = { title: `Task ${number}`, status: state(number + 1), description: 'x'.repeat(500) };
  const commit = {
    workspace: 'eu',
    processId: `process-${number % PROCESSES}`,
    projectId: String(number % 1000),
    projectRecord: { name: 'Acme' },
    version: at,
    observed: { project: observed, task: observed },
  };
  const [event] = buildEvents(commit, [
    { entity: 'task', action: 'updated', id: String(number), record, fields },
  ]);
  return event as ChangeEvent;
}

/** One of several kinds of filter: none, events, processes, fields by name, values; and combinations. */
export function filterOf(number: number): EndpointFilter | undefined {
  const processes = [`process-${number % PROCESSES}`, `process-${(number + 7) % PROCESSES}`];
  const values = [{ field: 'status', to: [STATES[number % STATES.length] as string] }];
  const fields = [`Column ${number % 50}`, `c${(number + 1) % 50}`, 'Due date'];
  const filters: readonly (EndpointFilter | undefined)[] = [
    undefined,
    { events: ['task.updated', 'task.created'] },
    { events: ['project.deleted'] },
    { processes },
    { fields },
    { values },
    { processes, values },
    { events: ['task.updated'], processes, fields },
    { workspaces: ['eu', 'us'], values: [{ field: 'Note', to: ['nothing of the kind', 'a note'] }] },
    { projects: [String(number), String(number + 1)] },
  ];
  return filters[number % filters.length];
}

/** Processor time of this process, user and system, in ms. */
export function processorMs(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
