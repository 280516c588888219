import { describe, expect, it } from 'vitest';
import { Coverage } from '../faults.ts';
import type { Rollout } from '../plan.ts';
import { lastRelease, today } from './release.ts';
import { Releases } from './releases.ts';

/** Which releases are drawn in some runs of each of these steps, and how often what happened. */
function drawn(rollout: Rollout | undefined, steps: number) {
  const coverage = new Coverage();
  let turn = 0;
  const releases = new Releases(rollout, () => (turn++ % 2) / 2, coverage);
  const names = Array.from({ length: steps }, (_, step) => {
    releases.reach(step);
    const some = [releases.draw('poll'), releases.draw('poll')];
    return some.map(one => (one === today ? 'today' : 'last')).join(' ');
  });
  releases.settle();
  const settled = releases.draw('poll') === today;
  return {
    names,
    settled,
    counts: coverage.rows.filter(([, , count]) => count > 0).map(row => row.slice(1)),
  };
}

const [ALL_LAST, EITHER, ALL_TODAY] = ['last last', 'last today', 'today today'];

describe('the release of a run', () => {
  it('is the last one before a rollout, either during it, and then that of today', () => {
    expect(drawn({ from: 'last', turns: [1, 3] }, 4)).toEqual({
      names: [ALL_LAST, EITHER, EITHER, ALL_TODAY],
      settled: true,
      counts: [
        ['poll of the last', 4],
        ['rolled out', 1],
      ],
    });
  });

  it('is again the last one after a rollback, which may follow at once', () => {
    const { names, settled, counts } = drawn({ from: 'last', turns: [1, 2, 2, 3] }, 4);
    expect(names).toEqual([ALL_LAST, EITHER, EITHER, ALL_LAST]);
    expect(settled).toBe(true);
    expect(counts).toContainEqual(['rolled back', 1]);
    expect(drawn({ from: 'today', turns: [0, 1] }, 2).names).toEqual([EITHER, ALL_LAST]);
  });

  it('is that of today where nothing is rolled out', () => {
    expect(drawn(undefined, 2)).toEqual({ names: [ALL_TODAY, ALL_TODAY], settled: true, counts: [] });
  });
});

describe('the functions of the last release', () => {
  it('are all that the simulation runs, and none of today', () => {
    const [last, now] = [lastRelease(), today] as unknown as Record<string, unknown>[];
    for (const [name, each] of Object.entries(now ?? {})) {
      expect(last, `${name}: translate it in release.ts`).toHaveProperty(name);
      if (typeof each === 'function') expect(last?.[name]).not.toBe(each);
    }
  });
});
