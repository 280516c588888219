/** A process that dies at its n-th call of the table: before the call has its effect, or after, without
 *  getting the answer. */
import type { Snapshots } from '../../functions/store/store.ts';
export function dyingAt(
  snapshots: Snapshots,
  call: number,
  when: 'before' | 'after',
): { snapshots: Snapshots; died: () => boolean } {
  let calls = 0;
  let died = false;
  const guard = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const isLast = ++calls === call;
    if (died || (isLast && when === 'before')) return die();
    const result = await work();
    return isLast ? die() : result;
  };
  const die = (): never => {
    died = true;
    throw new Error('killed');
  };
  async function* guardedPages<Page>(pages: AsyncIterable<Page>): AsyncIterable<Page> {
    const iterator = pages[Symbol.asyncIterator]();
    for (;;) {
      const { value, done } = await guard(() => iterator.next());
      if (done) return;
      yield value;
    }
  }
  const guarded: Partial<Snapshots> = {
    readState: (process, isEventual) => guard(() => snapshots.readState(process, isEventual)),
    takeLease: (...given) => guard(() => snapshots.takeLease(...given)),
    saveProgress: (...given) => guard(() => snapshots.saveProgress(...given)),
    release: (...given) => guard(() => snapshots.release(...given)),
    finish: (...given) => guard(() => snapshots.finish(...given)),
    announce: (...given) => guard(() => snapshots.announce(...given)),
    load: (...given) => guard(() => snapshots.load(...given)),
    commit: (...given) => guard(() => snapshots.commit(...given)),
    emittedEntries: (...given) => guard(() => snapshots.emittedEntries(...given)),
    withSnapshot: (...given) => guard(() => snapshots.withSnapshot(...given)),
    users: process => guard(() => snapshots.users(process)),
    saveUsers: (...given) => guard(() => snapshots.saveUsers(...given)),
    writeRechecks: (...given) => guard(() => snapshots.writeRechecks(...given)),
    heads: (...given) => guardedPages(snapshots.heads(...given)),
  };
  return { snapshots: { ...snapshots, ...guarded }, died: () => died };
}
