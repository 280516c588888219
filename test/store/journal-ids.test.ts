import { expect, it } from 'vitest';
import { changePlaceOf, entryPlaceOf } from '../../functions/store/keys.ts';

it('an event’s id tells the process, the end of the change record’s key, and the version', () => {
  expect(changePlaceOf('on%20boarding.p%2E1.1795262400000.12')).toEqual({
    process: 'on%20boarding',
    end: '#p%2E1#1795262400000',
    version: 1_795_262_400_000,
  });
  expect(changePlaceOf('p..7.0')).toEqual({ process: 'p', end: '##7', version: 7 });
});

it.each(['', 'a.b.7', 'a.b.7.0x', 'a.b.7.', '#a.b.7.0', 'a b.c.7.0', `a.b.${'1'.repeat(17)}.0`])(
  'what is no event’s id tells nothing: %s',
  id => expect(changePlaceOf(id)).toBeUndefined(),
);

const DIGEST = '0123456789abcdef'.repeat(2);

it('the id of an audit entry’s event tells the process and the entry', () => {
  expect(entryPlaceOf(`on%20boarding..${DIGEST}.0`)).toEqual({ process: 'on%20boarding', digest: DIGEST });
  expect(changePlaceOf(`on%20boarding..${DIGEST}.0`)).toBeUndefined();
});

it.each([
  `p..${DIGEST}.1`,
  `p..${DIGEST}.0x`,
  `p..${DIGEST}0.0`,
  `p..${DIGEST.slice(1)}.0`,
  `a.p..${DIGEST}.0`,
  'p..7.0',
])('what is no id of an audit entry’s event tells no entry: %s', id =>
  expect(entryPlaceOf(id)).toBeUndefined(),
);
