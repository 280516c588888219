import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { filePosition } from '../../local/stream/position.ts';
import { startStreamPump } from '../../local/stream/pump.ts';
import { eventually, receiver, sleep, startHouse } from './sns/house.ts';
import { idsOf, startedTable, type Table } from './stream/support.ts';
import { commit, temporaryDirectory } from './support.ts';

describe('a kill between publishing and delivery, with the endpoint away at the restart', () => {
  let table: Table;
  let directory: string;
  beforeEach(async () => {
    table = await startedTable();
    directory = temporaryDirectory();
  });

  /** One life of the stream's pump and the topic, up to its `kill`. */
  async function live(url: string, retryDelays: number[]) {
    const house = await startHouse({ dataDirectory: directory, retryDelays });
    const subscribed = await house.sns.subscribe({ url, raw: true });
    house.sns.forgetOthers();
    await subscribed.confirmed;
    const pump = startStreamPump({
      ...table,
      publish: async event => {
        await house.publish(idsOf(event));
        return { batchItemFailures: [] };
      },
      delivered: house.sns.idle,
      position: filePosition(join(directory, 'position.json')),
      sleep,
      interval: 20,
    });
    onTestFinished(pump.stop);
    const kill = async () => void (await Promise.all([pump.stop(), house.sns.stop()]));
    return { ...house, ...subscribed, pump, kill };
  }

  /** A first life that ends while an event is on its way; the endpoint ends, too. @returns the endpoint's address */
  async function killedOnTheWay(id: string): Promise<string> {
    const endpoint = await receiver({ reply: () => 'hang' });
    const first = await live(endpoint.url, []);
    await commit(table.client, id);
    await eventually(() => expect(endpoint.notifications()).toHaveLength(1));
    await first.kill();
    await endpoint.close();
    expect(existsSync(join(directory, 'position.json'))).toBe(false);
    return endpoint.url;
  }

  it('ends in delivery once the endpoint is back', async () => {
    const url = await killedOnTheWay('p1');
    const second = await live(url, Array(400).fill(10));
    await eventually(() => expect(second.notices.map(({ kind }) => kind)).toContain('retrying'));
    const back = await receiver({ port: Number(new URL(url).port) });
    await second.pump.drained();
    expect(back.received.map(({ type, body }) => [type, body])).toEqual([['Notification', 'p1']]);
  });

  it('ends in the dead-letter file if it stays away, and the position moves on', async () => {
    const url = await killedOnTheWay('p1');
    const second = await live(url, [5, 5]);
    await second.pump.drained();
    expect((await second.deadLetters()).map(({ Body }) => Body)).toEqual(['p1']);
    await second.kill();
    const back = await receiver({ port: Number(new URL(url).port) });
    const third = await live(url, [5, 5]);
    await commit(table.client, 'p2');
    await third.pump.drained();
    expect(back.received.map(({ body }) => body)).toEqual(['p2']);
  });

  it('survives several kills while the endpoint is away', async () => {
    const url = await killedOnTheWay('p1');
    for (let life = 0; life < 3; life++) {
      const { notices, kill } = await live(url, [60_000]);
      await eventually(() => expect(notices.map(({ kind }) => kind)).toContain('retrying'));
      await kill();
    }
    const back = await receiver({ port: Number(new URL(url).port) });
    await (await live(url, [])).pump.drained();
    expect(back.notifications().map(({ body }) => body)).toEqual(['p1']);
  });
});
