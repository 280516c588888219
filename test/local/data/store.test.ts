import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import { openDataDirectory, openScratchDirectory } from '../../../local/data/data-directory.ts';
import { openQueues, openStore } from '../../../local/data/store.ts';
import { someEvents } from '../../kit/delivery/setting.ts';
import { AT, delivery } from '../../kit/store/delivery.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

/** A store in `path`, or one that is kept nowhere; `close` ends its run. */
function open(path?: string) {
  const directory = path === undefined ? openScratchDirectory() : openDataDirectory(path, () => undefined);
  const closers = new AsyncDisposableStack();
  const close = async () => {
    await closers.disposeAsync();
    directory.release();
  };
  onTestFinished(close);
  return { ...openStore({ closers, directory }), directory, close };
}

describe('the store of a run', () => {
  it('is one file for its user alone, in which the next run finds all', async () => {
    const path = temporaryDirectory();
    const first = open(path);
    await first.deliveries.add([delivery('e1')]);
    first.feed.moveTo('publish', 7);
    await first.close();
    expect(readdirSync(path).filter(name => name !== 'lock')).toEqual(['changewire.sqlite']);
    const next = open(path);
    expect(await next.deliveries.due('crm', AT, 9)).toMatchObject([{ eventId: 'e1' }]);
    expect(next.feed.positionOf('publish')).toBe(7);
  });

  it('counts once a delivery whose message a killed run had not deleted after writing its row', async () => {
    const path = temporaryDirectory();
    const first = open(path);
    const bodies = someEvents(3).map(event => JSON.stringify(event));
    await first.queues.deliveries.send([...bodies, 'no JSON'].map(body => ({ body, group: 'crm' })));
    await first.queues.deliveries.send([{ body: bodies[0] as string, group: 'erp' }]);
    await first.queues.deliveries.receive(9);
    const [one, , three] = someEvents(3) as [ChangeEvent, ChangeEvent, ChangeEvent];
    await first.deliveries.add([delivery(one.id), delivery(three.id)]);
    expect(await first.deliveries.counts('crm')).toMatchObject({ pending: 6 });
    await first.close();
    const next = open(path);
    expect(await next.deliveries.counts('crm')).toMatchObject({ pending: 4 });
    const left = next.queues.deliveries.messagesOf('crm').map(({ body }) => body);
    expect(left).toEqual([bodies[1], 'no JSON']);
    expect(next.queues.deliveries.messagesOf('erp')).toHaveLength(1);
  });

  it('finds deliveries also in the queues of deliveries', async () => {
    const { queues, deliveries } = open();
    const [one, other] = someEvents(2) as [ChangeEvent, ChangeEvent];
    const body = JSON.stringify(one);
    await queues.deliveries.send([{ body, group: 'crm' }]);
    const mention = structuredClone(other) as ChangeEvent & { type: 'task.updated' };
    Object.assign(mention.data.changes[0] as object, { to: other.id });
    await queues.chat.send([
      { body: JSON.stringify({ ...mention, id: 'about-another' }), group: 'team' },
      { body: JSON.stringify(other), group: 'team' },
    ]);
    const find = (endpoint: string, { id }: ChangeEvent) => deliveries.find(endpoint, { eventId: id, at: 0 });
    expect(await find('crm', one)).toMatchObject({ eventId: one.id, body, due: expect.any(Number) });
    expect(await find('team', other)).toMatchObject({ body: JSON.stringify(other) });
    expect([await find('crm', other), await find('team', one)]).toEqual([undefined, undefined]);
    await deliveries.add([delivery(one.id, { endpoint: 'crm', due: 7 })]);
    expect(await find('crm', one)).toMatchObject({ due: 7 });
  });

  it.each([
    ['events', 60],
    ['deliveries', 180],
    ['chat', 180],
    ['drains', 180],
  ] as const)('receives a message of %s again minutes after a run of %i s left it', async (name, seconds) => {
    let now = AT;
    const queue = openQueues(open().database.file, () => now)[name];
    await queue.send([{ body: 'x', group: 'crm' }]);
    expect(await queue.receive(9)).toHaveLength(1);
    now += seconds * 1_000;
    expect(await queue.receive(9)).toEqual([]);
    now += 180_000;
    expect(await queue.receive(9)).toMatchObject([{ body: 'x', receives: 2 }]);
  });

  it('is in memory when nothing is to be kept', () => {
    const { directory } = open();
    expect(readdirSync(directory.path).filter(name => name.includes('sqlite'))).toEqual([]);
  });

  it('meets a directory of the former version with one line, and leaves it as it is', () => {
    const path = temporaryDirectory();
    writeFileSync(join(path, 'table.sqlite'), 'former');
    expect(() => open(path)).toThrow(
      new Error(
        `${path} contains the data of an older version (table.sqlite), which is no longer supported. It was not ` +
          'changed, and its undelivered events stay there. Choose another directory with --data DIR, or move this one away; ' +
          'the first pass then makes a new baseline.',
      ),
    );
    expect(readdirSync(path).filter(name => !name.startsWith('lock'))).toEqual(['table.sqlite']);
    expect(readFileSync(join(path, 'table.sqlite'), 'utf8')).toBe('former');
  });
});
