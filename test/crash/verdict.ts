import assert from 'node:assert/strict';
import { isEmpty } from '../../functions/basics/empty.ts';
import type { JsonObject } from '../../functions/basics/json.ts';
import { byText } from '../../functions/basics/order.ts';
import type { ChangeEvent, FieldChange, ProjectEvent, TaskEvent } from '../../functions/model/event.ts';
import { checkEvents } from '../kit/check-event.ts';
import { applyEvents, isRecordEvent, type Known, known, type Told } from '../kit/told.ts';
import type { Watched } from './chronicle.ts';
import type { Contents, Received } from './receivers.ts';

const MAX_SHOWN = 20;
const MAX_LENGTH = 2000;

/** Everything that is wrong with what was told, in words; empty when all is well. */
export function verdict(parts: {
  readonly watched: readonly Watched[];
  readonly contents: readonly Contents[];
  readonly receivers: readonly Received[];
  /** Every event that was committed. */
  readonly committed: readonly ChangeEvent[];
}): string[] {
  const { watched, contents, receivers, committed } = parts;
  const events = contents.flatMap(each => each.events);
  return shortened([
    ...contents.flatMap(({ conflicts }) => conflicts),
    ...events.flatMap(event => thrownBy(() => checkEvents([event]))),
    ...watched.flatMap(({ id, chronicle }) => eventsOf(events, id).flatMap(event => chronicle.lies(event))),
    ...receivers.flatMap(received => comparedToJournal(received, committed)),
    ...receivers.flatMap(received => watched.flatMap(process => comparedToService(received, process))),
  ]);
}

function comparedToJournal(received: Received, committed: readonly ChangeEvent[]): string[] {
  const known = new Map(committed.map(event => [event.id, event]));
  const lost = committed.filter(({ id }) => !received.has(id));
  const invented = received.events.filter(({ id }) => !known.has(id));
  const altered = received.events.flatMap(event =>
    known.has(event.id) ? thrownBy(() => assert.deepEqual(event, known.get(event.id))) : [],
  );
  return [
    ...lost.map(event => `${received.name} never got ${inShort(event)}, which was committed`),
    ...invented.map(event => `${received.name} got ${inShort(event)}, which was never committed`),
    ...altered.map(text => `${received.name} got something else than what was committed: ${text}`),
  ];
}

/** Its baseline and the events, in the order of their sequence, must give what the service shows. */
function comparedToService(received: Received, process: Watched): string[] {
  const events = eventsOf(received.events, process.id);
  const problems = thrownBy(() => {
    const { state, chronicle } = process.baseline;
    // What a restless process was when its baseline was made is nowhere: it is what the events began with.
    const baseline = process.restless ? takeBack(process.served(), events) : state;
    const invented = process.restless ? chronicle.inventions(baseline) : [];
    assert.deepEqual(invented, []);
    assert.deepEqual(applyEvents(baseline, events), process.served());
  });
  return problems.map(text => `${received.name} is told another state of ${process.id}: ${text}`);
}

function eventsOf(events: readonly ChangeEvent[], processId: string): ChangeEvent[] {
  return events.filter(({ data }) => data.process.id === processId);
}

function inShort({ id, type, subject = '' }: ChangeEvent): string {
  return `${id} (${type} ${subject})`;
}

function thrownBy(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function shortened(problems: readonly string[]): string[] {
  const rest = problems.length - MAX_SHOWN;
  const shown = problems.slice(0, MAX_SHOWN).map(text => text.slice(0, MAX_LENGTH));
  return [...shown, ...(rest > 0 ? [`… and ${rest} more`] : [])];
}

/** What was known before `events`, if all of them together led to `last`. */
function takeBack(last: Told, events: readonly ChangeEvent[]): Told {
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
