import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../functions/basics/json.ts';
import { type Place, placesIn } from '../../../functions/pass/audit-log/entry-facts.ts';

/** What the keys say of the only value in an entry. */
const placeIn = (entry: JsonObject) => placesIn(entry)[0] as Place;
/** An entry whose only value stands under these keys. */
const under = (...keys: string[]): JsonObject =>
  keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), 'x') as JsonObject;

describe('the values of an entry', () => {
  it('come in its order, from lists and objects alike, null and the empty ones too', () => {
    const entry = { a: 'one', b: [2, { c: 'three' }, ['four']], d: null, e: true, f: {}, g: [] };
    expect(placesIn(entry).map(({ text }) => text)).toEqual(['one', '2', 'three', 'four', '', '', '', '']);
  });

  it('are an empty one in an empty entry', () => {
    expect(placesIn({})).toEqual([{ ...placeIn(under('')), text: '' }]);
  });

  it('have nothing said of them by keys without a word', () => {
    expect(placeIn(under('', '_'))).toEqual({
      ...{ text: 'x', user: undefined, isOfOthers: false, isContent: false },
      ...{ isOfProject: false, isOfTask: false, mayIdentify: true },
    });
  });
});

describe('a key says', () => {
  it.each(['userId', 'user_id', 'USER-ID', 'createdBy', 'who', 'Actor', 'lastEDITOR'])(
    'who did it, in whatever way its words are put together: %s',
    key => {
      expect(placeIn(under('data', key)).user).toEqual({ key, depth: 1 });
    },
  );

  it.each(['superuser', 'bystander', 'useful', 'user2'])('nothing of it as a part of a word: %s', key => {
    expect(placeIn(under(key)).user).toBeUndefined();
  });

  it('who did it, by the outermost that does', () => {
    expect(placeIn(under('by', 'user', 'id')).user).toEqual({ key: 'by', depth: 0 });
  });

  it.each([
    ['projectId', { isOfProject: true, isOfTask: false }],
    ['subtasks', { isOfProject: false, isOfTask: true }],
    ['projectTask', { isOfProject: true, isOfTask: true }],
  ])('which record is meant: %s, and whatever stands in it', (key, said) => {
    expect(placeIn(under(key))).toMatchObject({ ...said, isOfOthers: true, isContent: false });
    expect(placeIn(under(key, 'any'))).toMatchObject({ ...said, isOfOthers: true });
  });

  it.each(['target', 'assignee', 'onBehalfOf'])(
    'that others are meant: %s, and whoever stands in it',
    key => {
      expect(placeIn(under(key))).toMatchObject({ isOfOthers: true });
      expect(placeIn(under(key, 'any', 'id'))).toMatchObject({ isOfOthers: true, isOfProject: false });
    },
  );

  it('that others are meant by what is no identifier in a user, by no word of a user itself', () => {
    expect(placeIn(under('user', 'id')).isOfOthers).toBe(false);
    expect(placeIn(under('user', 'userId')).isOfOthers).toBe(false);
    expect(placeIn(under('user', 'departmentId')).isOfOthers).toBe(true);
    expect(placeIn(under('user', 'departmentId', 'id')).isOfOthers).toBe(true);
    expect(placeIn(under('departmentId')).isOfOthers).toBe(false);
  });

  it.each([
    [['newValue'], true],
    [['comment', 'id'], true],
    [['fromProjectId'], false],
    [['oldTaskId'], false],
    [['fromProject'], true],
    [['fromId'], true],
    [['from', 'projectId'], true],
  ] as const)('that here is content: %j is %s', (keys, isContent) => {
    expect(placeIn(under(...keys)).isContent).toBe(isContent);
  });

  it('what may be an identifier: any text, a number by its key alone, the entry’s own by none', () => {
    const mayIdentify = (entry: JsonObject) => placeIn(entry).mayIdentify;
    for (const key of ['n', 'ref', 'user', 'projects', 'task', 'target']) {
      expect(mayIdentify({ [key]: 'x' })).toBe(true);
      expect(mayIdentify({ [key]: 7 })).toBe(key !== 'n');
    }
    expect(mayIdentify({ id: 'x' })).toBe(false);
    expect(mayIdentify({ a: { id: 'x' } })).toBe(true);
    expect(mayIdentify({ ids: 7 })).toBe(true);
  });
});

describe('an entry that is larger than any', () => {
  it('is looked at as far as 10,000 values', () => {
    const many = Array.from({ length: 10_001 }, (_, index) => index);
    expect(placesIn({ many: many.slice(1) })).toHaveLength(10_000);
    expect(placesIn({ many }).at(-1)?.text).toBe('9999');
  });
});
