import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../functions/basics/json.ts';
import { buildEvents } from '../../functions/changes/build-events.ts';
import type { RecordChange } from '../../functions/changes/compare-project.ts';
import { MAX_EVENT_BYTES, serialise, withoutRecords } from '../../functions/changes/fit-event.ts';
import type { ProjectEvent, TaskEvent } from '../../functions/model/event.ts';
import { change, commit, field } from '../kit/changes/one-change.ts';
import { checkEvents } from '../kit/check-event.ts';
import { AT } from '../kit/time.ts';

const built = (more: Partial<RecordChange> = {}) =>
  checkEvents(buildEvents(commit, [change(more)]))[0] as ProjectEvent | TaskEvent;

it.each(['task', 'project'] as const)('an event without records of a %s says what is missing', entity => {
  const event = built({ entity });
  const slim = withoutRecords(event) as ProjectEvent | TaskEvent;
  expect(checkEvents([slim])).toHaveLength(1);
  expect(JSON.stringify(event)).toContain('"record":');
  expect(JSON.stringify(slim)).not.toContain('"record":');
  expect(slim).toMatchObject({ ...event, data: { changes: event.data.changes, truncated: ['record'] } });
});

it('an event without records stays as it is where it had none already', () => {
  const fields = Array.from({ length: 5_000 }, (_, index) =>
    field({ field: `f${index}`, to: 'x'.repeat(50) }),
  );
  const cut = built({ fields });
  expect(cut.data.truncated).toContain('record');
  expect(withoutRecords(cut)).toBe(cut);
});

describe('an event above 240 KB', () => {
  const bytes = (event: unknown) => Buffer.byteLength(JSON.stringify(event));
  const long = (length: number) => 'é'.repeat(length);
  const built = (more: Partial<RecordChange>) => checkEvents(buildEvents(commit, [change(more)]))[0];

  /** `count` changes to a value of `length` characters: which fit only when each is cut. */
  const many = (count: number, length: number) =>
    Array.from({ length: count }, (_, index) => field({ field: `f${index}`, to: 'x'.repeat(length) }));

  it('of exactly 240 KB is left alone, one byte more is not', () => {
    const empty = bytes(built({ record: { text: '' } }));
    const filled = (more: number) => built({ record: { text: 'x'.repeat(MAX_EVENT_BYTES - empty + more) } });
    expect(bytes(filled(0))).toBe(MAX_EVENT_BYTES);
    expect(filled(0)?.data).not.toHaveProperty('truncated');
    expect(filled(1)?.data).toHaveProperty('truncated', ['record']);
  });

  it('at last keeps fewer changes, when there are too many of them', () => {
    const fields = Array.from({ length: 5_000 }, (_, index) => field({ field: `f${index}`, to: long(50) }));
    const event = built({ fields });
    expect(event?.data.truncated).toEqual(['record', 'changes']);
    expect(event?.data).not.toHaveProperty('task.record');
    expect(event?.data.changes.length).toBeGreaterThan(500);
  });

  it('keeps long values whole when it fits without its record', () => {
    const event = built({ record: { text: long(200_000) }, fields: [field({ to: 'x'.repeat(20_000) })] });
    expect(event?.data.truncated).toEqual(['record']);
    expect(event?.data.changes[0]?.to).toHaveLength(20_000);
  });

  it.each([
    [20, 8_192],
    [150, 1_024],
    [500, 128],
    [1_300, 16],
  ])('with %i long values keeps %i characters of each', (count, kept) => {
    const event = built({ fields: many(count, 20_000) });
    expect(event?.data.changes).toHaveLength(count);
    for (const { from, to } of event?.data.changes ?? [])
      expect([from, to]).toEqual(['Open', `${'x'.repeat(kept)}…`]);
  });

  it('leaves a value alone that is not too long, to the character', () => {
    const whole = 'x'.repeat(8_190);
    const event = built({ fields: [field({ from: whole, to: `${whole}y` }), ...many(20, 20_000)] });
    expect(event?.data.changes[0]).toMatchObject({ from: whole, to: `${whole}y` });
    expect(event?.data.truncated?.slice(0, 3)).toEqual(['record', 'changes[0].to', 'changes[1].to']);
  });

  it('cuts names only when they are long themselves', () => {
    const names = (length: number) => ({ name: 'n'.repeat(length / 4), field: 'f'.repeat(length) });
    const fields = [field(names(1_024)), field(names(1_028)), ...many(20, 20_000)];
    const event = built({ record: { title: 't'.repeat(1_024) }, fields });
    expect(event?.data).toHaveProperty('task.name', 't'.repeat(1_024));
    expect(event?.data.changes.slice(0, 2)).toMatchObject([
      { name: 'n'.repeat(256), field: 'f'.repeat(1_024) },
      { name: `${'n'.repeat(256)}…`, field: `${'f'.repeat(1_024)}…` },
    ]);
    expect(built({ record: { title: 't'.repeat(1_025) }, fields })?.data).toHaveProperty(
      'task.name',
      `${'t'.repeat(1_024)}…`,
    );
  });

  it('shows of a cut value its beginning as text, of cut choices one text', () => {
    const choices = Array.from({ length: 40_000 }, (_, index) => `choice ${index}`);
    const event = built({
      fields: [field({ from: { a: 'x'.repeat(200_000) }, to: choices, added: choices, removed: ['b'] })],
    });
    const [told] = event?.data.changes ?? [];
    expect(told?.from).toBe(`{"a":"${'x'.repeat(8_186)}…`);
    expect(told?.to).toBe(`${JSON.stringify(choices).slice(0, 8_192)}…`);
    expect(told?.added).toEqual([told?.to]);
    expect(told?.removed).toEqual(['b']);
    const cut = ['changes[0].from', 'changes[0].to', 'changes[0].added'];
    expect(event?.data.truncated).toEqual(['record', ...cut]);
  });

  it('is cut before a character that would be halved; the same sign inside the text stays', () => {
    const event = built({ fields: [field({ from: `�${'😀'.repeat(50_000)}`, to: '😀'.repeat(50_000) })] });
    const [told] = event?.data.changes ?? [];
    expect(told?.from).toBe(`�${'😀'.repeat(4_095)}…`);
    expect(told?.to).toBe(`${'😀'.repeat(4_096)}…`);
  });

  it('that can not be made to fit is given up on, not tried for ever', () => {
    const [event] = buildEvents({ ...commit, processId: long(MAX_EVENT_BYTES) }, [change()]);
    expect(event?.data).toMatchObject({ changes: [], truncated: ['record', 'changes'] });
  });

  it('fits whatever its values are, and keeps its id, type and sequence', () => {
    const huge = fc
      .tuple(fc.constantFrom('a', 'é', '😀', '"', '\u0000', '\ud800'), fc.nat(150_000))
      .map(([unit, count]) => unit.repeat(count));
    const some = fc.oneof(
      huge,
      huge.map((text): Json => [text]),
      huge.map((text): Json => ({ text })),
    );
    fc.assert(
      fc.property(fc.array(some, { minLength: 1, maxLength: 4 }), fc.boolean(), (values, ofProject) => {
        const fields = values.map((to, index) => field({ field: `f${index}`, to }));
        const record = Object.fromEntries(fields.map(({ field, to }) => [field, to]));
        const [event] = checkEvents(
          buildEvents(commit, [change({ entity: ofProject ? 'project' : 'task', fields, record })]),
        );
        expect(bytes(event)).toBeLessThanOrEqual(MAX_EVENT_BYTES);
        expect(event).toMatchObject({ id: `onboarding.p%2E1.${AT}.0`, sequence: String(AT) });
      }),
      { numRuns: 25 },
    );
  });
});

it('the text that is sent has none of the characters that SNS and SQS refuse, and says the same', () => {
  const value = { text: 'a\ufffe\uffff\ufffd\ud800\u0000' };
  expect(serialise(value)).toBe('{"text":"a\\ufffe\\uffff\ufffd\\ud800\\u0000"}');
  expect(JSON.parse(serialise(value))).toEqual(value);
});
