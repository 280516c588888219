import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../functions/basics/json.ts';
import type { ProjectContent } from '../../../functions/model/snapshot.ts';
import { Checker } from '../../../functions/operations/verify/checker.ts';
import { type Change, changeOf, recordsOf, subjectOf } from '../../../functions/operations/verify/facts.ts';
import { type Content, contentOf, eventsBetween } from '../../kit/operations/history.ts';

const PROCESS = { workspace: 'eu', processId: 'launch' };
const PROJECT = 'p.1';
const SUBJECT = subjectOf(PROJECT);

const text = fc.constantFrom<string | null>(null, '', 'x', 'y', 'long '.repeat(60), `${'long '.repeat(60)}!`);
const record = fc.record<JsonObject>(
  {
    ...{ id: fc.constantFrom<number | string>(7, '7'), name: text },
    updatedAt: fc.nat(),
    parts: fc.constantFrom([{ ownerId: 7, note: 'a' }], [{ note: 'a', ownerId: '7' }], [], null),
    count: fc.constantFrom<string | number | null>('1.0', '1.00', 1, '2', null),
    teams: fc.constantFrom<string[] | string | null>(['a', 'b'], ['b', 'a', 'a'], ['a'], 'a', [], null),
  },
  { requiredKeys: ['id'] },
);
const content: fc.Arbitrary<Content> = fc.record({
  record,
  tasks: fc.dictionary(fc.constantFrom('1', '2', 'a b'), record, { noNullPrototype: true }),
});
/** The states of a project in their order; undefined: deleted. A state that changes nothing may be stored
 *  all the same. */
const states = fc.array(fc.option(fc.record({ content, isStored: fc.boolean() }), { nil: undefined }), {
  maxLength: 8,
});

interface History {
  readonly changes: Change[];
  readonly last: ProjectContent | undefined;
}

/** Commits the states as passes do. The first one is the baseline's. */
function historyOf(all: readonly ({ content: Content; isStored: boolean } | undefined)[]): History {
  const [first, ...later] = all;
  let last = first && contentOf(first.content);
  const changes: Change[] = [];
  for (const [index, state] of later.entries()) {
    const next = state && contentOf(state.content);
    const events = eventsBetween(PROCESS, PROJECT, [last, next], 1_000 + index);
    changes.push(...events.flatMap(event => changeOf(event, new Set()) ?? []));
    if (events.length > 0 || state?.isStored) last = next;
  }
  return { changes, last };
}

function checkerOf(changes: readonly Change[]): Checker {
  const checker = new Checker();
  for (const change of changes) checker.take(change);
  return checker;
}

/** A state that no commit stores. */
const unstored = (record: JsonObject, tasks: Content['tasks'] = {}) => ({
  ...{ content: { record, tasks }, isStored: false },
});

const storedOf = (last: ProjectContent | undefined) => ({
  records: new Map([...(last ? recordsOf(PROJECT, last) : [])].map(([name, all]) => [name, new Map(all)])),
});

describe('the events of a project', () => {
  it('lead from one to the next and to its snapshot, whatever happened to it', () => {
    fc.assert(
      fc.property(states, all => {
        const { changes, last } = historyOf(all);
        const checker = checkerOf(changes);
        expect([checker.gaps(), checker.compare(SUBJECT, storedOf(last))]).toEqual([[], []]);
      }),
    );
  });

  it('may come late and again', () => {
    const orders = states.chain(all => {
      const { changes, last } = historyOf(all);
      const shuffled = fc.shuffledSubarray(changes, { minLength: changes.length });
      return fc.record({ last: fc.constant(last), changes: shuffled, again: fc.subarray(changes) });
    });
    fc.assert(
      fc.property(orders, ({ changes, again, last }) => {
        const checker = checkerOf([...changes, ...again]);
        expect([checker.gaps(), checker.compare(SUBJECT, storedOf(last))]).toEqual([[], []]);
      }),
    );
  });

  it('name the event that is missing between two', () => {
    const edits = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 4, maxLength: 8 });
    fc.assert(
      fc.property(edits, fc.nat(), (names, place) => {
        const { changes, last } = historyOf(names.map(name => unstored({ id: 7, name })));
        const missing = 1 + (place % (changes.length - 2));
        const checker = checkerOf(changes.toSpliced(missing, 1));
        expect(checker.compare(SUBJECT, storedOf(last))).toEqual([]);
        expect(checker.gaps()).toEqual([
          {
            ...{ record: SUBJECT, field: 'name' },
            ...{ expected: JSON.stringify(names[missing]), found: JSON.stringify(names[missing + 1]) },
            ...{ after: changes[missing - 1]?.event, event: changes[missing + 1]?.event },
          },
        ]);
      }),
    );
  });

  it('differ from a snapshot with another value, record or project', () => {
    const second = unstored({ id: 7, name: 'b' }, { 1: { id: '1', name: 'task' } });
    const { changes, last } = historyOf([unstored({ id: 7, name: 'a' }), second]);
    const checker = checkerOf(changes);
    const compare = (content: Content | undefined) =>
      checker
        .compare(SUBJECT, storedOf(content && contentOf(content)))
        .map(({ record, field, expected, found }) => [record, field, expected, found]);
    const task = `${SUBJECT}/tasks/1`;
    expect(checker.compare(SUBJECT, storedOf(last))).toEqual([]);
    expect(compare({ record: { id: 7, name: 'b' }, tasks: { 1: { name: 'other' } } })).toEqual([
      [task, 'name', '"task"', '"other"'],
    ]);
    expect(compare({ record: { id: 7 }, tasks: {} })).toEqual([
      [SUBJECT, 'name', '"b"', 'null'],
      [task, undefined, 'present', 'absent'],
    ]);
    expect(compare(undefined)).toEqual([
      [SUBJECT, undefined, 'present', 'absent'],
      [task, undefined, 'present', 'absent'],
    ]);
    expect(checker.compare(SUBJECT, { records: new Map(), problem: 'torn' })[0]?.found).toBe('torn');
  });

  it('of which one lacks values or changes prove nothing about these', () => {
    const long = (mark: string) => unstored({ id: 7, one: mark.repeat(300_000), two: 'x' });
    const { changes } = historyOf([long('a'), long('b'), long('c')]);
    expect(changes.map(({ fields }) => fields)).toEqual([[['one', null, null]], [['one', null, null]]]);
    const checker = checkerOf(changes);
    expect(checker.gaps()).toEqual([]);
    const other = contentOf({ record: { id: 7, one: 'other' }, tasks: {} });
    expect(checker.compare(SUBJECT, storedOf(other))).toEqual([]);

    const many = (mark: string) =>
      unstored(Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`f${index}`, mark])));
    const edits = historyOf([many('a'), many('b'), many('c')]);
    expect(edits.changes.map(({ isCut, fields }) => ({ isCut, fields }))).toEqual(
      Array(2).fill({ isCut: true, fields: [] }),
    );
    expect(checkerOf(edits.changes).compare(SUBJECT, storedOf(edits.last))).toEqual([]);
  });

  it('prove nothing about fields that the snapshot withholds, and all about the others', () => {
    const { changes } = historyOf(['a', 'b', 'c', 'd'].map(one => unstored({ id: 7, one, two: one })));
    const checker = checkerOf([changes[0], changes[2]] as Change[]);
    const stored = storedOf(contentOf({ record: { id: 7, one: 'x', two: 'x' }, tasks: {} }));
    const compare = (withheld: readonly string[]) =>
      checker.compare(SUBJECT, { ...stored, withheld: new Set(withheld) }).map(({ field }) => field);
    expect([checker.gaps().length, compare([])]).toEqual([2, ['one', 'two']]);
    expect([compare(['one']), checker.gaps().map(({ field }) => field)]).toEqual([['two'], ['two']]);
  });
});
