import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Backlog, courseText, linePoints, withSample } from '../../../console/model/backlog.ts';
import { backOff } from '../../../console/model/backoff.ts';
import { changeLine } from '../../../console/model/change-line.ts';
import { jsonTokens, prettyJson } from '../../../console/model/json-view.ts';
import { EVERYTHING, isFiltered, lineMatcher } from '../../../console/model/line-filter.ts';
import { fieldNames, pastOf, tried } from '../../../console/model/preview.ts';
import {
  ago,
  beginningOf,
  comes,
  every,
  localInput,
  readLocalInput,
  type Since,
  sinceText,
} from '../../../console/model/times.ts';
import type { EndpointFilter } from '../../../functions/model/filter.ts';
import { fieldChange, hostileEvent, hostileText, taskEvent } from '../../kit/console/events.ts';

const task = { id: '12', name: 'Task 12' };
const due = fieldChange('dueDate', '1', '2', { name: 'Due date', kind: 'custom' });
const done = taskEvent({ task, changes: [due] });

describe('a filter of the stream', () => {
  const line = changeLine(done);
  it.each([
    [{ words: 'task ONBOARDING' }, true],
    [{ words: 'task elsewhere' }, false],
    [{ type: 'task.updated' }, true],
    [{ type: 'task' }, true],
    [{ type: 'project' }, false],
    [{ field: 'due' }, true],
    [{ field: 'dueDate' }, true],
    [{ field: 'status' }, false],
    [{ process: 'eu/onboarding' }, true],
    [{ process: 'us/onboarding' }, false],
    [{ words: 'task', field: 'status' }, false],
    [{ since: '2026-11-22T10:00:00.000Z', until: '2026-11-22T10:00:00.001Z' }, true],
    [{ since: '2026-11-22T10:00:00.001Z' }, false],
    [{ until: '2026-11-22T10:00:00.000Z' }, false],
  ])('%j: %s', (part, isShown) => {
    expect(lineMatcher({ ...EVERYTHING, ...part })(line)).toBe(isShown);
  });

  it('that asks for nothing leaves nothing out', () => {
    expect(isFiltered({ ...EVERYTHING, words: '  ' })).toBe(false);
    fc.assert(
      fc.property(hostileEvent, committed => {
        expect(lineMatcher(EVERYTHING)(changeLine(committed))).toBe(true);
      }),
    );
  });
});

describe("a new endpoint's preview", () => {
  it('suggests names of fields that a filter finds: whole ones, or the id instead of one with a comma', () => {
    const long = 'Expected completion '.repeat(5).trim();
    const names = [
      ...[fieldChange('dueDate', '1', '2'), fieldChange('f-1', '1', '2', { name: long, kind: 'custom' })],
      ...[fieldChange('f-2', '1', '2', { name: 'a, b', kind: 'custom' }), { field: 'color', from: 1, to: 2 }],
    ];
    expect(fieldNames([pastOf(taskEvent({ changes: names }))])).toEqual([long, 'color', 'dueDate', 'f-2']);
  });

  it('shows what its filter would have let through, and why not the others', () => {
    const past = [pastOf(done), pastOf(taskEvent({ id: 'other', process: 'launch' }))];
    const ids = (filter: EndpointFilter) => tried(filter, past).matching.map(({ line }) => line.id);
    expect(ids({ fields: ['Due date'] })).toEqual([done.event.id]);
    expect(ids({ processes: ['launch'] })).toEqual(['other']);
    expect(tried(undefined, past)).toEqual({ matching: past, excluded: [] });
    expect(tried({ processes: ['launch'] }, past).excluded).toEqual([
      { ...past[0], reason: 'its process is onboarding' },
    ]);
    const [first] = tried({ where: [{ dueDate: { moved: 'earlier' } }] }, past).excluded;
    expect(first?.reason).toBe('`dueDate` was a number; `earlier` needs a date');
  });

  it('fails for no event, whatever it holds', () => {
    fc.assert(
      fc.property(hostileEvent, hostileText, (committed, text) => {
        const where = [{ [text]: { moved: 'later' as const, contains: [text], after: 'today' } }];
        for (const filter of [{ fields: [text], values: [{ field: text, to: [text] }] }, { where }]) {
          const { matching, excluded } = tried(filter, [pastOf(committed)]);
          expect(matching.length + excluded.length).toBe(1);
        }
      }),
    );
  });
});

describe('JSON on the page', () => {
  it('shows what can not be seen, and what turns text around, as escapes', () => {
    expect(prettyJson('a\u202Eb\u0007\u200Bc')).toBe('"a\\u202eb\\u0007\\u200bc"');
  });

  it('means the same when it is copied, and its parts are the whole', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(hostileText, hostileText)), value => {
        const json = prettyJson(value);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(json).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
        expect(Array.from(jsonTokens(json), ({ text }) => text).join('')).toBe(json);
      }),
    );
  });

  it('tells keys from texts, numbers and words', () => {
    expect(jsonTokens('{"a": "b", "c": -1.5, "d": null}').filter(({ kind }) => kind !== 'rest')).toEqual([
      { kind: 'key', text: '"a"' },
      { kind: 'text', text: '"b"' },
      { kind: 'key', text: '"c"' },
      { kind: 'number', text: '-1.5' },
      { kind: 'key', text: '"d"' },
      { kind: 'word', text: 'null' },
    ]);
  });
});

describe("a backlog's course", () => {
  it('goes from left to right, and up with what waits', () => {
    const backlog = [0, 10, 5].map((waiting, index) => ({ at: 1_000 * (index + 1), waiting }));
    expect(linePoints(backlog, { width: 100, height: 20 })).toBe('0,20 50,0 100,10');
    expect(courseText(backlog)).toBe('0 waiting when this page was opened, at most 10, 5 now.');
    expect([linePoints([], { width: 1, height: 1 }), courseText([])]).toEqual(['', 'No data yet.']);
  });

  it('keeps its first and its last sample, however long the page is open, and is never long', () => {
    let backlog: Backlog = [];
    for (let at = 0; at < 5_000; at += 1) backlog = withSample(backlog, { at, waiting: at % 7 });
    expect(backlog.length).toBeLessThanOrEqual(240);
    expect([backlog[0]?.at, backlog.at(-1)?.at]).toEqual([0, 4_999]);
  });
});

describe('times', () => {
  it('are told as people say them', () => {
    const now = Date.parse('2026-11-22T12:00:00Z');
    const times = [0, 40_000, 180_000, -30_000, 4 * 3_600_000, 5 * 86_400_000];
    const told = ['now', '40 s ago', '3 min ago', 'in 30 s', '4 h ago', '5 d ago'];
    expect(times.map(ms => ago(now - ms, now))).toEqual(told);
    expect([-30_000, 0, 6_000].map(ms => comes(now - ms, now))).toEqual(['in 30 s', 'now', 'due']);
    const intervals = ['every 2 s', 'every 5 min', 'every 6 h', 'every 1500 ms'];
    expect([2_000, 300_000, 21_600_000, 1_500].map(every)).toEqual(intervals);
  });

  it('begin at midnight, and the week on Monday', () => {
    const sunday = new Date(2026, 10, 22, 15, 30).getTime();
    expect(new Date(beginningOf('monday', sunday))).toEqual(new Date(2026, 10, 16));
    const monday = new Date(2026, 10, 23, 0, 30).getTime();
    expect(new Date(beginningOf('monday', monday))).toEqual(new Date(2026, 10, 23));
    expect(new Date(beginningOf('yesterday', sunday))).toEqual(new Date(2026, 10, 21));
    expect(new Date(beginningOf('today', sunday))).toEqual(new Date(2026, 10, 22));
  });

  it('begin on the last Friday and the last working day before today, and the choice names the day', () => {
    const begun = (since: Since) =>
      Array.from({ length: 7 }, (_, day) =>
        new Date(beginningOf(since, new Date(2026, 10, 22 + day, 15).getTime())).getDate(),
      );
    // From Sunday 22 to Saturday 28.
    expect(begun('friday')).toEqual([20, 20, 20, 20, 20, 20, 27]);
    expect(begun('last-working-day')).toEqual([20, 20, 23, 24, 25, 26, 27]);
    const monday = new Date(2026, 10, 23, 9).getTime();
    const texts = (['last-working-day', 'friday', 'today'] as const).map(one => sinceText(one, monday));
    expect(texts).toEqual(['the last working day, Friday, 20 Nov', 'Friday, 20 Nov', 'today']);
  });

  it('of a form are read back to the minute; what is no time is none', () => {
    const at = new Date(2026, 10, 22, 15, 30).getTime();
    expect(localInput(at)).toBe('2026-11-22T15:30');
    expect(readLocalInput(localInput(at))).toBe(at);
    for (const text of ['', 'yesterday', '2026-11-22', '2026-13-45T99:99'])
      expect(readLocalInput(text)).toBeUndefined();
  });
});

describe('tries again', () => {
  it('come soon at first, then later and later, but for ten seconds at most', () => {
    expect([1, 2, 3, 4, 5, 6, 50].map(backOff)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });
});
