import type { JsonObject } from '../basics/json.ts';
import type { ProcessKey } from '../basics/process.ts';
import type { Actor, AuditEvent, FieldEvent, SourceEvent } from '../model/event.ts';
import { auditEventId, encodePart } from '../model/event-id.ts';
import { envelope } from './build-events.ts';
import type { DefinitionChange } from './compare-definitions.ts';
import { fits, shorten, VALUE_LENGTHS, withShortParts } from './fit-event.ts';

/** Reports that a process's deletions wait for an operator (design.md §5). */
export function onHoldEvent(
  origin: ProcessKey,
  hold: { version: number; at: number; missing: number; known: number },
): SourceEvent {
  const { version, at, missing, known } = hold;
  return {
    ...processEnvelope(origin, version, at),
    type: 'source.held',
    data: {
      process: { id: origin.processId },
      reason: `${missing} of ${known} projects are gone at once. Nothing was deleted; an operator must release it.`,
      missing,
      known,
    },
  };
}

/** Reports that no pass over a process was completed for too long. Times in ms since 1970, on the
 *  poller's clock. */
export function stalledEvent(
  origin: ProcessKey,
  stalled: { version: number; at: number; since: number; reason: string },
): SourceEvent {
  const { version, at, since, reason } = stalled;
  return {
    ...processEnvelope(origin, version, at),
    type: 'source.stalled',
    data: { process: { id: origin.processId }, reason, since: iso(since) },
  };
}

/** Reports that a pass was completed again, at `until`. */
export function recoveredEvent(
  origin: ProcessKey,
  recovered: { version: number; since: number; until: number },
): SourceEvent {
  const { version, since, until } = recovered;
  return {
    ...processEnvelope(origin, version, until),
    type: 'source.recovered',
    data: { process: { id: origin.processId }, since: iso(since), until: iso(until) },
  };
}

/** Reports that a project can't be read or committed; `since` on the service's clock. */
export function skippedEvent(
  origin: ProcessKey,
  skipped: {
    version: number;
    index: number;
    at: number;
    projectId: string;
    since: number;
    reason: string;
  },
): SourceEvent {
  const { version, index, at, projectId, since, reason } = skipped;
  return {
    ...processEnvelope(origin, version, at, index),
    type: 'source.skipped',
    data: { process: { id: origin.processId }, project: { id: projectId }, reason, since: iso(since) },
  };
}

function processEnvelope(origin: ProcessKey, version: number, at: number, index = 0) {
  return envelope({ ...origin, version }, index, { after: at, before: at });
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

/** The events of one announcement about fields, in order, each at most 240 KB; `at` is when the definitions were read,
 *  in ms since 1970. The same input gives the same bytes. */
export function fieldEvents(
  origin: ProcessKey,
  changes: readonly DefinitionChange[],
  { version, at }: { readonly version: number; readonly at: number },
): FieldEvent[] {
  return changes.map((change, index) => {
    const { entity, action, field } = change;
    const { externalId, name, type, options, archived = false } = field;
    return fitFieldEvent({
      ...processEnvelope(origin, version, at, index),
      type: `field.${action}`,
      subject: `${entity}-fields/${encodePart(externalId)}`,
      data: {
        process: { id: origin.processId },
        field: { entity, externalId, name, type, ...(options && { options: [...options] }), archived },
        changes: [...change.changes],
      },
    } as FieldEvent);
  });
}

/** The event itself when it fits; else without its list of choices, then with long values cut as those of records are
 *  (see fitEvent). `data.truncated` lists what was cut. */
function fitFieldEvent(event: FieldEvent): FieldEvent {
  if (fits(event)) return event;
  const slim = withoutOptions(event);
  let cut = slim;
  for (const length of VALUE_LENGTHS) {
    if (fits(cut)) return cut;
    cut = withShortChanges(slim, length);
  }
  return cut;
}

function withoutOptions(event: FieldEvent): FieldEvent {
  const { options, ...field } = event.data.field;
  const short = { ...field, name: shorten(field.name, 1_024), type: shorten(field.type, 1_024) };
  return { ...event, data: { ...event.data, field: short, truncated: ['field.options'] } };
}

function withShortChanges(event: FieldEvent, length: number): FieldEvent {
  const cut: string[] = [];
  const changes = event.data.changes.map((change, index) =>
    withShortParts(change, length, `changes[${index}]`, cut),
  );
  return { ...event, data: { ...event.data, changes, truncated: ['field.options', ...cut] } };
}

/** An entry of the audit log, and what was found in it. */
export interface ReadEntry {
  /** The entry's digest: two entries of the same content are one. */
  readonly id: string;
  readonly entry: JsonObject;
  readonly projects: readonly string[];
  readonly tasks: readonly AuditEvent['data']['tasks'][number][];
  readonly users: readonly Actor[];
}

/** The events of one announcement about audit entries, in their order, each at most 240 KB; `at` is when the
 *  entries were read, in ms since 1970. The same input gives the same bytes. */
export function auditEvents(
  origin: ProcessKey,
  entries: readonly ReadEntry[],
  { version, at }: { readonly version: number; readonly at: number },
): AuditEvent[] {
  return entries.map(({ id, entry, projects, tasks, users }) =>
    fitAuditEvent({
      ...processEnvelope(origin, version, at),
      id: auditEventId(origin.processId, id),
      type: 'audit.recorded',
      data: {
        process: { id: origin.processId },
        entry,
        projects: projects.map(project => ({ id: project })),
        tasks: [...tasks],
        users: [...users],
      },
    }),
  );
}

/** The event itself when it fits; else with the begin of its entry as a text, at last with fewer projects,
 *  tasks and users. `data.truncated` lists what was cut. */
function fitAuditEvent(event: AuditEvent): AuditEvent {
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
