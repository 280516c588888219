import { type EntryFacts, factsOf } from '../audit/entry-facts.ts';
import type { JsonObject } from '../basics/json.ts';
import type { ProjectContent } from '../changes/compare-project.ts';
import type { Actor } from '../changes/event.ts';
import { updateTime } from '../changes/ignored-fields.ts';
import type { Snapshot, Tombstone } from '../snapshots/snapshots.ts';
import type { AuditRead } from './audit-read.ts';
import type { Users } from './users.ts';

/** A `Date` header is cut off to whole seconds. */
const SECOND_MS = 1000;
/** More users than this are no answer to the question who did it. */
const MOST_ACTORS = 50;

/** A record whose change is told: a task, or the project itself. */
export interface ChangedRecord {
  readonly entity: 'project' | 'task';
  readonly id: string;
}

/** A change of one project that is to be committed. */
export interface ProjectChange {
  readonly projectId: string;
  /** How the project was, and what is known of it if it was deleted earlier. */
  readonly snapshot: Pick<Snapshot, 'content' | 'readUntil'> | undefined;
  readonly tombstone?: Tombstone | undefined;
  /** How it is now; undefined when it is deleted. */
  readonly content: ProjectContent | undefined;
  readonly changes: readonly ChangedRecord[];
  /** Its record as it was listed, and the earliest time at which that may have been, in ms since 1970; `untimed` where only our clock tells. */
  readonly source: { readonly record: JsonObject; readonly readAt: number; readonly untimed?: boolean };
  readonly tasks: { readonly untimed?: boolean };
}

type ActorsOf = (record: ChangedRecord) => Actor[] | undefined;

/** Who changed what, by the new entries of the audit log. Never a guess: see docs/decisions/0115-who-made-a-change.md. */
export class Actors {
  /** The entries that name a project, by its id. */
  readonly #entries: ReadonlyMap<string, JsonObject[]>;
  readonly #readAt: number;
  readonly #users: Users;

  /** `namesByEntry`: what may be identifiers in each entry; `projects`: those that are projects'. */
  constructor(
    { entries, namesByEntry, readAt }: AuditRead & { readonly namesByEntry: readonly ReadonlySet<string>[] },
    projects: ReadonlySet<string>,
    users: Users,
  ) {
    this.#entries = new Map([...projects].map(id => [id, []]));
    for (const [index, names] of namesByEntry.entries())
      for (const id of names) this.#entries.get(id)?.push(entries[index] as JsonObject);
    this.#readAt = readAt;
    this.#users = users;
  }

  /** Tells of each of these entries which users it names as those who acted. */
  async ofEntries(entries: readonly JsonObject[]): Promise<(entry: JsonObject) => Actor[]> {
    const ids = new Map(entries.map(entry => [entry, this.#usersIn(factsOf(entry, this.#readAt))]));
    if ([...ids.values()].every(users => users.length === 0)) return () => [];
    const names = await this.#users.among([...ids.values()]);
    return entry => actorsAmong(ids.get(entry) ?? [], names);
  }

  /** Who changed each record of a project since `seenUpTo`, up to which passes saw all its changes, in ms since 1970; undefined where that
   *  is not certain. */
  async of(change: ProjectChange, seenUpTo: number): Promise<ActorsOf | undefined> {
    const { projectId, changes, snapshot, tombstone, content, source, tasks } = change;
    // Entries of before tell who made changes that were told before.
    const readUntil = snapshot || tombstone ? snapshot?.readUntil : { record: 0, tasks: 0 };
    if (readUntil === undefined || source.untimed || tasks.untimed || changes.length === 0) return undefined;
    const isTask = (id: string) => [snapshot?.content, content].some(one => one?.tasks.has(id));
    const facts = (this.#entries.get(projectId) ?? [])
      .map(entry => factsOf(entry, this.#readAt + SECOND_MS))
      .filter(({ time }) => time && time.first > seenUpTo)
      .sort((one, other) => (one.time?.first ?? 0) - (other.time?.first ?? 0));
    const users = facts.map(fact => this.#usersIn(fact).filter(id => !isTask(id)));
    if (users.every(ids => ids.length === 0)) return undefined;
    const names = await this.#users.among(users);
    return record => {
      const isAbout =
        record.entity === 'task'
          ? isAboutTask(record, readUntil.tasks)
          : isAboutProject(change, readUntil.record, isTask);
      const ids = facts.flatMap((fact, index) => (isAbout(fact) ? (users[index] ?? []) : []));
      const actors = actorsAmong(ids, names);
      return actors.length === 0 ? undefined : actors;
    };
  }

  /** An id that is a project's, too, tells nobody. */
  #usersIn({ users }: EntryFacts): string[] {
    return users.filter(id => !this.#entries.has(id));
  }
}

type IsAbout = (facts: EntryFacts) => boolean;

/** Tasks are read behind the log: what it tells, they show. */
const isAboutTask =
  ({ id }: ChangedRecord, since: number): IsAbout =>
  ({ records, time }) =>
    records.has(id) && isLater(time, since);

/** An entry about one of its tasks names the project, too. The listing was read before the log: what happened in between is not in it. */
const isAboutProject =
  ({ projectId, source }: ProjectChange, since: number, isTask: (id: string) => boolean): IsAbout =>
  ({ records, time, isOfTask }) =>
    records.has(projectId) &&
    isLater(time, since) &&
    isShown(time, source) &&
    !isOfTask &&
    ![...records].some(isTask);

function isLater(time: EntryFacts['time'], since: number): boolean {
  return time !== undefined && time.first > since;
}

/** Whether a record shows what happened by this time: it was read later, or says that it was updated later. One that was updated in the
 *  same millisecond shows it; in the same second or minute, another edit may have followed. */
function isShown(time: EntryFacts['time'], { readAt, record }: ProjectChange['source']): boolean {
  if (time === undefined) return false;
  const [updated = 0, tick] = [updateTime(record), tickOf(time.last)];
  return time.last + tick <= readAt || time.last < updated || (time.last === updated && tick === 1);
}

/** How precise a time is, in ms: it may be cut off to whole seconds or minutes. */
function tickOf(time: number): number {
  return [60_000, SECOND_MS].find(tick => time % tick === 0) ?? 1;
}

/** Each user once, in the order of the ids. */
function actorsAmong(ids: readonly string[], names: ReadonlyMap<string, string | undefined>): Actor[] {
  const known = [...new Set(ids)].filter(id => names.has(id)).slice(0, MOST_ACTORS);
  return known.map(id => {
    const name = names.get(id);
    return name === undefined ? { id } : { id, name };
  });
}
