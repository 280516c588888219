import { describe, expect, it } from 'vitest';
import type { EndpointRow } from '../../../functions/model/endpoint-row.ts';
import { createEndpointRows } from '../../../functions/store/dynamo/endpoints.ts';
import { openModel, TABLE_TIMING } from '../../kit/table.ts';
import { modelClient } from '../../simulation/models/table.ts';

describe('a row of the table', () => {
  const row = (added: number): EndpointRow => ({ name: 'a.b', health: { added } });
  /** `meanwhile` runs before each write. */
  const opened = (meanwhile: () => unknown = () => undefined) => {
    const { model, ...table } = openModel();
    const waits: number[] = [];
    let drawn = 0;
    const timing = {
      ...TABLE_TIMING,
      random: () => ++drawn / 1_000,
      sleep: async (ms: number) => void waits.push(ms),
    };
    const plain = { ...table, timing };
    const client = modelClient(async command => {
      if (/^(Put|Delete|Transact)/.test(command.constructor.name)) await meanwhile();
      return model.run(command);
    });
    return { model, waits, plain: createEndpointRows(plain), rows: createEndpointRows({ ...plain, client }) };
  };

  it('is one item, under its encoded name, with a number that grows', async () => {
    const { model, rows } = opened();
    await rows.change('a.b', () => row(1));
    const [first] = [...model.items()];
    await rows.change('a.b', () => row(2));
    expect([...model.items()]).toEqual([
      {
        pk: { S: 'ENDPOINTS' },
        sk: { S: 'a%2Eb' },
        row: { S: '{"name":"a.b","health":{"added":2}}' },
        revision: { N: String(Number(first?.revision?.N) + 1) },
      },
    ]);
  });

  it('changes the revision of the registry with its settings, in one transaction, and not with its health', async () => {
    const { model, rows } = opened();
    const settings = { name: 'a.b', kind: 'webhook' } as const;
    const seen: (string | undefined)[] = [await rows.revision?.()];
    const changes: (EndpointRow | 'removed' | undefined)[] = [
      row(1),
      { ...row(1), settings },
      { ...row(2), settings },
      { ...row(2), settings: { ...settings, perSecond: 3 } },
      { ...row(2), settings: { ...settings, perSecond: 3 }, secretRevision: 7 },
      undefined,
      row(2),
      { ...row(2), settings },
      'removed',
      'removed',
      row(3),
      'removed',
    ];
    for (const change of changes) {
      await rows.change('a.b', () => change);
      const revision = await rows.revision?.();
      if (revision !== seen.at(-1)) seen.push(revision);
    }
    expect(seen).toHaveLength(6);
    expect(new Set(seen).size).toBe(6);
    expect([...model.items()].map(({ pk }) => pk?.S)).toEqual(['REGISTRY']);
  });

  it('and the revision of the registry are written together or not at all', async () => {
    const { plain } = opened();
    const settings = { name: 'a.b', kind: 'webhook' } as const;
    let turn = 0;
    const table = openModel(async command => {
      if (command.constructor.name === 'TransactWriteItemsCommand' && ++turn === 1)
        await createEndpointRows(table).change('a.b', () => row(50));
    });
    const rows = createEndpointRows(table);
    const revisions: (string | undefined)[] = [];
    await rows.change('a.b', before => {
      revisions.push(undefined);
      return { name: 'a.b', health: before?.health ?? {}, settings };
    });
    expect([revisions.length, await rows.read('a.b')]).toEqual([2, { ...row(50), settings }]);
    expect(await rows.revision?.()).toBeDefined();
    expect(await plain.revision?.()).toBeUndefined();
  });

  it('that is removed and made anew meanwhile is decided on again, and not taken for the old one', async () => {
    let turn = 0;
    const { rows, plain, waits } = opened(async () => {
      if (++turn !== 2) return;
      await plain.change('a.b', () => 'removed');
      await plain.change('a.b', () => row(50));
    });
    await rows.change('a.b', () => row(1));
    const added = await rows.change('a.b', before => row((before?.health.added ?? 0) + 1));
    expect(added).toEqual(row(51));
    expect(waits).toHaveLength(1);
  });

  it('that is changed meanwhile is not removed, unless that is decided again', async () => {
    let turn = 0;
    const { rows, plain } = opened(async () => {
      if (++turn === 2) await plain.change('a.b', () => row(2));
    });
    await rows.change('a.b', () => row(1));
    const left = await rows.change('a.b', before => (before?.health.added === 1 ? 'removed' : undefined));
    expect(left).toEqual(row(2));
  });

  it('that somebody else changes each time is given up after 50 tries, each after a wait of at most 400 ms', async () => {
    let added = 0;
    const { rows, plain, waits } = opened(() => plain.change('a.b', () => row(++added)));
    await expect(rows.change('a.b', () => row(0))).rejects.toThrow(
      'Could not write the row of endpoint a.b: other writes came first each time.',
    );
    expect([added, waits.length]).toEqual([50, 49]);
    expect(Math.max(...waits)).toBeLessThan(400);
  });
});
