import { describe, expect, it } from 'vitest';
import type { AssertionName } from '../../functions/basics/assert.ts';
import { COMMIT, WRONG_CONTENTS } from './commit.ts';
import { shownBy } from './trip.ts';

const ALL: Readonly<Record<AssertionName, () => unknown>> = { ...COMMIT };

describe('an assertion', () => {
  it.each(Object.entries(ALL))('%s fails where the code has a defect', async (name, trip) => {
    expect(await shownBy(trip)).toContain(`assertion.failed: ${name}:`);
  });

  it.each(WRONG_CONTENTS)('stops a commit where %s', async (_, commit) => {
    expect(await shownBy(commit)).toContain('assertion.failed: commit.changes-give-content:');
  });
});
