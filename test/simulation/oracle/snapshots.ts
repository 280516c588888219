import type { JsonObject } from '../../../functions/basics/json.ts';
import type { EndpointSettings } from '../../../functions/model/endpoint.ts';
import type { ChangeEvent, SentEvent, SnapshotEvent } from '../../../functions/model/event.ts';
import { wantsRecord } from '../../../functions/model/filter.ts';
import { isRecordEvent, type Known, known, type Told } from '../../kit/told.ts';
import type { Coverage } from '../faults.ts';
import { WORKSPACE } from '../shared.ts';
import { Violation } from './violation.ts';
import type { WatchedProcess } from './watched-process.ts';

type Watched = Pick<WatchedProcess, 'id' | 'commits'>;

/** A snapshot that an operator requested, for one process. */
interface Promised {
  readonly receiver: string;
  readonly id: string;
  readonly process: Watched;
  /** The events that were committed before. */
  readonly before: ReadonlySet<string>;
  /** The kinds of records that the receiver wants. */
  readonly kinds: readonly Kind[];
  readonly events: Map<string, SnapshotEvent>;
}

/** Checks that a receiver that begins with nothing when a snapshot is requested, and gets it and all later events, has
 *  in the end what the table holds. */
export class SnapshotsOracle {
  readonly #processes: readonly Watched[];
  readonly #coverage: Coverage;
  readonly #bodies = new Map<string, string>();
  /** Requested before a table was restored: one that was under way then counts the records of the restored table. */
  readonly #recounted = new Set<string>();
  readonly #requested: string[] = [];
  #promised: Promised[] = [];

  constructor(processes: readonly Watched[], coverage: Coverage) {
    this.#processes = processes;
    this.#coverage = coverage;
  }

  /** The processes whose baseline has ended. */
  get baselined(): readonly string[] {
    return this.#processes.flatMap(({ id, commits }) => (commits.told ? [id] : []));
  }

  promise({ name: receiver, filter = {} }: EndpointSettings, id: string, processes: readonly string[]): void {
    this.#requested.push(id);
    const at = { workspace: WORKSPACE, project: '' };
    for (const process of this.#processes.filter(each => processes.includes(each.id))) {
      const before = new Set(process.commits.events.map(event => event.id));
      const kinds = (['project', 'task'] as const).filter(kind =>
        wantsRecord(filter, { ...at, kind, processId: process.id }),
      );
      this.#promised.push({ receiver, id, process, before, kinds, events: new Map() });
    }
  }

  /** @param receiver one that was removed; otherwise the table was restored */
  forget(receiver?: string): void {
    if (receiver === undefined) for (const id of this.#requested) this.#recounted.add(id);
    this.#promised = this.#promised.filter(each => receiver !== undefined && each.receiver !== receiver);
  }

  got(receiver: string, event: SnapshotEvent, body: string): void {
    const isRecounted = event.type === 'snapshot.completed' && this.#recounted.has(event.data.snapshot.id);
    if (!isRecounted && (this.#bodies.get(event.id) ?? body) !== body)
      throw new Violation(3, `${receiver} got ${event.id} with two contents`);
    this.#bodies.set(event.id, body);
    if (event.type === 'snapshot.completed') this.#coverage.add('operator', 'snapshot ended');
    const { snapshot, process } = event.data;
    this.#promised
      .find(each => each.receiver === receiver && each.id === snapshot.id && each.process.id === process.id)
      ?.events.set(event.id, event);
  }

  /** To be asked when nothing is on its way any more, for receivers that are still there. */
  check(receivers: ReadonlySet<string>): void {
    for (const promised of this.#promised.filter(each => receivers.has(each.receiver))) {
      const { receiver, id, process, before, kinds } = promised;
      const events = [...promised.events.values()];
      const end = events.find(event => event.type === 'snapshot.completed');
      const what = `the snapshot ${id} of ${process.id} for ${receiver}`;
      if (!end) throw new Violation(11, `${what} did not end`);
      const { projects, tasks } = end.data;
      const named = new Set(
        events.flatMap(({ subject, type }) => (type.startsWith('snapshot.') ? [] : [subject])),
      );
      if (named.size < projects + tasks) throw new Violation(11, `${what} lacks records that it counts`);
      const later = process.commits.events.filter(event => !before.has(event.id) && isRecordEvent(event));
      const left = stateOf([...events, ...later], kinds);
      const right = recordsOf(process.commits.told ?? {}, kinds);
      if (left !== right) throw new Violation(4, `${what} leads to\n  ${left}, told\n  ${right}`);
    }
  }
}

type Kind = 'project' | 'task';

/** The records that a receiver has that got these events, in any order. */
function stateOf(events: readonly (ChangeEvent | SnapshotEvent)[], kinds: readonly Kind[]): string {
  const latest = new Map<string, ChangeEvent | SnapshotEvent>();
  for (const event of events) {
    const before = latest.get(event.subject ?? '');
    if (!before || Number(before.sequence) < Number(event.sequence)) latest.set(event.subject ?? '', event);
  }
  const records = [...latest.values()].flatMap(({ type, data }): [string, Known][] => {
    if (!kinds.some(kind => type.startsWith(`${kind}.`)) || type.endsWith('.deleted')) return [];
    const { project, task } = data as Extract<SentEvent, { type: 'task.snapshot' }>['data'];
    const { record = {} } = task ?? (project as FullRecord);
    return [[keyOf(project.id, task?.id), known(record)]];
  });
  return inOrder(records);
}

interface FullRecord {
  readonly record?: JsonObject;
}

/** The same of what was told. */
function recordsOf(told: Told, kinds: readonly Kind[]): string {
  const records = Object.entries(told).flatMap(([id, { project, tasks }]): [string, Known][] => [
    ...(kinds.includes('project') ? [[keyOf(id), project] as [string, Known]] : []),
    ...(kinds.includes('task') ? Object.entries(tasks) : []).map(([task, record]): [string, Known] => [
      keyOf(id, task),
      record,
    ]),
  ]);
  return inOrder(records);
}

const keyOf = (...ids: (string | undefined)[]) => JSON.stringify(ids.filter(id => id !== undefined));
const inOrder = (records: readonly (readonly [string, Known])[]) =>
  records
    .map(record => JSON.stringify(record))
    .toSorted()
    .join('\n  ');
