import type { JsonObject } from '../../basics/json.ts';
import { updateTime } from '../../changes/ignored-fields.ts';
import type { Actor } from '../../model/event.ts';
import type { ProjectContent, Snapshot, Tombstone } from '../../model/snapshot.ts';
import type { Users } from '../reading/users.ts';
import { type EntryFacts, factsOf } from './entry-facts.ts';
import type { AuditRead } from './read-audit.ts';

/** A `Date` header is cut off to whole seconds. */
const SECOND_MS = 1000;
/** With more users than this, events name none. */
const MAX_ACTORS = 50;

/** A record whose change is emitted: a task, or the project itself. */
interface ChangedRecord {
  readonly entity: 'project' | 'task';
  readonly action: 'created' | 'updated' | 'deleted';
  readonly id: string;
}

/** A change of one project that is to be committed. */
interface ProjectChange {
  readonly projectId: string;
  /** How the project was, and what is known of it if it was deleted earlier. */
  readonly snapshot: Pick<Snapshot, 'content' | 'readUntil'> | undefined;
  readonly tombstone?: Tombstone | undefined;
  /** How it is now; undefined when it is deleted. */
  readonly content: ProjectContent | undefined;
  readonly changes: readonly ChangedRecord[];
  /** Its record as it was listed, and the earliest time at which that may have been, in ms since 1970;
   *  `untimed` where only our clock is known. */
  readonly source: { readonly record: JsonObject; readonly readAt: number; readonly untimed?: boolean };
  readonly tasks: { readonly untimed?: boolean };
}

interface ActorsRead extends AuditRead {
  readonly namesByEntry: readonly ReadonlySet<string>[];
  readonly wasUntimed: boolean;
}

type ActorsOf = (record: Pick<ChangedRecord, 'entity' | 'id'>) => Actor[] | undefined;

/** Who changed what, by the new entries of the audit log. Never a guess: see docs/decisions/0115. */
export class Actors {
  /** The entries that name a project, by its id. */
  readonly #entries: ReadonlyMap<string, JsonObject[]>;
  readonly #readAt: number;
  readonly #wasUntimed: boolean;
  readonly #users: Users;

  /** `namesByEntry`: what may be identifiers in each entry; `wasUntimed`: whether the service ever sent no
   *  time, so that the time of the last sweep is unknown; `projects`: the identifiers that are projects'. */
  constructor(
    { entries, namesByEntry, readAt, wasUntimed }: ActorsRead,
    projects: ReadonlySet<string>,
    users: Users,
  ) {
    this.#entries = new Map([...projects].map(id => [id, []]));
    for (const [index, names] of namesByEntry.entries())
      for (const id of names) this.#entries.get(id)?.push(entries[index] as JsonObject);
    this.#readAt = readAt;
    this.#wasUntimed = wasUntimed;
    this.#users = users;
  }

  /** The users that each of these entries names as its actors; each is given with the tasks found in it. */
  async ofEntries(
    entries: ReadonlyMap<JsonObject, { readonly tasks: readonly { readonly id: string }[] }>,
  ): Promise<(entry: JsonObject) => Actor[]> {
    const users = new Map(
      [...entries].map(([entry, { tasks }]) => {
        const isTask = (id: string) => tasks.some(task => task.id === id);
        return [entry, this.#usersIn(factsOf(entry, this.#readAt), isTask)];
      }),
    );
    const names = await this.#namesOf([...users.values()]);
    return entry => actorsOf(knownAmong(users.get(entry) as string[][], names), names);
  }

  /** Who changed each record of a project since `seenUpTo`, up to which passes saw all its changes, in ms
   *  since 1970 (0: they never did); undefined where that is not certain, or no entry names the project. */
  async of(change: ProjectChange, seenUpTo: number): Promise<ActorsOf | undefined> {
    const { projectId, changes, snapshot, tombstone, content, source, tasks } = change;
    // Earlier entries name the actors of changes that were emitted before. For an unknown project, the last
    // sweep shows what was before; without a sweep, the project may be older than all entries.
    const known = this.#wasUntimed || seenUpTo === 0 ? undefined : { record: 0, tasks: 0 };
    const readUntil = snapshot || tombstone ? snapshot?.readUntil : known;
    const entries = this.#entries.get(projectId);
    if (!entries || !readUntil || source.untimed || tasks.untimed || changes.length === 0) return undefined;
    const isTask = (id: string) => [snapshot?.content, content].some(one => one?.tasks.has(id));
    const facts = entries
      .map(entry => factsOf(entry, this.#readAt + SECOND_MS))
      .filter(isTimed)
      .filter(({ projects, time }) => projects.has(projectId) && time.first > seenUpTo)
      .sort((one, other) => one.time.first - other.time.first)
      .map(fact => ({ ...fact, users: this.#usersIn(fact, isTask) }));
    const names = await this.#namesOf(facts.map(({ users }) => users));
    // An entry about one of its tasks names the project, too.
    const ofProject = facts.filter(
      fact =>
        !fact.isOfTask &&
        ![...fact.tasks].some(isTask) &&
        fact.time.first > readUntil.record &&
        isShown(fact.time, source),
    );
    // Tasks are read after the log: they show what it reports.
    const ofTask = factsByTask(facts.filter(({ time }) => time.first > readUntil.tasks));
    // No entry names the tasks that come and go with their project: what names one is about an earlier edit
    // of it, or a later one.
    const isWhole = changes.some(({ entity, action }) => entity === 'project' && action !== 'updated');
    return ({ entity, id }) => {
      if (entity === 'task' && isWhole) return undefined;
      const about = entity === 'task' ? ofTask.get(id) : ofProject;
      if (about === undefined || about.length === 0) return undefined;
      const ids = about.map(({ users }) => knownAmong(users, names));
      // A user who is not known had a part in it.
      if (ids.some(each => each.length === 0)) return undefined;
      const actors = actorsOf(ids.flat(), names);
      return actors.length > MAX_ACTORS ? undefined : actors;
    };
  }

  /** An id that is a project's or a task's, too, names no actor. */
  #usersIn({ users }: EntryFacts, isTask: (id: string) => boolean): string[][] {
    return users.map(group => group.filter(id => !this.#entries.has(id) && !isTask(id)));
  }

  async #namesOf(users: readonly (readonly (readonly string[])[])[]): Promise<Names> {
    const ids = users.map(groups => groups.flat());
    return ids.some(each => each.length > 0) ? this.#users.among(ids) : new Map();
  }
}

type Names = ReadonlyMap<string, string | undefined>;

/** A fact of an entry that has a time. */
interface TimedFacts extends EntryFacts {
  readonly time: NonNullable<EntryFacts['time']>;
}

function isTimed(facts: EntryFacts): facts is TimedFacts {
  return facts.time !== undefined;
}

function factsByTask(facts: readonly TimedFacts[]): Map<string, TimedFacts[]> {
  const found = new Map<string, TimedFacts[]>();
  for (const fact of facts) {
    for (const id of fact.tasks) {
      const about = found.get(id);
      if (about) about.push(fact);
      else found.set(id, [fact]);
    }
  }
  return found;
}

/** The known users of an entry; none where it names different ones under different keys: it is unknown which
 *  of them did it. */
function knownAmong(groups: readonly (readonly string[])[], names: Names): readonly string[] {
  const known = groups.map(group => group.filter(id => names.has(id))).filter(group => group.length > 0);
  const [first = [], ...others] = known;
  return others.every(group => group.join('\n') === first.join('\n')) ? first : [];
}

/** Whether a record shows what happened by this time: it was read later, or its update time is later.
 *  One that was updated in the same millisecond shows it; in the same second or minute, another edit may have
 *  followed. */
function isShown({ last }: TimedFacts['time'], { readAt, record }: ProjectChange['source']): boolean {
  const [updated = 0, tick] = [updateTime(record), tickOf(last)];
  return last + tick <= readAt || last < updated || (last === updated && tick === 1);
}

/** How precise a time is, in ms: it may be cut off to whole seconds or minutes. */
function tickOf(time: number): number {
  return [60_000, SECOND_MS].find(tick => time % tick === 0) ?? 1;
}

/** Each user once, in the order of the ids. */
function actorsOf(ids: readonly string[], names: Names): Actor[] {
  return [...new Set(ids)].map(id => {
    const name = names.get(id);
    return name === undefined ? { id } : { id, name };
  });
}
