import type { DynamoDBRecord } from 'aws-lambda';
import type { Actor, ChangeEvent, ProjectEvent, TaskEvent } from '../../../functions/model/event.ts';
import { projectOfRecheck, RECHECK } from '../../../functions/store/keys.ts';
import type { SimulatedBackend } from '../../../simulator/backend.ts';
import type { AuditEntry } from '../../../simulator/data/workspace.ts';
import { isRecordEvent } from '../../kit/told.ts';
import type { Coverage } from '../faults.ts';
import type { EditMade, History, RecordName } from './history.ts';
import { Violation } from './violation.ts';

/** A `Date` header is in whole seconds: of an edit within the same second nobody knows whether the reading saw it. */
const SLACK_MS = 1_000;

/** When the service tells its time: then alone an entry can be compared with a reading. */
export type Dated = 'always' | 'sometimes' | 'never';

/** Judges who is told to have made a change, by who edited the record; and counts how many changes were told with those who made
 *  them, of those where the log said it. */
export class ActorsOracle {
  readonly #history: History;
  readonly #service: SimulatedBackend;
  readonly #processId: string;
  readonly #coverage: Coverage;
  readonly #dated: Dated;
  /** The owner of each lease, by its key; and by run, the key of the lease that it took last. */
  readonly #owners = new Map<string, string | undefined>();
  readonly #leases = new Map<string, string>();
  /** By run: what the audit log showed when the run last read it. */
  readonly #logs = new Map<string, readonly AuditEntry[]>();
  /** The same, when it first read it: it may have passed over what came to the log's head since. */
  readonly #firstLogs = new Map<string, ReadonlySet<AuditEntry>>();
  /** The users that the process knows: none while their list fails. */
  #users: ReadonlySet<string> = new Set();
  /** The projects that come or go with the write that is judged. */
  #whole: ReadonlySet<string> = new Set();
  /** The projects that passes owe a look. */
  readonly #owed = new Set<string | undefined>();
  /** The projects of which the next commit is a part, and those of which the last one was: its reading is the rest's, too. */
  readonly #tooLarge = new Set<string>();
  readonly #inParts = new Set<string>();
  /** What the log showed to passes that came to their end: later ones ask only for what came behind it. */
  #passed: ReadonlySet<number> = new Set();

  constructor(
    history: History,
    service: SimulatedBackend,
    processId: string,
    coverage: Coverage,
    dated: Dated,
  ) {
    this.#history = history;
    this.#service = service;
    this.#processId = processId;
    this.#coverage = coverage;
    this.#dated = dated;
  }

  /** A run was answered with a page of the audit log. */
  readLog(run: string): void {
    const { freedoms, clock } = this.#service;
    const entries = this.#service.workspace().processes.get(this.#processId)?.audit ?? [];
    const shown = entries.filter(({ at }) => at <= clock() - freedoms.auditVisibleAfter);
    this.#logs.set(run, shown);
    if (!this.#firstLogs.has(run)) this.#firstLogs.set(run, new Set(shown));
  }

  /** The users that the process knows, from now on. */
  knowsUsers(ids: readonly string[]): void {
    this.#users = new Set(ids);
  }

  /** A commit of a project was too large: the next one is a part of it. */
  tooLarge(projectId: string): void {
    this.#tooLarge.add(projectId);
  }

  /** Told of the records of one write, of the events that it told, and which run sent it. */
  wrote(records: readonly DynamoDBRecord[], events: readonly ChangeEvent[], run: string | undefined): void {
    for (const { dynamodb } of records) {
      const sk = dynamodb?.Keys?.sk?.S ?? '';
      if (sk.startsWith(RECHECK)) this.#owed[dynamodb?.NewImage ? 'add' : 'delete'](projectOfRecheck(sk));
      if (!sk.startsWith('PASS#')) continue;
      // A run to which the log was refused leaves its place.
      const log = sk === SEEN && run !== undefined && this.#logs.get(run);
      if (log) this.#passed = new Set(log.map(({ seq }) => seq));
      const owner = dynamodb?.NewImage?.leaseOwner?.S;
      if (owner !== undefined && owner !== this.#owners.get(sk) && run !== undefined)
        this.#leases.set(run, sk);
      this.#owners.set(sk, owner);
    }
    this.#whole = new Set(
      events.flatMap(({ type, data }) =>
        (type === 'project.created' || type === 'project.deleted') && 'project' in data
          ? [data.project.id]
          : [],
      ),
    );
    const told = events.filter(isRecordEvent);
    for (const event of told) this.#tell(event, run);
    for (const id of new Set(told.map(({ data }) => data.project.id)))
      this.#inParts[this.#tooLarge.delete(id) ? 'add' : 'delete'](id);
  }

  /** Told of the items of a table that was restored, as records. */
  restored(records: readonly DynamoDBRecord[]): void {
    this.#owners.clear();
    this.wrote(records, [], undefined);
  }

  #tell(event: ProjectEvent | TaskEvent, run: string | undefined): void {
    const { id, type, subject, data } = event;
    const what = `${id} (${type} ${subject})`;
    const isOfChanges = run !== undefined && this.#leases.get(run) === 'PASS#changes';
    const name = { projectId: data.project.id, ...('task' in data && { taskId: data.task.id }) };
    const [after, before] = [Date.parse(data.observed.after), Date.parse(data.observed.before)];
    if (data.actors) {
      if (!isOfChanges) throw new Violation(2, `${what} was found by a sweep or baseline, and has actors`);
      if (this.#dated === 'never')
        throw new Violation(2, `${what} has actors, though nothing told the service's time`);
      // Where our own clock told the time for a while, the interval is not the service's.
      const interval =
        this.#dated === 'always' ? ([after - SLACK_MS, before] as const) : ([0, this.#history.now] as const);
      if (type === 'project.created' && !this.#history.wasAbsent(name, ...interval))
        throw new Violation(2, `${what} has actors, though the project was there all the time`);
      this.#checkActors(what, data.actors, this.#history.edits(name, ...interval));
    }
    if (!isOfChanges || this.#dated !== 'always') return;
    const clear = this.#count(event, name, this.#logs.get(run) ?? []);
    // Lists may show an update late, and times are cut off.
    const { updatesVisibleAfter, timestampResolution } = this.#service.freedoms;
    const until = before - SLACK_MS - updatesVisibleAfter - timestampResolution;
    const shown = clear.filter(entry => entry.at <= until && this.#firstLogs.get(run)?.has(entry));
    if (data.actors) this.#checkWhole(what, data.actors, shown);
  }

  #checkActors(what: string, actors: readonly Actor[], edits: readonly EditMade[]): void {
    const tick = this.#service.freedoms.timestampResolution;
    let since = Number.NEGATIVE_INFINITY;
    for (const { id, name } of actors) {
      const user = this.#service.workspace().users.find(candidate => candidate.id === id);
      if (!user) throw new Violation(2, `${what} names ${id}, who is no user`);
      if (name !== undefined && name !== user.name)
        throw new Violation(2, `${what} calls ${id} ${name}, who is ${user.name}`);
      if (actors.filter(other => other.id === id).length > 1)
        throw new Violation(2, `${what} names ${id} twice`);
      const own = edits.filter(({ by }) => by.includes(id)).map(({ at }) => Math.floor(at / tick));
      if (own.length === 0)
        throw new Violation(
          2,
          `${what} names ${id}, who did not edit it: ${JSON.stringify({ actors, edits })}`,
        );
      // Of several edits it is open which ones the log tells, but for some the order must be right.
      const next = own.find(at => at >= since);
      if (next === undefined)
        throw new Violation(
          2,
          `${what} names its actors in another order than they edited it: ${JSON.stringify({ actors, edits })}`,
        );
      since = next;
    }
  }

  /** The entries that say who changed this record in this time. */
  #entriesAbout(name: RecordName, log: readonly AuditEntry[], after: number, before: number) {
    const { freedoms } = this.#service;
    if (!freedoms.auditTimestamps) return [];
    return log.filter(entry => entry.at > after && entry.at <= before && isAbout(entry, name));
  }

  /** Checks that actors are told whole: with all whom these entries name that no earlier pass has read, and not at all where one of
   *  them names no user. */
  #checkWhole(what: string, actors: readonly Actor[], entries: readonly AuditEntry[]): void {
    const told = actors.map(({ id }) => id);
    const parts = entries.filter(({ seq }) => !this.#passed.has(seq)).map(({ user }) => [user].flat());
    const leftOut = parts.flat().find(id => this.#users.has(id) && !told.includes(id));
    if (leftOut !== undefined)
      throw new Violation(2, `${what} names ${told} alone, but ${leftOut} had a part in it`);
    const unknown = parts.find(ids => !ids.some(id => this.#users.has(id) || this.#isUser(id)));
    if (unknown)
      throw new Violation(2, `${what} names ${told}, but ${unknown}, whom no list has, had a part`);
  }

  #isUser(id: string): boolean {
    return this.#service.workspace().users.some(user => user.id === id);
  }

  #count(
    event: ProjectEvent | TaskEvent,
    name: RecordName,
    log: readonly AuditEntry[],
  ): readonly AuditEntry[] {
    const { actors, observed } = event.data;
    const [after, before] = [Date.parse(observed.after), Date.parse(observed.before)];
    const about = this.#entriesAbout(name, log, after, before);
    const isClear = ({ at }: AuditEntry) => at > after + SLACK_MS && at <= before - SLACK_MS;
    const known = about.filter(({ user }) => [user].flat().some(id => this.#isUser(id)));
    if (known.length === 0) return [];
    const isAnyUnknown = known.length < about.length;
    const reason = () => this.#reasonFor(known.filter(isClear), name, isAnyUnknown);
    this.#coverage.add('actors', actors ? 'told' : reason());
    if (actors && actors.length > 1) this.#coverage.add('actors', 'several told');
    return about.filter(isClear);
  }

  /** Why no actors are told, though the log has these entries. */
  #reasonFor(entries: readonly AuditEntry[], name: RecordName, isAnyUnknown: boolean): string {
    if (entries.length === 0) return 'too close to tell';
    if (!entries.every(({ user }) => [user].flat().some(id => this.#users.has(id)))) return 'users unread';
    if (entries.every(({ seq }) => this.#passed.has(seq))) return 'read by an earlier pass';
    if (this.#owed.has(name.projectId)) return 'owed a look before';
    if (this.#inParts.has(name.projectId)) return 'behind a part of its project';
    if (isAnyUnknown) return 'somebody unknown had a part';
    return this.#isWithProject(name) ? 'with its project' : 'left out';
  }

  #isWithProject({ projectId, taskId }: RecordName): boolean {
    return taskId !== undefined && this.#whole.has(projectId);
  }
}

/** The row of what `changes` passes have seen. */
const SEEN = 'PASS#changes#SEEN';

/** Whether an entry names the record itself. What becomes of the tasks of a project that is deleted, no entry names. */
function isAbout({ entity, details }: AuditEntry, { projectId, taskId }: RecordName): boolean {
  const { projectId: id, fromProjectId } = (details.context ?? {}) as Record<string, unknown>;
  if (id !== projectId && fromProjectId !== projectId) return false;
  return taskId === undefined ? entity.type === 'project' : entity.type === 'task' && entity.id === taskId;
}
