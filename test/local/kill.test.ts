import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { sleep } from '../../functions/basics/system.ts';
import type { Publish } from '../../functions/handlers/create-publish.ts';
import { openDatabase } from '../../functions/store/sqlite/database.ts';
import { sqliteJournal } from '../../functions/store/sqlite/journal.ts';
import { SNAPSHOTS_SCHEMA } from '../../functions/store/sqlite/schema.ts';
import { Feed } from '../../local/loops/feed.ts';
import { addChange, idsOf } from '../kit/local/change-records.ts';
import { afterwards, eventually, receiver, startSns } from '../kit/local/sns.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

describe('a kill between publishing and delivery, with the endpoint away at the restart', () => {
  let directory: string;
  beforeEach(() => {
    directory = temporaryDirectory();
  });

  /** One life of the journal's feed and the topic, up to its `kill`. */
  async function live(url: string, retryDelays: number[]) {
    const local = await startSns({ dataDirectory: directory, retryDelays });
    const subscribed = await local.sns.subscribe({ url, raw: true });
    local.sns.forgetOthers();
    await subscribed.confirmed;
    const database = openDatabase(join(directory, 'journal.sqlite'), [SNAPSHOTS_SCHEMA]);
    afterwards(async () => database.file.close());
    const publish: Publish = async ({ Records }) => {
      await local.publish(idsOf({ Records }));
      return { batchItemFailures: [] };
    };
    const notices: string[] = [];
    const feed = new Feed({
      journal: sqliteJournal(database),
      publish,
      sleep,
      onNotice: text => notices.push(text),
      interval: 20,
    });
    afterwards(() => feed.stop());
    const drained = async () => {
      await feed.drained();
      await local.sns.idle();
    };
    const kill = async () => void (await Promise.all([feed.stop(), local.sns.stop()]));
    return { ...local, ...subscribed, commit: (id: string) => addChange(database, id), drained, kill };
  }

  /** A first life that ends while an event is on its way; the endpoint ends, too. @returns the endpoint's address */
  async function killedOnTheWay(id: string): Promise<string> {
    const endpoint = await receiver({ reply: () => 'hang' });
    const first = await live(endpoint.url, []);
    first.commit(id);
    await eventually(() => expect(endpoint.notifications()).toHaveLength(1));
    await first.kill();
    await endpoint.close();
    return endpoint.url;
  }

  it('ends in a dead letter if it stays away, and what comes later is delivered', async () => {
    const url = await killedOnTheWay('p1');
    const second = await live(url, [5, 5]);
    await second.drained();
    expect((await second.deadLetters(second)).map(({ body }) => body)).toEqual(['p1']);
    await second.kill();
    const back = await receiver({ port: Number(new URL(url).port) });
    const third = await live(url, [5, 5]);
    third.commit('p2');
    await third.drained();
    expect(back.received.map(({ body }) => body)).toEqual(['p2']);
  });

  it('survives several kills while the endpoint is away', async () => {
    const url = await killedOnTheWay('p1');
    for (let life = 0; life < 3; life++) {
      const { notices, kill } = await live(url, [10, 60_000, 60_000, 60_000]);
      if (life === 0) await eventually(() => expect(notices.join()).toContain('failed'));
      await kill();
    }
    const back = await receiver({ port: Number(new URL(url).port) });
    await (await live(url, [])).drained();
    expect(back.notifications().map(({ body }) => body)).toEqual(['p1']);
  });
});
