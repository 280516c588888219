import type { DynamoDBRecord } from 'aws-lambda';
import { isJsonObject } from '../../../functions/basics/json.ts';
import { jsonEqual } from '../../../functions/changes/equal.ts';
import type { AuditEvent, ChangeEvent } from '../../../functions/model/event.ts';
import type { AuditPosition } from '../../../functions/model/process-state.ts';
import { decode } from '../../../functions/store/codec.ts';
import { PROJECT_PREFIX } from '../../../functions/store/keys.ts';
import type { SimulatedBackend } from '../../../simulator/backend.ts';
import { auditRecord } from '../../../simulator/data/audit-record.ts';
import type { AuditEntry } from '../../../simulator/data/workspace.ts';
import type { Told } from '../../kit/told.ts';
import type { Coverage } from '../faults.ts';
import { Violation } from './violation.ts';

interface Watched {
  readonly service: SimulatedBackend;
  readonly processId: string;
  /** Whether entries are to be told. */
  readonly isTold: boolean;
  /** What the table holds. */
  readonly snapshots: Told;
}

/** How long before the first reading an entry may have been written, and be told (docs/decisions/0114). */
const LATE_MS = 10 * 60_000;
/** A `Date` header is in whole seconds. */
const SLACK_MS = 1_000;

/** The row of what `changes` passes have seen. */
const SEEN = 'PASS#changes#SEEN';

/** Judges `audit.recorded` by the log itself: each entry is told once, as it came, and none of those that stood in the log before. An
 *  entry goes by its number here, which its `id` has. */
export class EntriesOracle {
  readonly #watched: Watched;
  readonly #coverage: Coverage;
  /** All that the log ever showed to a run. */
  readonly #ever = new Map<number, AuditEntry>();
  readonly #known: KnownRecords;
  /** By run: the moment at which it last read the audit log. */
  readonly #readings = new Map<string, number>();
  /** What the log showed when it was first read: nobody may be told of that. Without entries that say that they are of the last minutes
   *  before, which may show up late. */
  #before: ReadonlySet<number> | undefined;
  /** What it showed when it was last read by a run that could not know what is new: that need not be emitted. */
  #begun: ReadonlySet<number> = new Set();
  /** When a run that knew nothing of the log last began to read it. */
  #firstAt = 0;
  /** What the table knows of the log: nothing, a first reading that is under way, or a place. */
  #knows: 'nothing' | 'a part' | 'a place' = 'nothing';
  /** False once the first reading met entries whose times it can't compare with the service's. */
  #areTimesKnown = true;
  /** What the log showed at the first page that the last run was answered with. */
  #last: ReadonlySet<number> = new Set();
  #lastRun: string | undefined;
  /** The event of each entry that was told and is remembered, and of those that a restored table forgot. */
  readonly #told = new Map<number, string>();
  readonly #forgotten = new Map<number, string>();
  /** Projects that were told as created when they were gone, and a run had read that in the log: the next sweep tells their deletion
   *  (docs/decisions/0102). */
  readonly createdBehind = new Set<string>();

  constructor(watched: Watched, coverage: Coverage) {
    this.#watched = watched;
    this.#known = new KnownRecords(watched.snapshots);
    this.#coverage = coverage;
  }

  /** A run was answered with a page of the audit log. */
  readLog(run: string): void {
    const { service } = this.#watched;
    const last = service.clock() - service.freedoms.auditVisibleAfter;
    const entries = this.#log.filter(({ at }) => at <= last);
    for (const entry of entries) this.#ever.set(entry.seq, entry);
    const shown = new Set(entries.map(({ seq }) => seq));
    this.#readings.set(run, this.#known.now);
    this.#before ??= new Set(entries.filter(({ at }) => this.#isOld(at)).map(({ seq }) => seq));
    // An entry that appears behind the first page of a reading may stand on that page: the next pass reads it.
    if (run !== this.#lastRun) {
      this.#last = shown;
      if (this.#knows === 'nothing') this.#firstAt = service.clock();
    }
    this.#lastRun = run;
    if (this.#knows === 'nothing') this.#areTimesKnown = this.#isTimed;
    else if (this.#knows === 'a part') this.#areTimesKnown &&= this.#isTimed;
    // A first reading that goes on in a later run emits nothing older than its start (docs/decisions/0114).
    const isNotOwed = (entry: AuditEntry) => this.#knows === 'a part' && entry.at < this.#firstAt;
    if (!this.#canKnowNew) this.#begun = shown;
    else this.#begun = new Set([...this.#begun, ...entries.filter(isNotOwed).map(({ seq }) => seq)]);
  }

  /** Told of the records of one write, of the events that it told, and which run sent it. */
  wrote(records: readonly DynamoDBRecord[], events: readonly ChangeEvent[], run: string | undefined): void {
    this.#learn(records);
    this.#known.wrote(records);
    for (const event of events) {
      if (event.type === 'audit.recorded') this.#tell(event, run);
      if (event.type === 'project.created' && this.#isReadAsGone(event.data.project.id))
        this.createdBehind.add(event.data.project.id);
    }
  }

  /** Told of the items of a table that was restored, as records. `isKept`: it still knows what was told since. */
  restored(records: readonly DynamoDBRecord[], isKept: boolean): void {
    this.#knows = 'nothing';
    this.#learn(records);
    this.#known.begin();
    if (isKept) return;
    const kept = new Set(records.map(({ dynamodb }) => dynamodb?.Keys?.sk?.S ?? ''));
    for (const [seq, id] of this.#told) {
      if (kept.has(`AUDIT#${id.split('.')[2]}`)) continue;
      this.#told.delete(seq);
      this.#forgotten.set(seq, id);
    }
  }

  /** To be asked once a pass has read the whole log in calm: all that stands in it, and came since it was first read, was told. */
  checkAllTold(): void {
    const { service, isTold } = this.#watched;
    if (!isTold || service.freedoms.auditDenied !== false) return;
    const missing = this.#log.filter(
      ({ seq }) => this.#last.has(seq) && !this.#told.has(seq) && !this.#begun.has(seq),
    );
    if (missing.length > 0)
      throw new Violation(1, `nobody was told of the audit entries ${JSON.stringify(missing)}`);
  }

  /** An entry that comes while a first reading goes on in a later run is known as new by its time alone (docs/decisions/0114). */
  get #canKnowNew(): boolean {
    return this.#knows === 'a place' || (this.#knows === 'a part' && this.#areTimesKnown);
  }

  get #isTimed(): boolean {
    const { dateHeader, auditTimestamps } = this.#watched.service.freedoms;
    return dateHeader && auditTimestamps;
  }

  #learn(records: readonly DynamoDBRecord[]): void {
    const position = records.map(positionIn).findLast(each => each !== undefined);
    if (!position) return;
    this.#knows = position.unfinished?.isFirst ? 'a part' : 'a place';
  }

  #tell({ id, data }: AuditEvent, run: string | undefined): void {
    if (!this.#watched.isTold) throw new Violation(2, `${id} is told, though nobody wants audit entries`);
    const entry = this.#ever.get(numberOf(data.entry));
    const what = `${id} (audit.recorded)`;
    const served = entry && this.#serve(entry);
    if (!served || !jsonEqual(served, data.entry))
      throw new Violation(
        2,
        `${what} is not as the log told it:\n  told   ${JSON.stringify(data.entry)}\n  served ${JSON.stringify(served)}`,
      );
    const { seq } = entry;
    if (this.#before?.has(seq)) throw new Violation(2, `${what} stood in the log when it was first read`);
    const earlier = this.#told.get(seq);
    if (earlier !== undefined) throw new Violation(3, `${what} was told before, as ${earlier}`);
    const forgotten = this.#forgotten.get(seq);
    if (forgotten !== undefined && forgotten !== id)
      throw new Violation(3, `${what} was told as ${forgotten} before the table was restored`);
    this.#told.set(seq, id);
    this.#checkUsers(what, entry, data.users);
    this.#checkProjects(what, entry, data, run);
    this.#checkTasks(what, entry, data, run);
    this.#coverage.add('entries', forgotten === undefined ? 'told' : 'told again by a restored table');
    if (data.users.length > 0) this.#coverage.add('entries', 'told with users');
    if (data.tasks.length > 0) this.#coverage.add('entries', 'told with tasks');
  }

  /** Named are those who did it, in their order, as far as they are known: not where the users could not be read, or only one of them. */
  #checkUsers(what: string, entry: AuditEntry, told: AuditEvent['data']['users']): void {
    const { users } = this.#watched.service.workspace();
    const known = [entry.user].flat().flatMap(id => users.find(user => user.id === id) ?? []);
    const names = new Set(told.map(({ id }) => id));
    const should = known.filter(({ id }) => names.has(id)).map(({ id, name }) => ({ id, name }));
    if (JSON.stringify(told) !== JSON.stringify(should))
      throw new Violation(
        2,
        `${what} names ${JSON.stringify(told)}, but ${JSON.stringify(known)} did it: ${JSON.stringify(entry)}`,
      );
  }

  /** Named are the entry's projects, as far as they had a snapshot all the while, and none that it does not name. */
  #checkProjects(
    what: string,
    entry: AuditEntry,
    { projects }: AuditEvent['data'],
    run: string | undefined,
  ): void {
    const known = this.#knownTo(run);
    const named = projectsOf(entry).filter(id => known.hadProject(id));
    const missing = named.find(id => !projects.some(project => project.id === id));
    if (missing !== undefined) throw new Violation(2, `${what} lacks project ${missing}, which it is about`);
    const text = JSON.stringify(this.#serve(entry));
    const other = projects.find(project => !text.includes(project.id));
    if (other) throw new Violation(2, `${what} tells of project ${other.id}, which its entry does not name`);
  }

  /** Named is the entry's task, if its project had it all the while, and none that the entry does not name, or that was not of this project
   *  when the run may have looked. */
  #checkTasks(
    what: string,
    entry: AuditEntry,
    { projects, tasks }: AuditEvent['data'],
    run: string | undefined,
  ): void {
    const known = this.#knownTo(run);
    const { type, id: taskId } = entry.entity;
    const due = type === 'task' ? projectsOf(entry).filter(id => known.hadTask(id, String(taskId))) : [];
    for (const projectId of due)
      if (!tasks.some(task => task.id === taskId && task.projectId === projectId))
        throw new Violation(2, `${what} lacks task ${taskId} of ${projectId}, which it is about`);
    const text = JSON.stringify(this.#serve(entry));
    for (const { id, projectId } of tasks) {
      const isOfNamed = projects.some(project => project.id === projectId);
      if (!text.includes(id) || !isOfNamed || !known.mayHaveHadTask(projectId, id))
        throw new Violation(2, `${what} tells of task ${id} of ${projectId}, which its entry does not name`);
    }
    const names = tasks.map(({ id, projectId }) => `${projectId}/${id}`);
    if (new Set(names).size < names.length)
      throw new Violation(2, `${what} names a task twice: ${names.join(', ')}`);
  }

  #knownTo(run: string | undefined) {
    return this.#known.since(this.#readings.get(run ?? '') ?? 0);
  }

  #isReadAsGone(id: string): boolean {
    const { service, processId } = this.#watched;
    if (service.workspace().processes.get(processId)?.projects.has(id)) return false;
    return [...this.#ever.values()].some(
      entry =>
        entry.action === 'deleted' && entry.entity.type === 'project' && projectsOf(entry).includes(id),
    );
  }

  #isOld(at: number): boolean {
    const { freedoms, clock } = this.#watched.service;
    return !freedoms.auditTimestamps || at < clock() - LATE_MS - SLACK_MS;
  }

  #serve(entry: AuditEntry) {
    const { service, processId } = this.#watched;
    return auditRecord(service.workspace(), processId, entry, service.freedoms);
  }

  get #log(): readonly AuditEntry[] {
    const { service, processId } = this.#watched;
    return service.workspace().processes.get(processId)?.audit ?? [];
  }
}

/** Up to where the log is read, if the record says that. */
function positionIn({ dynamodb }: DynamoDBRecord): AuditPosition | undefined {
  const packed = dynamodb?.Keys?.sk?.S === SEEN ? dynamodb.NewImage?.audit?.B : undefined;
  return packed === undefined ? undefined : (decode(Buffer.from(String(packed), 'base64')) as AuditPosition);
}

/** The projects that it is about: of a task that was moved, both. */
function projectsOf({ details }: AuditEntry): string[] {
  const { projectId, fromProjectId } = (details.context ?? {}) as Record<string, unknown>;
  return [projectId, fromProjectId].filter(id => id !== undefined).map(String);
}

function numberOf(entry: AuditEvent['data']['entry']): number {
  const [, digits] = /^log-(\d+)$/.exec(isJsonObject(entry) ? String(entry.id) : '') ?? [];
  return Number(digits);
}

/** The projects and tasks that have been known, moment by moment: each write of a snapshot begins another. */
export class KnownRecords {
  readonly #snapshots: Told;
  readonly #moments: Told[];

  /** `snapshots`: those that the table holds; a new value for each commit of a project. */
  constructor(snapshots: Told) {
    this.#snapshots = snapshots;
    this.#moments = [{ ...snapshots }];
  }

  /** The number of this moment. */
  get now(): number {
    return this.#moments.length - 1;
  }

  /** Told of the records of a write, which the snapshots show already. */
  wrote(records: readonly DynamoDBRecord[]): void {
    if (records.some(({ dynamodb }) => dynamodb?.Keys?.sk?.S?.startsWith(PROJECT_PREFIX))) this.begin();
  }

  /** Another moment begins, as in a table that was restored. */
  begin(): void {
    this.#moments.push({ ...this.#snapshots });
  }

  /** All that a run may have found that has looked between this moment and now. */
  since(moment: number): KnownSince {
    const moments = this.#moments.slice(moment);
    const hasTask = (projectId: string, taskId: string) => (snapshots: Told) =>
      Object.hasOwn(snapshots[projectId]?.tasks ?? {}, taskId);
    return {
      hadProject: id => moments.every(snapshots => Object.hasOwn(snapshots, id)),
      hadTask: (projectId, taskId) => moments.every(hasTask(projectId, taskId)),
      mayHaveHadTask: (projectId, taskId) => moments.some(hasTask(projectId, taskId)),
    };
  }
}

export interface KnownSince {
  /** Whether the project was known all the while. */
  hadProject(id: string): boolean;
  /** Whether the project had this task all the while. */
  hadTask(projectId: string, taskId: string): boolean;
  /** Whether it had it at any moment. */
  mayHaveHadTask(projectId: string, taskId: string): boolean;
}
