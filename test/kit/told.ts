import type { Json, JsonObject } from '../../functions/basics/json.ts';
import { byText } from '../../functions/basics/order.ts';
import type { ProcessKey } from '../../functions/basics/process.ts';
import { ignoredFields } from '../../functions/changes/ignored-fields.ts';
import type { ChangeEvent, ProjectEvent, TaskEvent } from '../../functions/model/event.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import type { EditApi } from '../../simulator/server.ts';

/** The fields of a record that a receiver can know: those that are not empty, without times of creation
 *  and update. */
export type Known = Record<string, Json>;
export interface ToldProject {
  project: Known;
  tasks: Record<string, Known>;
}
/** What a receiver knows of a process: projects by id. */
export type Told = Record<string, ToldProject>;

const ignored = ignoredFields([]);

/** Whether a value is empty (design.md §7). Written here once more, so that a mistake in the code does
 *  not hide itself from its tests. */
export function isEmpty(value: Json | undefined): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

/** What a receiver can know of a record. */
export function known(record: JsonObject): Known {
  const fields = Object.entries(record).filter(([name, value]) => !ignored.has(name) && !isEmpty(value));
  return Object.fromEntries(fields.sort(([left], [right]) => byText(left, right)));
}

/** What the service shows of a process now. */
export function servedState(
  edit: EditApi,
  processId: string,
  idOf = (record: JsonObject) => String(record.id),
): Told {
  return Object.fromEntries(
    edit.projects(processId).map(project => {
      const tasks = edit.tasks(processId, idOf(project)).map(task => [idOf(task), known(task)]);
      return [idOf(project), { project: known(project), tasks: Object.fromEntries(tasks) }];
    }),
  );
}

/** What the table holds of a process. */
export async function snapshotState(snapshots: Snapshots, process: ProcessKey): Promise<Told> {
  const told: Told = {};
  const heads = (await Array.fromAsync(snapshots.heads(process))).flat();
  for (const { projectId: id } of heads) {
    const content = (await snapshots.load(process, id))?.content;
    if (!content) continue;
    const tasks = Object.fromEntries([...content.tasks].map(([task, record]) => [task, known(record)]));
    told[id] = { project: known(content.record), tasks };
  }
  return told;
}

/** What a receiver knows that began with `baseline` and applied the events, in the order of `sequence`,
 *  by their changes only. Fails where an event's `from` is not what was known, or an event was applied
 *  before. */
export function applyEvents(baseline: unknown, events: readonly ChangeEvent[]): Told {
  const told = structuredClone(baseline) as Told;
  const ordered = [...events].sort(
    (left, right) => Number(left.sequence) - Number(right.sequence) || indexOf(left) - indexOf(right),
  );
  for (const event of ordered.filter(isRecordEvent)) apply(told, event);
  return told;
}

/** Whether the event is about a project or a task: no other event changes what is known of records. */
export function isRecordEvent(event: ChangeEvent): event is ProjectEvent | TaskEvent {
  return (event.type.startsWith('project.') || event.type.startsWith('task.')) && !('dueAt' in event.data);
}

/** The place of an event among those of one commit. */
function indexOf({ id }: ChangeEvent): number {
  return Number(id.split('.').at(-1));
}

/** Applies one event about a record. Fails where it does not fit what is known. */
export function apply(told: Told, event: ProjectEvent | TaskEvent): void {
  const { data, type } = event;
  const project = told[data.project.id];
  const isTask = 'task' in data;
  const id = isTask ? data.task.id : data.project.id;
  const holder = isTask ? project?.tasks : told;
  const before = isTask ? project?.tasks[id] : project?.project;
  if (!holder || type.endsWith('.created') !== (before === undefined)) {
    throw new Error(`${event.id} (${type} ${event.subject}) does not follow from what was told before`);
  }
  if (type.endsWith('.deleted')) delete holder[id];
  else {
    const after = change(before ?? {}, event);
    if (isTask) (holder as ToldProject['tasks'])[id] = after;
    else told[id] = { project: after, tasks: project?.tasks ?? {} };
  }
}

function change(before: Known, event: ProjectEvent | TaskEvent): Known {
  const after = new Map(Object.entries(before));
  for (const { field, from, to } of event.data.changes) {
    const was = after.get(field) ?? null;
    if (JSON.stringify(isEmpty(from) ? null : from) !== JSON.stringify(was)) {
      throw new Error(
        `${event.id}: ${field} is told from ${JSON.stringify(from)}, but was ${JSON.stringify(was)}`,
      );
    }
    if (isEmpty(to)) after.delete(field);
    else after.set(field, to);
  }
  return Object.fromEntries([...after].sort(([left], [right]) => byText(left, right)));
}
