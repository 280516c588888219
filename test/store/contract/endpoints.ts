import { beforeEach, describe, expect, it } from 'vitest';
import type { EndpointRow, Health } from '../../../functions/model/endpoint-row.ts';
import type { EndpointRows } from '../../../functions/store/store.ts';

const AT = Date.UTC(2026, 10, 21, 12);

let round = 0;

/** What every registry of endpoints must do. */
export function endpointRowsContract(create: () => EndpointRows): void {
  describe('endpoints’ rows', () => {
    let rows: EndpointRows;
    let name: string;
    beforeEach(() => {
      rows = create();
      name = `endpoint-${++round}`;
    });
    const row = (health: Health = {}, of = name): EndpointRow => ({ name: of, health });
    const failed = (before: EndpointRow | undefined): EndpointRow => {
      const { count, since } = before?.health.failures ?? { count: 0, since: AT };
      return row({ failures: { count: count + 1, since } }, before?.name);
    };

    it('hold what was decided, whole', async () => {
      const settings = {
        name,
        kind: 'slack' as const,
        secret: 'Größe \ud800 "quoted"',
        filter: { fields: ['a'], values: [{ field: 'status', to: ['Done', 1, true] }] },
        ...{ queueArn: 'arn', queueUrl: 'url', deadLetterUrl: 'dead' },
      };
      const health = {
        stopped: { at: AT, reason: 'answered 410' },
        waiting: { added: 3, due: AT, first: true },
        notBefore: AT + 1,
      };
      const whole = { name, settings, health };
      expect(await rows.change(name, () => whole)).toEqual(whole);
      expect(await rows.read(name)).toEqual(whole);
      expect(await rows.change(name, () => row())).toEqual(row());
      expect(await rows.read(name)).toEqual(row());
    });

    it('are decided on by what they are', async () => {
      const seen: (EndpointRow | undefined)[] = [];
      for (let count = 0; count < 3; count++)
        await rows.change(name, before => {
          seen.push(before);
          return failed(before);
        });
      const counted = (count: number) => row({ failures: { count, since: AT } });
      expect(seen).toEqual([undefined, counted(1), counted(2)]);
      expect(await rows.read(name)).toEqual(counted(3));
    });

    it('stay as they are where nothing is decided, and when the decision fails', async () => {
      expect(await rows.change(name, () => undefined)).toBeUndefined();
      expect(await rows.read(name)).toBeUndefined();
      await rows.change(name, failed);
      expect(await rows.change(name, () => undefined)).toEqual(failed(undefined));
      expect(await rows.read(name)).toEqual(failed(undefined));
      const failing = rows.change(name, () => {
        throw new Error('refused');
      });
      await expect(failing).rejects.toThrow('refused');
      expect(await rows.read(name)).toEqual(failed(undefined));
    });

    it('are removed, also one that is not there, and can come again', async () => {
      expect(await rows.change(name, () => 'removed')).toBeUndefined();
      await rows.change(name, failed);
      expect(await rows.change(name, () => 'removed')).toBeUndefined();
      expect(await rows.read(name)).toBeUndefined();
      await rows.change(name, failed);
      expect(await rows.read(name)).toEqual(failed(undefined));
    });

    it('are listed by name, each once', async () => {
      const names = ['b', 'a_1', 'a-b', 'a.b', 'a'].map(end => `${name}.${end}`);
      for (const one of names) await rows.change(one, () => row({}, one));
      const listed = (await rows.list()).filter(one => one.name.startsWith(`${name}.`));
      expect(listed).toEqual(names.toSorted().map(one => row({}, one)));
    });
  });
}
