import { expect, it, onTestFinished } from 'vitest';
import type { TestStore } from '../../kit/store/stores.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const DAY = 24 * 3_600_000;

/** What every store must do with the threads of chats. */
export function threadsContract(store: () => TestStore, open: () => Promise<TestStore>): void {
  const project = (projectId: string, workspace = 'eu') => ({ workspace, processId: 'a#b', projectId });
  const thread = (ts: string, usedAt = AT) => ({ channel: '#launches', ts, usedAt });

  it('the threads of chats are those of one endpoint and one project each, as they were kept last', async () => {
    const { deliveries } = store();
    const long = 'p'.repeat(2_000);
    const places = [
      ['one', project('p.1')],
      ['one', project('p.1', 'us')],
      ['one', project('#p%')],
      ['one', project(long)],
      ['one', project(`${long}x`)],
      ['two', project('p.1')],
    ] as const;
    expect(await deliveries.thread('one', project('p.1'))).toBeUndefined();
    for (const [index, [endpoint, of]] of places.entries())
      await deliveries.keepThread(endpoint, of, thread(`${index}.0`));
    await deliveries.keepThread('one', project('p.1'), thread('9.9'));
    const kept = await Promise.all(places.map(([endpoint, of]) => deliveries.thread(endpoint, of)));
    expect(kept.map(each => each?.ts)).toEqual(['9.9', '1.0', '2.0', '3.0', '4.0', '5.0']);
    await deliveries.dropThreads('one', project(long));
    expect(await deliveries.thread('one', project(long))).toBeUndefined();
    expect(await deliveries.thread('one', project(`${long}x`))).toEqual(thread('4.0'));
    await deliveries.dropThreads('one');
    const left = await Promise.all(places.map(([endpoint, of]) => deliveries.thread(endpoint, of)));
    expect(left.map(each => each?.ts).filter(Boolean)).toEqual(['5.0']);
  });

  it('the threads of chats expire 90 days after they were last used', async () => {
    // A store of its own: all its rows are looked at.
    const { deliveries, expire, stop } = await open();
    onTestFinished(stop);
    await deliveries.keepThread('old', project('p1'), thread('1.0'));
    await deliveries.keepThread('old', project('p2'), thread('2.0', AT + DAY));
    await expire(AT + 90 * DAY + 1_000);
    expect(await deliveries.thread('old', project('p1'))).toBeUndefined();
    expect(await deliveries.thread('old', project('p2'))).toEqual(thread('2.0', AT + DAY));
  });
}
