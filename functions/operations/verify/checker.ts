import { type Change, EMPTY } from './facts.ts';

/** A value that differs from the one that the events before it, or all events, lead to. Values are texts as
 *  `meaningOf` returns them. */
export interface Mismatch {
  /** The subject of the record's events. */
  readonly record: string;
  /** Absent where it is the record itself that exists or does not. */
  readonly field?: string;
  /** What the event `after` left. */
  readonly expected: string;
  readonly found: string;
  /** The event with the expected value. */
  readonly after: string;
  /** The later event with the other `from`; absent where the snapshot has the other value. */
  readonly event?: string;
}

/** A snapshot to compare. */
interface Compared {
  /** By subject; empty for a project without a snapshot. */
  readonly records: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Why it cannot be read. */
  readonly problem?: string | undefined;
  /** Fields that events do not lead to, because they are withheld or were. */
  readonly withheld?: ReadonlySet<string>;
}

/** The last value of a field, and the event with it. A value that was cut is undefined. */
interface Last {
  readonly version: number;
  readonly event: string;
  readonly value: string | undefined;
}

/** A `from` that is not the last `to`, unless events between the two are still missing. */
interface Gap extends Mismatch {
  readonly since: number;
  readonly until: number;
}

/** In place of a field's name: whether the record exists. */
const EXISTENCE = '';
const [PRESENT, ABSENT] = ['present', 'absent'];

/** Compares the events of a process with one another and with snapshots. It holds the last value of each
 *  field that an event changed, not the events.
 *
 *  Each record's events come in the order of their versions, but for two pollers whose clocks differ: a late
 *  event closes the gap that its absence made. An event may come again. */
export class Checker {
  readonly #records = new Map<string, Map<string, Map<string, Last>>>();
  #gaps: Gap[] = [];

  /** The projects that events name, as subjects. */
  projects(): string[] {
    return [...this.#records.keys()];
  }

  /** The number of records and fields that events changed. */
  counts(): { readonly records: number; readonly fields: number } {
    let [records, fields] = [0, 0];
    for (const project of this.#records.values())
      for (const record of project.values()) {
        records += 1;
        fields += record.size - 1;
      }
    return { records, fields };
  }

  take({ event, record, version, action, fields, isCut }: Change): void {
    const known = this.#fieldsOf(record);
    const existence = known.get(EXISTENCE);
    if (existence?.event === event) return;
    // A record that is created again has nothing of the earlier one. After a cut list, any field may have changed.
    if (action !== 'updated' || isCut) this.#forget(record, known, version);
    const isLate = existence !== undefined && existence.version > version;
    const at = { record, version, event, isLate };
    const [before, after] = [
      action === 'created' ? ABSENT : PRESENT,
      action === 'deleted' ? ABSENT : PRESENT,
    ];
    this.#link(known, EXISTENCE, at, [before, after]);
    for (const [field, from, to] of fields)
      this.#link(known, field, at, [from ?? undefined, to ?? undefined]);
  }

  /** Where a `from` is not the last `to` of its field. */
  gaps(): Mismatch[] {
    return this.#gaps.map(({ since, until, ...mismatch }) => mismatch);
  }

  /** Where the snapshot of a project differs from what its events lead to. */
  compare(project: string, { records, problem, withheld = NONE }: Compared): Mismatch[] {
    const all: Mismatch[] = [];
    const isWithheld = ({ record, field }: Mismatch) =>
      projectOf(record) === project && withheld.has(field ?? '');
    if (withheld.size > 0) this.#gaps = this.#gaps.filter(gap => !isWithheld(gap));
    for (const [record, fields] of this.#records.get(project) ?? []) {
      const stored = records.get(record);
      const isThere = stored ? PRESENT : ABSENT;
      const { value, event } = fields.get(EXISTENCE) as Last;
      if (value !== isThere)
        all.push({ record, expected: String(value), found: problem ?? isThere, after: event });
      else if (stored) all.push(...differing(record, fields, stored).filter(one => !isWithheld(one)));
    }
    return all;
  }

  #fieldsOf(record: string): Map<string, Last> {
    const project = projectOf(record);
    const records = this.#records.get(project) ?? new Map<string, Map<string, Last>>();
    this.#records.set(project, records);
    const fields = records.get(record) ?? new Map<string, Last>();
    records.set(record, fields);
    return fields;
  }

  #forget(record: string, known: Map<string, Last>, version: number): void {
    for (const [field, last] of known) if (field !== EXISTENCE && last.version < version) known.delete(field);
    const isOver = (gap: Gap) => gap.record === record && gap.field !== undefined && isWithin(gap, version);
    if (this.#gaps.some(isOver)) this.#gaps = this.#gaps.filter(gap => !isOver(gap));
  }

  #link(
    known: Map<string, Last>,
    field: string,
    { record, version, event, isLate }: Pick<Change, 'record' | 'version' | 'event'> & { isLate: boolean },
    [from, to]: readonly [string | undefined, string | undefined],
  ): void {
    const last = known.get(field);
    const names = { record, ...(field !== EXISTENCE && { field }) };
    // Without a last value, a later event may have created the record again.
    if (last ? last.version < version : !isLate) {
      known.set(field, { version, event, value: to });
      if (last && differ(last.value, from))
        this.#gaps.push({
          ...{ ...names, expected: last.value as string, found: from as string },
          ...{ after: last.event, event, since: last.version, until: version },
        });
      return;
    }
    const gap = this.#gaps.find(
      each => each.record === record && each.field === names.field && isWithin(each, version),
    );
    if (!gap) return;
    this.#gaps.splice(this.#gaps.indexOf(gap), 1);
    if (differ(gap.expected, from)) this.#gaps.push({ ...gap, found: from as string, event, until: version });
    if (differ(to, gap.found))
      this.#gaps.push({ ...gap, expected: to as string, after: event, since: version });
  }
}

const NONE: ReadonlySet<string> = new Set();

/** The subject of the record's project. */
const projectOf = (record: string): string => record.split('/tasks/', 1)[0] as string;

function differing(
  record: string,
  fields: ReadonlyMap<string, Last>,
  stored: ReadonlyMap<string, string>,
): Mismatch[] {
  return [...fields].flatMap(([field, { value, event }]) => {
    const found = stored.get(field) ?? EMPTY;
    if (field === EXISTENCE || !differ(value, found)) return [];
    return [{ record, field, expected: value as string, found, after: event }];
  });
}

/** False where one of the values was cut. */
function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

function isWithin({ since, until }: Gap, version: number): boolean {
  return since < version && version < until;
}
