import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextVersion } from '../../functions/pass/announce.ts';

const AT = Date.UTC(2026, 10, 21, 12);

it.each([
  { of: 'a first commit', last: undefined, version: AT },
  { of: 'a commit later than the last', last: AT - 1, version: AT },
  { of: 'a commit in the same millisecond', last: AT, version: AT + 1 },
  { of: 'a commit by a clock that is behind', last: AT + 2_000, version: AT + 2_001 },
])('the version of $of', ({ last, version }) => {
  expect(nextVersion(last, AT)).toBe(version);
});

it('invariant 3: versions only grow, whatever clocks say, and none lies before its time', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: AT - 5_000, max: AT + 5_000 }), { minLength: 1 }), times => {
      let last: number | undefined;
      for (const at of times) {
        const version = nextVersion(last, at);
        expect(version).toBeGreaterThan(last ?? 0);
        expect(version).toBeGreaterThanOrEqual(at);
        last = version;
      }
    }),
  );
});
