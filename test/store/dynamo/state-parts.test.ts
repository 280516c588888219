import { type AttributeValue, DeleteItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type SavedState, UNKNOWN_PROCESS } from '../../../functions/model/process-state.ts';
import { encode } from '../../../functions/store/codec.ts';
import { createSnapshots } from '../../../functions/store/dynamo/store.ts';
import type { Lease } from '../../../functions/store/store.ts';
import { AT, event, noise } from '../../kit/store/subject.ts';
import { openModel, TABLE_TIMING } from '../../kit/table.ts';

const process = { workspace: 'eu', processId: 'p' };
const HOUR = 3_600_000;
let opened: ReturnType<typeof openModel>;
let sent: object[];
let now: number;
let draws: number[];
beforeEach(() => {
  opened = openModel(command => void sent.push(command));
  sent = [];
  now = AT;
  draws = [];
});
const snapshots = () => {
  const timing = { ...TABLE_TIMING, clock: () => now, random: () => draws.shift() ?? 0.5 };
  return createSnapshots({ ...opened, timing });
};
const finish = async (state: Partial<SavedState>) => {
  const lease = await snapshots().takeLease(process, { mode: 'changes', owner: 'me', now, until: now + 1 });
  return snapshots().finish(process, lease as Lease, state);
};
/** The sort keys of the state's items. */
const keys = () =>
  [...opened.model.items()].flatMap(({ sk }) => (sk?.S?.startsWith('STATE') ? [sk.S] : [])).sort();
const attribute = (name: string): AttributeValue | undefined =>
  [...opened.model.items()].find(({ sk }) => sk?.S === 'STATE')?.[name];
/** A list of identifiers whose JSON has so many bytes. */
const list = (bytes: number, seed = 1) => [
  noise(bytes, seed)
    .replaceAll(/["\\]/g, '.')
    .slice(0, bytes - 4),
];

const fieldsOf = (externalId: string) => ({ project: [{ externalId, name: '', type: 'text' }], task: [] });
const fields = (bytes: number) => fieldsOf(noise(bytes));

describe('a part of the state', () => {
  it('is in its item up to 60,000 bytes, and in items of its own above', async () => {
    await finish({ reported: list(60_000) });
    expect(keys()).toEqual(['STATE']);
    expect(attribute('reported')?.S?.length).toBe(60_000);
    expect(sent.filter(command => command.constructor.name !== 'UpdateItemCommand')).toHaveLength(1);
    draws = [0.25];
    await finish({ reported: list(60_001) });
    expect(keys()).toEqual(['STATE', `STATE#PART#reported#${AT}-${(2 ** 46).toString(36)}#0000`]);
    expect(attribute('reported')).toEqual({ M: { tag: { S: expect.any(String) }, parts: { N: '1' } } });
    expect((await snapshots().readState(process)).reported).toEqual(list(60_001));
  });

  it('that is text counts by its bytes, and one that is compressed by those', async () => {
    await finish({ reported: ['é'.repeat(30_000)] });
    expect(keys()).toHaveLength(2);
    await finish({ reported: [], definitions: fieldsOf('x'.repeat(90_000)) });
    expect(attribute('definitions')?.B).toBeDefined();
    await finish({ definitions: fields(90_000) });
    expect(attribute('definitions')?.M).toBeDefined();
  });

  it('is written in order into as many items as it fills, and read so', async () => {
    const long = list(1_000_000);
    await finish({ reported: long });
    const parts = Math.ceil(encode(long).length / 380_000);
    expect(parts).toBeGreaterThan(1);
    const numbers = keys().flatMap(key => key.match(/#PART#.*#(\d+)$/)?.[1] ?? []);
    expect(numbers).toEqual(Array.from({ length: parts }, (_, part) => String(part).padStart(4, '0')));
    expect((await snapshots().readState(process)).reported).toEqual(long);
  });

  it('that a reference leads nowhere for is an error that says what to do', async () => {
    await finish({ reported: list(1_000_000) });
    const [, key = ''] = keys();
    const Key = { pk: { S: 'W#eu#P#p' }, sk: { S: key } };
    opened.model.run(new DeleteItemCommand({ TableName: opened.tableName, Key }));
    await expect(snapshots().readState(process)).rejects.toThrow(
      /process p .*reported.*not in the table.*attribute/s,
    );
  });
});

describe('what the state no longer refers to', () => {
  const tags = () =>
    keys()
      .slice(1)
      .map(key => key.split('#')[3]?.split('-')[0]);

  it('goes an hour after it was written, when the same part is written again', async () => {
    for (const [at, kept] of [
      [AT, [AT]],
      [AT + 1, [AT, AT + 1]],
      [AT + HOUR, [AT, AT + 1, AT + HOUR]],
      [AT + HOUR + 2, [AT + HOUR, AT + HOUR + 2]],
    ] as const) {
      now = at;
      await finish({ reported: list(70_000, at - AT + 1) });
      expect(tags()).toEqual(kept.map(String));
    }
  });

  it('is not what it refers to, however old that is, nor another part', async () => {
    await finish({ reported: list(70_000) });
    await finish({ definitions: fields(90_000) });
    now = AT + 2 * HOUR;
    const lost = { mode: 'changes', owner: 'other', window: undefined, progress: undefined } as const;
    expect(await snapshots().finish(process, lost, { reported: list(80_000) })).toBe(false);
    const state = await snapshots().readState(process);
    expect([state.reported, state.definitions]).toEqual([list(70_000), fields(90_000)]);
    expect(tags()).toEqual([String(AT), String(AT), String(now)]);
  });

  it('is never another writing’s, though both come in one millisecond and look alike', async () => {
    // `1` and `10` in base 36: the one tag begins as the other does.
    for (const [index, draw] of [36, 1].entries()) {
      draws = [draw / 2 ** 48];
      await finish({ reported: list(70_000, index + 1) });
    }
    expect(keys().slice(1)).toEqual([1, 10].map(tag => `STATE#PART#reported#${AT}-${tag}#0000`).sort());
    expect((await snapshots().readState(process)).reported).toEqual(list(70_000, 2));
  });

  it('is looked for by its keys alone', async () => {
    await finish({ reported: list(70_000) });
    const queries = sent.flatMap(command => (command instanceof QueryCommand ? [command.input] : []));
    expect(queries.map(({ ProjectionExpression }) => ProjectionExpression)).toEqual(['pk, sk']);
  });

  it('is not written for an announcement that is too large by one of its rows', async () => {
    const events = Array.from(
      { length: 99 },
      () => ({ ...event(AT), subject: 'x'.repeat(200_000) }) as never,
    );
    const request = { events, version: AT, at: AT };
    const state = { skipped: 0, reported: list(70_000) };
    expect(await snapshots().announce(process, { announced: 0, state, request })).toBe('too-large');
    expect(sent).toEqual([]);
  });
});

it('fits items and transactions at any size', async () => {
  const size = fc.constantFrom(0, 1, 100, 2_000, 10_000);
  const length = fc.constantFrom(1, 30, 900);
  await fc.assert(
    fc.asyncProperty(fc.record({ size, length, seed: fc.integer({ min: 1, max: 1_000 }) }), async hostile => {
      opened = openModel();
      sent = [];
      const ids = Array.from(
        { length: hostile.size },
        (_, index) => `${index}${noise(hostile.length, hostile.seed + index)}`,
      );
      const { announced: _none, ...unknown } = UNKNOWN_PROCESS;
      const state = {
        ...unknown,
        definitions: { project: ids.map(id => ({ externalId: id, name: id, type: 'text' })), task: [] },
        reported: ids,
      };
      // The model refuses what DynamoDB would.
      expect(await finish(state)).toBe(true);
      const request = { events: [event(AT)], version: AT, at: AT };
      expect(await snapshots().announce(process, { announced: 0, state, request })).toBe('committed');
      expect(await snapshots().readState(process)).toEqual({
        ...{ ...UNKNOWN_PROCESS, ...state, announced: AT, changesEndedBy: 'me' },
      });
    }),
    { numRuns: 12 },
  );
});

/** The bounds of `pass/`, in what is longest as JSON, and hardly smaller when it is compressed. */
const AUDIT = {
  order: 'unknown' as const,
  tail: noise(4_096).replaceAll(/[!-@]/g, '\u0001'),
  seen: Array.from({ length: 5_000 }, (_, index) => noise(16, index)),
};

it('fits the row of a pass with all that may stand in it', async () => {
  const lease = await snapshots().takeLease(process, { mode: 'sweep', owner: 'me', now, until: now + 1 });
  const window = { startedAt: AT, begunAt: AT, audit: AUDIT };
  const full = { ...(lease as Lease), window, progress: 'x'.repeat(900) };
  expect(await snapshots().saveProgress(process, full, now + 1)).toBe(true);
});

it('fits the row of what passes have seen, which is one item', async () => {
  const recent = Array.from(
    { length: 250 },
    (_, index) => [noise(950, index), noise(22, index), AT, AT] as const,
  );
  expect(JSON.stringify(recent).length).toBeGreaterThan(250_000);
  expect(await finish({ audit: AUDIT, recent })).toBe(true);
  expect(keys()).toEqual([]);
  expect(await snapshots().readState(process)).toEqual({
    ...{ ...UNKNOWN_PROCESS, changesEndedBy: 'me', audit: AUDIT, recent },
  });
});
