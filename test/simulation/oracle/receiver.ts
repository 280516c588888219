import type { ChangeEvent } from '../../../functions/model/event.ts';
import { isRecordEvent, known, type Told } from '../../kit/told.ts';
import { Violation } from './violation.ts';

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
