import { isEmpty } from '../../functions/basics/empty.ts';
import type { JsonObject } from '../../functions/basics/json.ts';
import { byText } from '../../functions/basics/order.ts';
import type { ChangeEvent, FieldChange, ProjectEvent, TaskEvent } from '../../functions/model/event.ts';
import { isRecordEvent, type Known, known, type Told } from '../kit/told.ts';

/** What was known before `events`, if all of them together led to `last`. */
export function takeBack(last: Told, events: readonly ChangeEvent[]): Told {
  const told = structuredClone(last);
  const place = ({ id }: ChangeEvent) => Number(id.split('.').at(-1));
  const latestFirst = [...events].sort(
    (left, right) => Number(right.sequence) - Number(left.sequence) || place(right) - place(left),
  );
  for (const event of latestFirst.filter(isRecordEvent)) takeBackOne(told, event);
  return told;
}

function takeBackOne(told: Told, event: ProjectEvent | TaskEvent): void {
  const { data } = event;
  const { id } = data.project;
  const project = told[id];
  if ('task' in data) {
    if (!project)
      throw new Error(`${event.id} (${event.type}) is about project ${id}, which is not there then`);
    replace(project.tasks, data.task.id, before(event, project.tasks[data.task.id], data.task.record));
  } else {
    const record = before(event, project?.project, data.project.record);
    replace(told, id, record && { project: record, tasks: project?.tasks ?? {} });
  }
}

function before(
  { type, data }: ProjectEvent | TaskEvent,
  after: Known | undefined,
  record: JsonObject | undefined,
): Known | undefined {
  if (type.endsWith('.created')) return undefined;
  if (type.endsWith('.deleted')) return known(record ?? {});
  return withFormer(after ?? {}, data.changes);
}

function withFormer(after: Known, changes: readonly FieldChange[]): Known {
  const fields = new Map(Object.entries(after));
  for (const { field, from } of changes) {
    if (isEmpty(from)) fields.delete(field);
    else fields.set(field, from);
  }
  return Object.fromEntries([...fields].sort(([left], [right]) => byText(left, right)));
}

function replace<Value>(all: Record<string, Value>, key: string, value: Value | undefined): void {
  if (value === undefined) delete all[key];
  else all[key] = value;
}
