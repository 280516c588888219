import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyFeed, type Feed, withNew, withOlder } from '../../../console/model/feed.ts';

interface Line {
  readonly id: string;
  readonly at: number;
}
const line = (at: number, id = String(at)): Line => ({ id, at });
const ids = ({ lines }: Feed<Line>) => lines.map(({ id }) => id);

describe('the feed', () => {
  it('has what came last on top', () => {
    const feed = withNew(withOlder(emptyFeed<Line>(), [line(2), line(1)]), [line(3), line(4)]);
    expect(ids(feed)).toEqual(['4', '3', '2', '1']);
    expect(feed.arrived).toBe(2);
  });

  it('is the same object when nothing new came', () => {
    const feed = withOlder(emptyFeed<Line>(), [line(1)]);
    expect(withNew(feed, [line(1)])).toBe(feed);
    expect(withOlder(feed, [line(1)])).toBe(feed);
  });

  it('keeps the later one of two of one time on top', () => {
    expect(ids(withNew(emptyFeed<Line>(), [line(1, 'first'), line(1, 'second')]))).toEqual([
      'second',
      'first',
    ]);
  });

  it('has each line once, newest first, and never more than it may, however they come', () => {
    const came = fc.array(
      fc.record({ id: fc.integer({ min: 0, max: 30 }).map(String), at: fc.integer({ min: 0, max: 20 }) }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.boolean(), came)),
        fc.integer({ min: 1, max: 12 }),
        (batches, most) => {
          let feed = emptyFeed<Line>();
          for (const [isNew, lines] of batches) feed = isNew ? withNew(feed, lines, most) : feed;
          expect(new Set(ids(feed)).size).toBe(feed.lines.length);
          expect(feed.lines.length).toBeLessThanOrEqual(most);
          expect([...feed.ids].toSorted()).toEqual(ids(feed).toSorted());
          const times = feed.lines.map(({ at }) => at);
          expect(times).toEqual(times.toSorted((one, other) => other - one));
        },
      ),
    );
  });
});
