import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { activity, DIVISIONS, type Division } from '../../../console/model/activity.ts';
import { changeLine } from '../../../console/model/change-line.ts';
import { EVERYTHING, type LineFilter, lineMatcher } from '../../../console/model/line-filter.ts';
import { hostileEvent, taskEvent } from '../../kit/console/events.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 24, 12, 30);
const line = (hoursAgo: number, type: string, process = 'launch') =>
  changeLine(taskEvent({ at: new Date(NOW - hoursAgo * HOUR).toISOString(), type, process }));
const week = [
  line(0, 'task.updated'),
  line(0, 'task.updated', 'hiring'),
  line(0, 'task.created'),
  line(2, 'task.created'),
  line(6 * 24, 'project.deleted'),
];
const counted = (filter: Partial<LineFilter> = {}, by: Division = 'type') => {
  const found = activity(week, { ...EVERYTHING, ...filter }, by, NOW);
  if (!found) throw new Error('No changes.');
  return { ...found, last: found.parts.slice(-3).map(({ counts }) => counts) };
};

describe('the number of changes over time', () => {
  it('is counted by type and by process, with their numbers', () => {
    const byType = counted();
    expect(byType.series).toEqual([
      { key: 'project.deleted', count: 1 },
      { key: 'task.created', count: 2 },
      { key: 'task.updated', count: 2 },
    ]);
    expect(byType.last.map(counts => counts.join(' '))).toEqual(['0 1 0', '0 0 0', '0 1 2']);
    const { series } = counted({}, 'process');
    expect(series.map(({ key, count }) => `${key} ${count}`)).toEqual(['eu/hiring 1', 'eu/launch 4']);
  });

  it('is of the changes that match the filter, over the time of all that were compared', () => {
    const { matching, compared, since, series } = counted({ type: 'task', process: 'eu/launch' });
    expect([matching, compared, since]).toEqual([3, 5, NOW - 6 * 24 * HOUR]);
    expect(series.map(({ key }) => key)).toEqual(['task.created', 'task.updated']);
    expect(counted({ type: 'field' })).toMatchObject({ matching: 0, series: [] });
  });

  it('has all times, whichever is chosen, so that another can be', () => {
    expect(counted({ since: new Date(NOW - HOUR).toISOString() }).matching).toBe(5);
  });

  it('leads from each part and series to the changes that were counted', () => {
    const { axis, parts, series } = counted();
    for (const { at, counts } of parts)
      for (const [place, count] of counts.entries()) {
        const [since, until] = [at, at + axis.size].map(time => new Date(time).toISOString());
        const filter = { ...EVERYTHING, type: series[place]?.key, since, until } as LineFilter;
        expect(week.filter(lineMatcher(filter))).toHaveLength(count);
      }
  });

  it('counts each change once, whatever events hold; the rarest processes together', () => {
    fc.assert(
      fc.property(fc.array(hostileEvent, { maxLength: 30 }), fc.constantFrom(...DIVISIONS), (events, by) => {
        const found = activity(events.map(changeLine), EVERYTHING, by, NOW);
        const { parts = [], series = [] } = found ?? {};
        const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
        const all = [parts.flatMap(({ counts }) => counts), series.map(({ count }) => count)];
        for (const counts of all) expect(sum(counts)).toBe(found?.matching ?? 0);
        expect(series.length).toBeLessThanOrEqual(6);
      }),
    );
  });
});
