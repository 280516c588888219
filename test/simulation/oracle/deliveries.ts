import type { EndpointSettings } from '../../../functions/model/endpoint.ts';
import type { ChangeEvent, HealthEvent, SentEvent, SnapshotEvent } from '../../../functions/model/event.ts';
import { isHealthEvent, wants } from '../../../functions/model/filter.ts';
import { isRecordEvent, known, type Told } from '../../kit/told.ts';
import type { Coverage } from '../faults.ts';
import type { CommitsOracle } from './commits.ts';
import { SnapshotsOracle } from './snapshots.ts';
import { Violation } from './violation.ts';
import type { WatchedProcess } from './watched-process.ts';

/** Checks that each receiver got every committed event at least once, with the same content each time. */
export class DeliveriesOracle {
  /** Of each process. */
  readonly #commits: readonly CommitsOracle[];
  readonly #copies = new Map<string, ReceiverOracle>();
  readonly #received = new Map<string, Map<string, number>>();
  readonly #lost = new Map<string, Set<string>>();
  /** Promises of replays, by receiver: how often it had got each event before. */
  #promised: { readonly receiver: string; readonly before: ReadonlyMap<string, number> }[] = [];

  /** The bodies of reports, by id. */
  readonly #reports = new Map<string, string>();
  readonly snapshots: SnapshotsOracle;

  constructor(processes: readonly WatchedProcess[], coverage: Coverage) {
    this.#commits = processes.map(({ commits }) => commits);
    this.snapshots = new SnapshotsOracle(processes, coverage);
  }

  /** The texts of all events that were committed, by their ids. */
  get #texts(): [id: string, text: string][] {
    return this.#commits.flatMap(({ texts }) => [...texts]);
  }

  /** Told of a body that a receiver took, or that its dead letters hold. */
  got(receiver: string, body: string): void {
    const sent = JSON.parse(body) as SentEvent;
    const { id } = sent;
    this.#note(receiver, id);
    if ('snapshot' in sent.data) this.snapshots.got(receiver, sent as SnapshotEvent, body);
    else if (isHealthEvent(sent)) this.#gotReport(receiver, sent, body);
    else this.#gotChange(receiver, sent as ChangeEvent, body);
  }

  #gotReport(receiver: string, { id, data }: HealthEvent, body: string): void {
    if (data.endpoint.name === receiver) throw new Violation(2, `${receiver} got ${id} about itself`);
    if ((this.#reports.get(id) ?? body) !== body)
      throw new Violation(3, `${receiver} got ${id} with two contents`);
    this.#reports.set(id, body);
  }

  #gotChange(receiver: string, event: ChangeEvent, body: string): void {
    const { id } = event;
    const commits = this.#commits.find(({ texts }) => texts.has(id));
    if (!commits) throw new Violation(2, `${receiver} got ${id}, which no change record holds`);
    if (!commits.wasText(id, body))
      throw new Violation(3, `${receiver} got ${id} with another content than was committed`);
    const copy = this.#copies.get(receiver) ?? new ReceiverOracle();
    this.#copies.set(receiver, copy);
    copy.got(event);
  }

  #note(receiver: string, id: string): void {
    const received = this.#received.get(receiver) ?? new Map<string, number>();
    this.#received.set(receiver, received.set(id, (received.get(id) ?? 0) + 1));
  }

  /** Whether the receiver got the event, or it is a dead letter, or it was lost with a restored table. */
  has(receiver: string, eventId: string): boolean {
    return [this.#received, this.#lost].some(known => known.get(receiver)?.has(eventId) === true);
  }

  /** The event's delivery was pending in rows that a restore removed: an operator has it sent again. */
  lostWithRows(receiver: string, eventId: string): void {
    const lost = this.#lost.get(receiver) ?? new Set();
    this.#lost.set(receiver, lost.add(eventId));
  }

  /** The receiver must get these events once more. */
  promise(receiver: string, eventIds: readonly string[]): void {
    const received = this.#received.get(receiver);
    const before = new Map(eventIds.map(id => [id, received?.get(id) ?? 0]));
    this.#promised.push({ receiver, before });
  }

  /** The rest of a replay was lost with the rows of a restored table. */
  forgetPromises(receiver?: string): void {
    this.#promised = this.#promised.filter(each => receiver !== undefined && each.receiver !== receiver);
    this.snapshots.forget(receiver);
  }

  /** To be asked when nothing is on its way any more, for receivers that are still there. */
  checkReplayed(receivers: ReadonlySet<string>): void {
    for (const { receiver, before } of this.#promised.filter(each => receivers.has(each.receiver))) {
      const missing = [...before].filter(
        ([id, times]) => (this.#received.get(receiver)?.get(id) ?? 0) <= times,
      );
      if (missing.length > 0)
        throw new Violation(11, `${receiver} was not sent again ${missing.map(([id]) => id).join(', ')}`);
    }
  }

  /** The same of a receiver that wants some events only. */
  checkWanted({ name, filter = {} }: EndpointSettings, lost: ReadonlySet<string>): void {
    const missing = this.#texts.filter(
      ([id, text]) => !lost.has(id) && !this.has(name, id) && wants(filter, JSON.parse(text) as ChangeEvent),
    );
    if (missing.length > 0)
      throw new Violation(1, `${name} never got ${missing.map(([id]) => id).join(', ')}`);
  }

  /** To be asked when nothing is on its way any more; `lost` are events that went with the stream of a table. */
  checkAllArrived(receivers: readonly string[], lost: ReadonlySet<string>): void {
    for (const receiver of receivers) {
      const isLost = (id: string) => lost.has(id) || this.#lost.get(receiver)?.has(id) === true;
      const ids = this.#texts.map(([id]) => id);
      const missing = ids.filter(id => !isLost(id) && !this.#received.get(receiver)?.has(id));
      if (missing.length > 0) throw new Violation(1, `${receiver} never got ${missing.join(', ')}`);
      const told: Told = Object.assign({}, ...this.#commits.map(commits => commits.told ?? {}));
      const forgotten = new Set(this.#commits.flatMap(commits => [...commits.forgotten]));
      const gone = this.#commits.flatMap(({ events }) => events.filter(({ id }) => isLost(id)));
      this.#copies.get(receiver)?.check(told, forgotten, gone);
    }
  }
}

/** A receiver that keeps a copy of every record: it ignores events that it has seen, and those older than
 *  its copy (docs/events.md). So messages may come late, twice, in any order. */
export class ReceiverOracle {
  readonly #latest = new Map<string, ChangeEvent>();

  got(event: ChangeEvent): void {
    if (!isRecordEvent(event)) return;
    const key = JSON.stringify(recordOf(event));
    const before = this.#latest.get(key);
    if (!before || Number(before.sequence) < Number(event.sequence)) this.#latest.set(key, event);
  }

  /** Called when nothing is under way any more. `told` is the sum of all that was told. Events of
   *  `forgotten` were told by a table that was restored afterwards; they are not taken back where nothing
   *  was told since. Events of `lost` went with the stream of a table, so the copies of their records are
   *  not checked. */
  check(told: Told, forgotten: ReadonlySet<string>, lost: readonly ChangeEvent[]): void {
    const without = new Set(lost.filter(isRecordEvent).map(event => JSON.stringify(recordOf(event))));
    for (const [key, event] of this.#latest) {
      if (forgotten.has(event.id) || without.has(key) || !isRecordEvent(event)) continue;
      const [projectId, taskId] = recordOf(event);
      const project = told[projectId];
      const should = taskId === undefined ? project?.project : project?.tasks[taskId];
      const record = 'task' in event.data ? event.data.task.record : event.data.project.record;
      const has = event.type.endsWith('.deleted') ? undefined : known(record ?? {});
      const [left, right] = [JSON.stringify(has), JSON.stringify(should)];
      if (left === right) continue;
      const what = `a receiver's copy of ${event.subject} is by ${event.id}:\n  copy ${left}\n  told ${right}`;
      throw new Violation(4, what);
    }
  }
}

function recordOf({
  data,
}: Parameters<typeof isRecordEvent>[0] & { data: { project: { id: string } } }): [
  projectId: string,
  taskId?: string,
] {
  return 'task' in data ? [data.project.id, (data.task as { id: string }).id] : [data.project.id];
}
