import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventText } from '../cli/show/events.ts';
import { csv } from '../console/model/csv.ts';
import { csvRows, entryOf } from '../console/model/history.ts';
import type { Json } from '../functions/basics/json.ts';
import { wants } from '../functions/model/filter.ts';
import { commitOf, slackMessages, teamsMessages } from './kit/delivery/chat-batches.ts';
import {
  compared,
  expectLinearIn,
  paper,
  TEXTS,
  TYPES,
  testAnswersWith,
  UNITS,
  wide,
} from './kit/hostile-values.ts';

const DRAWN = 2;

describe('a text of up to 1 MB takes time in proportion to its length, whatever it is made of', () => {
  it.each(Object.keys(TEXTS))('%s', name => {
    // A megabyte of each would take minutes: each state of the code tries others.
    fc.assert(
      fc.property(fc.constantFrom(...UNITS), unit => expectLinearIn(name, unit)),
      { numRuns: DRAWN, endOnFailure: true },
    );
    TEXTS[name]?.(UNITS.map(unit => unit.repeat(2 ** 20 / UNITS.length / unit.length)).join(''));
  });
});

describe.each(wide.map(value => [value]))('a value of 100,000 members (%#)', testAnswersWith);

describe('a record of 100,000 members, or of 200 levels', () => {
  const nested = JSON.parse(`${'['.repeat(199)}1${']'.repeat(199)}`) as Json;
  it.each([nested, ...wide.map(value => JSON.parse(value) as Json)].map(value => [value]))(
    'is compared and emitted within the limits of an event (%#)',
    value => {
      const types = Object.fromEntries(TYPES.map(type => [type, value]));
      const changes = compared({ id: '1' }, { id: '1', ...types, value });
      expect(changes).toHaveLength(1);
      const events = commitOf([...changes]);
      for (const event of events) {
        expect(JSON.stringify(event).length).toBeLessThan(240 * 1024);
        for (const shown of [slackMessages([event]), teamsMessages([event]), wants({ fields: ['x'] }, event)])
          expect(shown).toBeDefined();
        const whole = { committedAt: '2026-01-01T00:00:00.000Z', event } as never;
        expect(eventText(whole, paper as never)).not.toBe('');
        expect(csv(['a'], csvRows([entryOf(whole)]))).not.toBe('');
      }
    },
  );
});
