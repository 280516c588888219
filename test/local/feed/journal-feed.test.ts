import type { DynamoDBStreamEvent } from 'aws-lambda';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sleep } from '../../../functions/basics/system.ts';
import type { Publish } from '../../../functions/handlers/create-publish.ts';
import { type Database, openDatabase } from '../../../functions/store/sqlite/database.ts';
import { type Journal, sqliteJournal } from '../../../functions/store/sqlite/journal.ts';
import { SNAPSHOTS_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import type { Snapshots } from '../../../functions/store/store.ts';
import { Feed, type FeedOptions, streamRecord, waking } from '../../../local/loops/feed.ts';
import { eventually } from '../../kit/local/sns.ts';

/** A change record as a commit leaves it in the journal; `id` is its key. @returns its position */
function addChange({ sql }: Database, id: string): number {
  const { lastInsertRowid } = sql.run`INSERT INTO change (process, key, at, events)
    VALUES ('W#w#P#p', ${id}, 1, ${Buffer.from(id)})`;
  return Number(lastInsertRowid);
}

/** The identifiers of the change records, as {@link addChange} wrote them. */
function idsOf({ Records }: DynamoDBStreamEvent): string[] {
  return Records.map(({ dynamodb }) => dynamodb?.Keys?.sk?.S ?? '');
}

const opened = (): Database => openDatabase(':memory:', [SNAPSHOTS_SCHEMA]);
const ALL = { batchItemFailures: [] };

/** A feed from `database` that ends with the test. */
function feedOf(database: Database, publish: Publish, more: Partial<FeedOptions> = {}) {
  const notices: string[] = [];
  const journal = sqliteJournal(database);
  const feed = new Feed({
    ...{ journal, publish, sleep, interval: 10_000 },
    onNotice: text => notices.push(text),
    ...more,
  });
  onTestFinished(() => feed.stop());
  return {
    drained: () => feed.drained(),
    wake: () => feed.wake(),
    stop: () => feed.stop(),
    journal,
    notices,
    position: () => journal.positionOf('publish'),
  };
}

function collecting() {
  const ids: string[] = [];
  const publish: Publish = async event => {
    ids.push(...idsOf(event));
    return ALL;
  };
  return { ids, publish };
}

/** Sleeps no longer than a millisecond. */
const nap: typeof sleep = (ms, signal) => sleep(Math.min(ms, 1), signal);

describe('a record of the journal', () => {
  it('is what the table’s stream would hand over', () => {
    const change = { position: 7, process: 'W#w#P#p', key: 'CHANGE#1', at: 1, events: Buffer.from('x') };
    expect(streamRecord(change)).toEqual({
      eventID: '7',
      eventName: 'INSERT',
      eventSource: 'aws:dynamodb',
      dynamodb: {
        Keys: { pk: { S: 'W#w#P#p' }, sk: { S: 'CHANGE#1' } },
        NewImage: { pk: { S: 'W#w#P#p' }, sk: { S: 'CHANGE#1' }, events: { B: 'eA==' } },
        SequenceNumber: '7',
        StreamViewType: 'NEW_IMAGE',
      },
    });
  });
});

describe('the journal’s feed', () => {
  it('publishes in the order of commits, whatever the keys are, at most 100 at once', async () => {
    const database = opened();
    const wanted = Array.from({ length: 250 }, (_, index) => `${(index * 7919) % 250}`);
    for (const id of wanted) addChange(database, id);
    const calls: string[][] = [];
    const { drained } = feedOf(database, async event => {
      calls.push(idsOf(event));
      return ALL;
    });
    await drained();
    expect(calls.flat()).toEqual(wanted);
    expect(calls.map(({ length }) => length)).toEqual([100, 100, 50]);
  });

  it('finds what is committed at once when it is told to look, also while it publishes something else', async () => {
    const database = opened();
    const publishing = Promise.withResolvers<void>();
    const { ids, publish } = collecting();
    const { drained, wake } = feedOf(database, async (...asked) => {
      const answer = await publish(...asked);
      await publishing.promise;
      return answer;
    });
    // It rests now, for the interval of 10 s.
    await drained();
    addChange(database, 'c1');
    wake();
    await eventually(() => expect(ids).toEqual(['c1']));
    addChange(database, 'c2');
    wake();
    publishing.resolve();
    await eventually(() => expect(ids).toEqual(['c1', 'c2']));
  });

  it('tries what fails until it works, from the first record that failed, and says both once', async () => {
    const database = opened();
    for (const id of ['c1', 'c2', 'c3']) addChange(database, id);
    const calls: string[][] = [];
    const answers = [
      async () => Promise.reject(new Error('no topic')),
      async () => ({ batchItemFailures: [{ itemIdentifier: '2' }] }),
      async () => Promise.reject(new Error('no topic')),
    ];
    const publish: Publish = async event => {
      calls.push(idsOf(event));
      return (await answers.shift()?.()) ?? ALL;
    };
    const { drained, notices, position } = feedOf(database, publish, { sleep: nap });
    await drained();
    expect(calls.map(ids => ids.join(' '))).toEqual(['c1 c2 c3', 'c1 c2 c3', 'c2 c3', 'c2 c3']);
    expect(position()).toBe(3);
    const failed = 'Could not publish 3 change records: no topic. Will retry.';
    expect(notices).toEqual([failed, 'Publishing works again.']);
  });

  it('is drained of what was committed before the call, also when it was just found to be quiet', async () => {
    const database = opened();
    const { ids, publish } = collecting();
    const journal: Journal = sqliteJournal(database);
    const { drained } = feedOf(database, publish, { journal, interval: 1 });
    await drained();
    const over = Promise.withResolvers<void>();
    const { after } = journal;
    vi.spyOn(journal, 'after').mockImplementationOnce((position, limit) => {
      const found = after(position, limit);
      queueMicrotask(() => {
        addChange(database, 'c1');
        drained().then(over.resolve, over.reject);
      });
      return found;
    });
    await over.promise;
    expect(ids).toEqual(['c1']);
  });

  it('when stopped hands over nothing more, and tells those who wait', async () => {
    const database = opened();
    addChange(database, 'c1');
    const failing: Publish = async () => Promise.reject(new Error('no topic'));
    const { drained, stop, position, notices } = feedOf(database, failing);
    const waiting = drained();
    waiting.catch(() => undefined);
    await eventually(() => expect(notices).toHaveLength(1));
    await stop();
    await expect(waiting).rejects.toThrow('The feed was stopped.');
    await expect(drained()).rejects.toThrow('The feed was stopped.');
    expect(position()).toBe(0);
    expect(notices).toHaveLength(1);
  });
});

it('the feed is woken by each commit and announcement that has events, also in a run with a deadline', async () => {
  const calls: string[] = [];
  const called = (name: string) => async () => {
    calls.push(name);
    return 'committed' as const;
  };
  const snapshots = { commit: called('commit'), announce: called('announce') } as unknown as Snapshots;
  const woken = waking(snapshots, () => void calls.push('woken')).until(0);
  const process = { workspace: 'w', processId: 'p' };
  expect(await woken.commit(process, { events: [{}] } as never)).toBe('committed');
  expect(await woken.commit(process, { events: [] } as never)).toBe('committed');
  expect(await woken.announce(process, {} as never)).toBe('committed');
  expect(calls).toEqual(['commit', 'woken', 'commit', 'announce', 'woken']);
});
