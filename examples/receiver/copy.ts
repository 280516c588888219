import type { SentEvent } from './changewire.ts';

/** A record in the copy; without content once it is deleted: an event from before the deletion may still arrive. */
export interface CopiedRecord {
  readonly sequence: number;
  readonly record: object | undefined;
}

/** The records that a snapshot has named so far, and its end once that has arrived. */
interface Arriving {
  readonly named: Set<string>;
  end?: Extract<SentEvent, { type: 'snapshot.completed' }>;
}

/** A copy of all projects and tasks. The event with the largest `sequence` of a record wins. A snapshot fills the copy,
 *  and at its end removes what no longer exists. Events may arrive late, repeatedly and in any order.
 *
 *  In production, use a table with these columns, and one transaction for each event. */
export class Copy {
  /** By `source` and `subject`. */
  readonly records = new Map<string, CopiedRecord>();
  /** By `source` and the snapshot's id; undefined once it was applied: its events may arrive again. */
  readonly #snapshots = new Map<string, Arriving | undefined>();

  apply(event: SentEvent): void {
    const key = `${event.source} ${event.subject}`;
    switch (event.type) {
      case 'project.created':
      case 'project.updated':
      case 'project.snapshot':
        this.#put(key, event, event.data.project.record);
        break;
      case 'task.created':
      case 'task.updated':
      case 'task.snapshot':
        this.#put(key, event, event.data.task.record);
        break;
      case 'project.deleted':
      case 'task.deleted':
        this.#put(key, event, undefined);
    }
    if ('snapshot' in event.data) this.#arrived(event, key, `${event.source} ${event.data.snapshot.id}`);
  }

  #put(key: string, { sequence }: SentEvent, record: object | undefined): void {
    const known = this.records.get(key);
    if (!known || known.sequence < Number(sequence))
      this.records.set(key, { sequence: Number(sequence), record });
  }

  #arrived(event: SentEvent, key: string, id: string): void {
    if (!this.#snapshots.has(id)) this.#snapshots.set(id, { named: new Set() });
    const arriving = this.#snapshots.get(id);
    if (!arriving) return;
    if (event.type === 'project.snapshot' || event.type === 'task.snapshot') arriving.named.add(key);
    if (event.type === 'snapshot.completed') arriving.end = event;
    const { named, end } = arriving;
    if (!end || named.size < end.data.projects + end.data.tasks) return;
    this.#removeUnnamed(end, named);
    this.#snapshots.set(id, undefined);
  }

  /** Removes the records of the process, or of the one project, that the snapshot does not name. Those that changed
   *  since it began are newer than it. */
  #removeUnnamed({ source, subject, sequence }: SentEvent, named: ReadonlySet<string>): void {
    const scope = `${source} ${subject ?? 'projects'}`;
    for (const [key, known] of this.records) {
      const isInScope = key === scope || key.startsWith(`${scope}/`);
      if (isInScope && !named.has(key) && known.sequence < Number(sequence)) this.records.delete(key);
    }
  }
}
