import type { DynamoDBRecord } from 'aws-lambda';
import { serialise } from '../../../functions/changes/fit-event.ts';
import { isDueEvent } from '../../../functions/model/due.ts';
import type {
  ChangeEvent,
  DueEvent,
  FieldChange,
  ProjectEvent,
  TaskEvent,
} from '../../../functions/model/event.ts';
import type { Definitions } from '../../../functions/model/field-definition.ts';
import type { Cause } from '../../../functions/model/process-state.ts';
import { decode, decodeContent, decodeEvents } from '../../../functions/store/codec.ts';
import { CHANGE, PROJECT_PREFIX, projectOfRecheck, RECHECK } from '../../../functions/store/keys.ts';
import { apply, isEmpty, isRecordEvent, known, type Told, type ToldProject } from '../../kit/told.ts';
import type { Coverage } from '../faults.ts';
import { FieldsOracle, isOfField } from './fields.ts';
import type { History, RecordName } from './history.ts';
import { type OwedProject, SourceOracle } from './source.ts';
import { ToldStatesOracle } from './told-states.ts';
import { Violation } from './violation.ts';

type RecordEvent = ProjectEvent | TaskEvent;

/** A `Date` header is in whole seconds, and the times of edits in whole ticks. */
const SLACK_MS = 1_000;

/** What the service's answers may have lacked, though it was there. */
interface Unseen {
  /** Projects that readings of the list never showed, however often it was read. */
  readonly hidden: ReadonlySet<string>;
  /** Projects of which a reading may have missed new tasks. */
  readonly shifted: ReadonlySet<string>;
}

/** Checks every write to the table when it happens: snapshots and change records must always agree, and
 *  be true. */
export class CommitsOracle {
  readonly #history: History;
  readonly #coverage: Coverage;
  /** False where only our own clock, which may be wrong, says when something was read. */
  readonly #isTimed: boolean;
  /** What the table holds, and what a receiver knows that applied every event. */
  readonly snapshots: Told = {};
  told: Told | undefined;
  /** The text of every event ever committed; it must never change. */
  readonly texts = new Map<string, string>();
  /** The former texts of audit entries that a restored table told again, under the same id. */
  readonly #formerly = new Map<string, string[]>();
  readonly events: ChangeEvent[] = [];
  /** Events that are missing in a restored table. */
  readonly forgotten = new Set<string>();
  /** The largest version of each project, and the write that it came with. */
  readonly #versions = new Map<string, { readonly version: number; readonly write: number }>();
  #commands = 0;
  readonly source: SourceOracle;
  readonly fields = new FieldsOracle();
  readonly states: ToldStatesOracle;
  /** When each record was last told of, and when the baseline ended, by the service's clock. */
  readonly #lastTold = new Map<string, number>();
  #baselinedAt = 0;
  /** Projects without which the baseline ended: they may be told as created later, so the time of that is
   *  not checked. */
  #leftOut: ReadonlySet<string> = new Set();
  /** Those of them that no reading of the list had shown: only a sweep, or a change, can show them. */
  passedOver: ReadonlySet<string> = new Set();
  readonly #hidden: ReadonlySet<string>;
  readonly #shifted: ReadonlySet<string>;
  #writes = 0;
  /** The rechecks of the table, and whether deletions wait. */
  readonly #rechecks = new Map<string, OwedProject>();
  #isOnHold = false;

  constructor(history: History, coverage: Coverage, isTimed: boolean, { hidden, shifted }: Unseen) {
    this.#history = history;
    this.#hidden = hidden;
    this.#shifted = shifted;
    this.#coverage = coverage;
    this.source = new SourceOracle(coverage);
    this.states = new ToldStatesOracle(history);
    this.#isTimed = isTimed;
  }

  /** Whether the event of this id was committed with this text. */
  wasText(id: string, text: string): boolean {
    return this.texts.get(id) === text || this.#formerly.get(id)?.includes(text) === true;
  }

  /** How many snapshots were written so far. */
  get writes(): number {
    return this.#writes;
  }

  /** Told of the records of one write: one command, whole. */
  wrote(records: readonly DynamoDBRecord[]): void {
    const touched = new Set<string>();
    this.#commands += 1;
    for (const record of records) this.#take(record, touched);
    const definitions = records.flatMap(definitionsOf).at(-1);
    if (this.#takeState(records)) this.source.compare(this.#rechecks, this.#isOnHold);
    if (definitions) this.fields.compare(definitions, this.told !== undefined);
    if (!this.told && records.some(isBaselined)) {
      this.#leftOut = new Set(this.#rechecks.keys());
      if (this.#leftOut.size > 0) this.#coverage.add('project', 'left out of the baseline');
      this.passedOver = new Set([...this.#hidden].filter(id => !this.snapshots[id]));
      this.#leftOut = this.#leftOut.union(this.passedOver);
      this.told = structuredClone(this.snapshots);
      this.#baselinedAt = this.#history.now;
      this.states.begin(this.told);
    }
    if (!this.told) return;
    for (const id of touched) this.#compare(id, this.told);
  }

  /** Takes the items of a restored table, as records. What the table holds is now what counts as told:
   *  later changes are told again, from the restored value, with another id and a larger sequence. */
  restored(records: readonly DynamoDBRecord[], told: number): void {
    for (const { id } of this.events.slice(told)) this.forgotten.add(id);
    for (const id of Object.keys(this.snapshots)) delete this.snapshots[id];
    for (const { dynamodb } of records) {
      const sk = dynamodb?.Keys?.sk?.S ?? '';
      if (sk.startsWith(PROJECT_PREFIX))
        this.snapshots[projectIdOf(sk)] = toldOf(bytes(dynamodb?.NewImage?.blob?.B));
    }
    this.told = structuredClone(this.snapshots);
    this.states.begin(this.told);
    this.#rechecks.clear();
    this.#takeState(records);
    const isStalled = records.find(isState)?.dynamodb?.NewImage?.stalled !== undefined;
    this.source.restored(this.#rechecks, { isOnHold: this.#isOnHold, isStalled });
    this.fields.restored(records.flatMap(definitionsOf).at(-1) ?? { project: [], task: [] });
  }

  /** @returns whether any of them is of the state, or of a recheck */
  #takeState(records: readonly DynamoDBRecord[]): boolean {
    const state = records.findLast(isState)?.dynamodb?.NewImage;
    if (state) this.#isOnHold = state.hold !== undefined;
    const rechecks = records.filter(({ dynamodb }) => dynamodb?.Keys?.sk?.S?.startsWith(RECHECK));
    for (const { dynamodb } of rechecks) {
      const id = projectOfRecheck(dynamodb?.Keys?.sk?.S ?? '') ?? '';
      const image = dynamodb?.NewImage;
      if (image) this.#rechecks.set(id, { cause: image.cause?.S as Cause, told: image.told?.BOOL === true });
      else this.#rechecks.delete(id);
    }
    return state !== undefined || rechecks.length > 0;
  }

  #take({ eventName, dynamodb }: DynamoDBRecord, touched: Set<string>): void {
    const sk = dynamodb?.Keys?.sk?.S ?? '';
    const image = dynamodb?.NewImage;
    if (sk.startsWith(PROJECT_PREFIX)) {
      this.#writes += 1;
      const id = projectIdOf(sk);
      touched.add(id);
      if (eventName === 'REMOVE') delete this.snapshots[id];
      else {
        this.#checkVersion(id, Number(image?.version?.N), `the snapshot of ${id}`);
        this.snapshots[id] = toldOf(bytes(image?.blob?.B));
      }
    }
    if (sk.startsWith(CHANGE) && eventName === 'INSERT') {
      for (const event of decodeEvents(bytes(image?.events?.B))) this.#tell(event, touched);
    }
  }

  #tell(event: ChangeEvent, touched: Set<string>): void {
    const former = this.texts.get(event.id);
    if (former !== undefined) {
      if (event.type !== 'audit.recorded' || !this.forgotten.has(event.id))
        throw new Violation(3, `${event.id} was given to two changes`);
      this.#formerly.set(event.id, [...(this.#formerly.get(event.id) ?? []), former]);
    }
    this.texts.set(event.id, serialise(event));
    this.events.push(event);
    if (isOfRecord(event)) this.#tellOfRecord(event, touched);
    else if (isDueEvent(event)) this.#tellDue(event, touched);
    else this.source.tell(event);
    if (isOfField(event)) this.fields.tell(event);
  }

  #tellDue(event: DueEvent, touched: Set<string>): void {
    if (!this.told) throw new Violation(2, `${event.id} (${event.type}) is told in a baseline`);
    const { id } = event.data.project;
    touched.add(id);
    this.#checkVersion(id, Number(event.sequence), event.id);
  }

  #tellOfRecord(event: RecordEvent, touched: Set<string>): void {
    if (!this.told) throw new Violation(2, `${event.id} (${event.type}) is told in a baseline`);
    const { id } = event.data.project;
    touched.add(id);
    this.#checkVersion(id, Number(event.sequence), event.id);
    try {
      apply(this.told, event);
    } catch (error) {
      throw new Violation(2, (error as Error).message);
    }
    this.#checkTruth(event, this.told);
  }

  /** Checks that each commit of a project has a larger version than all before it, even than commits of
   *  deletions and commits without events. */
  #checkVersion(projectId: string, version: number, of: string): void {
    const write = this.#commands;
    const last = this.#versions.get(projectId);
    const isSameCommit = last?.write === write && last.version === version;
    if (last && version <= last.version && !isSameCommit)
      throw new Violation(4, `${of} has version ${version}, after ${last.version} of its project`);
    this.#versions.set(projectId, { version, write });
  }

  /** Checks that what an event tells was so at some time of the interval that it gives. */
  #checkTruth(event: RecordEvent, told: Told): void {
    const { data } = event;
    const name: RecordName = {
      projectId: data.project.id,
      taskId: 'task' in data ? data.task.id : undefined,
    };
    const [after, before] = this.#intervalOf(event, name);
    this.#checkRecord(event, name, after, before);
    const project = told[data.project.id];
    const state = name.taskId === undefined ? project?.project : project?.tasks[name.taskId];
    this.states.tell(event, name, state, after, before);
  }

  #checkRecord(event: RecordEvent, name: RecordName, after: number, before: number): void {
    const { data, type } = event;
    const when = `between ${data.observed.after} and ${data.observed.before}`;
    if (type.endsWith('.deleted')) return;
    const { id } = data.project;
    const isOfLeftOut =
      this.passedOver.has(id) || (this.#leftOut.has(id) && Date.parse(data.observed.after) === 0);
    // The beginning of a new task's interval is not known after a reading whose pages shifted
    // (docs/decisions/0031).
    const isPassedOver = isOfLeftOut || (type === 'task.created' && this.#shifted.has(id));
    if (type.endsWith('.created') && !isPassedOver && !this.#history.wasAbsent(name, after, before))
      throw new Violation(2, `${event.id} (${type} ${event.subject}): it was there all the time ${when}`);
    for (const change of data.changes) {
      const { field, from, to } = change;
      const kind = 'task' in data ? 'task' : 'project';
      if (!isOfItsField(change, () => this.#history.fieldNames(kind, field)))
        throw new Violation(2, `${event.id} tells what is no field or no choice: ${JSON.stringify(change)}`);
      if (isEmpty(from) && isEmpty(to))
        throw new Violation(2, `${event.id}: ${field} is told from empty to empty`);
      if (!this.#history.was(name, field, to, after, before))
        throw new Violation(2, `${event.id}: ${field} was never ${JSON.stringify(to)} ${when}`);
    }
  }

  /** The interval of the event; where our clock may be wrong, all the time since the record was last
   *  told. */
  #intervalOf({ type, data }: RecordEvent, name: RecordName): [after: number, before: number] {
    const { observed } = data;
    if (this.#isTimed) return [Date.parse(observed.after) - SLACK_MS, Date.parse(observed.before) + SLACK_MS];
    const key = JSON.stringify(name);
    const since = this.#lastTold.get(key) ?? 0;
    this.#lastTold.set(key, this.#history.now);
    return [type.endsWith('.deleted') ? Math.max(since, this.#baselinedAt) : 0, this.#history.now];
  }

  #compare(id: string, told: Told): void {
    const [left, right] = [told[id], this.snapshots[id]].map(project => JSON.stringify(sorted(project)));
    if (left === right) return;
    const what = `what was told of project ${id} is not its snapshot:\n  told ${left}\n  held ${right}`;
    throw new Violation(4, what);
  }
}

/** Whether a change has a name that its field had, and its choices came and went between its two values. */
function isOfItsField(
  { name, kind, field, type, from, to, added, removed }: FieldChange,
  namesOf: () => Set<string>,
): boolean {
  if (kind === 'custom' ? !namesOf().has(name) : name !== field) return false;
  if (type !== 'multiple-choice') return added === undefined && removed === undefined;
  const [before, after] = [from, to].map(value => new Set(Array.isArray(value) ? value : []));
  const isSame = (list: readonly unknown[] | undefined, set: Set<unknown> | undefined) =>
    list?.length === set?.size && list?.every(item => set?.has(item));
  return Boolean(
    before && after && isSame(added, after.difference(before)) && isSame(removed, before.difference(after)),
  );
}

export function isOfRecord(event: ChangeEvent): event is RecordEvent {
  return isRecordEvent(event);
}

function projectIdOf(sk: string): string {
  return decodeURIComponent(sk.slice(PROJECT_PREFIX.length));
}

/** Whether the record is a process's state. Endpoints have a row named STATE, too. */
function isState({ dynamodb }: DynamoDBRecord): boolean {
  return dynamodb?.Keys?.sk?.S === 'STATE' && dynamodb.Keys.pk?.S?.startsWith('W#') === true;
}

function isBaselined({ dynamodb }: DynamoDBRecord): boolean {
  return dynamodb?.Keys?.sk?.S === 'STATE' && dynamodb.NewImage?.baselined?.BOOL === true;
}

function definitionsOf({ dynamodb }: DynamoDBRecord): Definitions[] {
  const isState = dynamodb?.Keys?.sk?.S === 'STATE';
  const image = isState ? dynamodb.NewImage?.definitions?.B : undefined;
  return image === undefined ? [] : [decode(bytes(image)) as Definitions];
}

function bytes(base64: unknown): Buffer {
  return Buffer.from(String(base64), 'base64');
}

function toldOf(blob: Buffer): ToldProject {
  const { record, tasks } = decodeContent(blob).content;
  const told = [...tasks].map(([id, task]) => [id, known(task)] as const);
  return { project: known(record), tasks: Object.fromEntries(told) };
}

function sorted(project: ToldProject | undefined) {
  return project && { project: project.project, tasks: Object.entries(project.tasks).sort() };
}
