import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ProcessState, type Recheck, UNKNOWN_PROCESS } from '../../functions/model/process-state.ts';
import { bulkLimit, type Conclusion, conclude } from '../../functions/pass/conclude.ts';
import { type End, Findings } from '../../functions/pass/rechecks.ts';
import { AT, MINUTE } from '../kit/time.ts';

type Facts = Parameters<typeof conclude>[0];

interface Given extends Partial<Omit<Facts, 'findings' | 'state'>> {
  /** How many projects came to each end, in words: `3 vanished, 1 settled`. */
  readonly found?: string;
  /** How many there were to look at; as many as were found, where nothing else is said. */
  readonly total?: number;
  readonly rechecks?: Readonly<Record<string, Partial<Recheck>>>;
  readonly state?: Partial<ProcessState>;
}

const recheckOf = (recheck: Partial<Recheck>): Recheck => ({
  ...{ cause: 'unreadable', since: 0, foundAt: AT, reason: 'r', isReported: false, revision: 1, ...recheck },
});

function factsOf({ found = '', total, rechecks = {}, state, ...more }: Given): Facts {
  const owed = new Map(Object.entries(rechecks).map(([id, recheck]) => [id, recheckOf(recheck)]));
  const ends = found.split(', ').flatMap(part => {
    const [count, ...end] = part.split(' ');
    return Array.from({ length: Number(count) }, () => end.join(' ') as End);
  });
  const findings = new Findings(
    { rechecks: owed, sweepCompletedAt: 0, completedAt: AT },
    total ?? ends.length,
  );
  for (const [at, end] of ends.entries()) {
    const fault = new Error(`${end} ${at + 1}`);
    findings.set(String(at + 1), { end, ...(isFault(end) && { reason: fault.message, fault }) });
  }
  return {
    kind: 'changes',
    window: { startedAt: AT, begunAt: AT },
    isComplete: true,
    isStopped: false,
    findings,
    known: 0,
    missing: 0,
    state: { ...UNKNOWN_PROCESS, baselined: more.kind !== 'baseline', rechecks: owed, ...state },
    now: AT,
    ...more,
  };
}

const isFault = (end: End) => end === 'unreadable' || end === 'no-task-list';

/** In short: `done, deletes 3, on hold, ends hold, keeps rechecks`. */
function inShort({ as, deletions, hold, releasesHold, keepsRechecks }: Conclusion): string {
  return [
    as,
    ...(deletions.length > 0 ? [`deletes ${deletions.length}`] : []),
    ...(hold ? [`on hold: ${hold.missing} of ${hold.known}`] : []),
    ...(releasesHold ? ['ends hold'] : []),
    ...(keepsRechecks ? ['keeps rechecks'] : []),
  ].join(', ');
}

/** `more`: `stopped` (time ran out), `unstable` (the list changed in each reading), `hold`, `released`, `waits N` (a baseline has waited for N
 *  minutes), `begun N` (it began then), `of N` (how many projects the pass covers). `gone`: how many known projects are missing, of how many. */
const RULES = `
kind      found                                        gone      more            conclusion

changes   -                                            -         -               done
changes   3 settled                                    -         -               done, keeps rechecks
sweep     9 vanished                                   -         stopped         later

More than ten projects that newly fail, and more than a fifth of all that the pass covers, are an outage; uncertain ones do not count.
changes   10 unreadable, 5 settled                     -         -               done, keeps rechecks
changes   1 unreadable                                 -         -               done, keeps rechecks
changes   11 unreadable, 5 settled                     -         -               failed
changes   20 unreadable, 80 settled                    -         -               done, keeps rechecks
changes   21 unreadable, 79 settled                    -         -               failed
changes   21 unreadable                                -         of 200          done, keeps rechecks
changes   11 unreadable                                -         stopped         failed
changes   11 no-task-list                              -         -               failed
changes   30 uncertain, 30 unclear                     -         -               done, keeps rechecks

Deletions: more than ten, and more than a fifth of all known projects, wait. A sweep counts those that are certain, a changes pass all that are missing.
changes   1 vanished                                   1 of 20   -               done, deletes 1, keeps rechecks
sweep     1 vanished                                   1 of 20   -               done, deletes 1, keeps rechecks
sweep     1 missed twice                               1 of 20   -               done, deletes 1, keeps rechecks
sweep     10 vanished                                  10 of 11  -               done, deletes 10, keeps rechecks
sweep     11 vanished                                  11 of 20  -               done, on hold: 11 of 20, keeps rechecks
sweep     20 vanished                                  20 of 100 -               done, deletes 20, keeps rechecks
sweep     21 vanished                                  21 of 100 -               done, on hold: 21 of 100, keeps rechecks
sweep     1 vanished, 15 not-listed                    16 of 20  -               done, deletes 1, keeps rechecks
changes   1 vanished                                   11 of 20  -               done, on hold: 11 of 20, keeps rechecks
changes   1 settled                                    11 of 20  -               done, keeps rechecks
sweep     1 vanished, 1 unreadable                     1 of 20   -               done, deletes 1, keeps rechecks
sweep     1 vanished, 11 unreadable                    1 of 20   -               failed, deletes 1
baseline  1 vanished                                   1 of 20   -               done, keeps rechecks

The last projects of a process wait together, however few: a lost permission looks the same. A single one goes if its task list answers 404.
sweep     2 vanished                                   2 of 2    -               done, on hold: 2 of 2, keeps rechecks
sweep     1 vanished, 1 not-listed                     2 of 2    -               done, on hold: 2 of 2, keeps rechecks
sweep     2 missed twice                               2 of 2    -               done, on hold: 2 of 2, keeps rechecks
changes   1 vanished                                   2 of 2    -               done, on hold: 2 of 2, keeps rechecks
sweep     2 not-listed                                 2 of 2    -               done, keeps rechecks
sweep     1 vanished                                   1 of 1    -               done, deletes 1, keeps rechecks
changes   1 vanished                                   1 of 1    -               done, deletes 1, keeps rechecks
sweep     1 missed twice                               1 of 1    -               done, on hold: 1 of 1, keeps rechecks

A hold ends in a sweep that finds few projects missing; a changes pass sees only a part.
sweep     1 vanished, 14 uncertain                     15 of 20  hold            done, on hold: 15 of 20, keeps rechecks
sweep     2 not-listed                                 2 of 2    hold            done, on hold: 2 of 2, keeps rechecks
sweep     11 vanished                                  1 of 20   hold            done, deletes 11, ends hold, keeps rechecks
sweep     2 vanished                                   2 of 20   hold            done, deletes 2, ends hold, keeps rechecks
sweep     20 settled                                   0 of 20   hold            done, ends hold, keeps rechecks
sweep     -                                            -         hold            done, ends hold
changes   2 vanished                                   2 of 20   hold            done, deletes 2, keeps rechecks
changes   1 settled                                    -         hold            done, keeps rechecks

A release lets the next sweep delete all, and ends with it.
sweep     15 vanished                                  15 of 20  hold released   done, deletes 15, ends hold, keeps rechecks
sweep     2 missed twice                               2 of 2    hold released   done, deletes 2, ends hold, keeps rechecks
changes   1 vanished                                   15 of 20  hold released   done, deletes 1, keeps rechecks
sweep     -                                            -         released        done, ends hold
sweep     11 unreadable, 15 vanished                   15 of 40  hold released   failed, deletes 15, ends hold

A baseline waits five minutes for projects, task lists or a list that cannot be read, from the first failure on; in an outage for ever.
baseline  3 settled                                    -         -               done, keeps rechecks
baseline  -                                            -         -               done
baseline  1 unreadable, 9 settled                      -         -               failed, keeps rechecks
baseline  1 no-task-list, 9 settled                    -         -               failed, keeps rechecks
baseline  1 uncertain, 9 settled                       -         -               failed, keeps rechecks
baseline  1 unreadable, 9 settled                      -         waits 4.999     failed, keeps rechecks
baseline  1 unreadable, 9 settled                      -         waits 5         done, keeps rechecks
baseline  2 unreadable, 9 settled                      -         waits 5         done, keeps rechecks
baseline  1 unreadable, 9 settled                      -         waits -60       failed, keeps rechecks
baseline  1 unreadable, 9 settled                      -         begun 60        failed, keeps rechecks
baseline  9 settled                                    -         unstable        failed, keeps rechecks
baseline  9 settled                                    -         unstable waits 5  done, keeps rechecks
baseline  3 unreadable                                 -         waits 60        failed
baseline  11 unreadable, 9 settled                     -         begun 60        failed
baseline  1 unreadable, 9 settled                      -         stopped         later
baseline  9 settled                                    21 of 30  hold            done, keeps rechecks
`;

/** The facts of a row. */
function given(kind: Facts['kind'], found: string, gone: string, more: string): Given {
  const after = (word: string) => {
    const [, number] = more.match(new RegExp(`${word} (\\S+)`)) ?? [];
    return number === undefined ? undefined : Number(number);
  };
  const [missing = 0, known = 0] = gone.split(' of ').map(number => Number(number) || 0);
  const [waits, begun = AT / MINUTE, total] = [after('waits'), after('begun'), after('of')];
  const window = { startedAt: AT, begunAt: AT - begun * MINUTE };
  return {
    ...{ kind, missing, known, ...(total !== undefined && { total }), ...(found !== '-' && { found }) },
    ...{ isStopped: more.includes('stopped'), isComplete: !more.includes('unstable') },
    window: waits === undefined ? window : { ...window, waitingSince: AT - waits * MINUTE },
    state: {
      ...(more.includes('hold') && { hold: { since: AT, missing: 1 } }),
      released: more.includes('released'),
    },
  };
}

const ROWS = RULES.split('\n')
  .map(line =>
    line
      .match(/^(changes|sweep|baseline) +(.{44}) (.{9}) (.*?) {2,}(\S.*)$/)
      ?.slice(1)
      .map(cell => cell.trim()),
  )
  .filter(row => row !== undefined) as [Facts['kind'], string, string, string, string][];

describe('how a pass ends', () => {
  it('stands in a row for each case', () => {
    const lines = RULES.split('\n').filter(line => /^(changes|sweep|baseline) /.test(line));
    expect(ROWS).toHaveLength(lines.length);
  });

  it.each(ROWS)('a %s pass that found %s, gone %s, %s: %s', (kind, found, gone, more, conclusion) => {
    expect(inShort(conclude(factsOf(given(kind, found, gone, more))))).toBe(conclusion);
  });

  it('invariant 1: is no outage because of projects that failed before: all others would wait for them', () => {
    const rechecks = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [String(at + 1), {}]));
    const facts = factsOf({ found: '11 unreadable, 3 settled', rechecks });
    expect(inShort(conclude(facts))).toBe('done, keeps rechecks');
  });

  it.each([
    [0, 10],
    [50, 10],
    [54, 10],
    [55, 11],
    [1_000, 200],
  ])('in a process of %i projects with a hold above %i deletions', (known, limit) => {
    expect(bulkLimit(known)).toBe(limit);
  });

  it('has an error with the number of projects that failed, and why the first did', () => {
    const { error } = conclude(factsOf({ found: '11 unreadable' }));
    expect(error?.message).toBe('11 project(s) cannot be read or committed. The first: unreadable 1');
    expect(error?.cause).toMatchObject({ message: 'unreadable 1' });
  });

  it('has an error with what a baseline waits for, with one full stop after it, whatever dots are in it', () => {
    const errorOf = (more: Given) => conclude(factsOf({ kind: 'baseline', ...more })).error;
    const waits = 'The baseline waits 5 minutes for this to end, and then does without.';
    const error = errorOf({ found: '3 settled, 2 unreadable' });
    expect(error?.message).toBe(`2 project(s) cannot be read. The first, 4: unreadable 4. ${waits}`);
    expect(error?.cause).toMatchObject({ message: 'unreadable 4' });
    expect(errorOf({ found: '3 settled', isComplete: false })?.message).toBe(
      'The list of projects changed each time that it was read: what it passed over would be emitted as created later. ' +
        waits,
    );
    const facts = factsOf({ kind: 'baseline', found: '1 unreadable, 1 settled' });
    const reason = 'GET /v1.2/projects/1/tasks: status 403: No.';
    facts.findings.set('1', { end: 'unreadable', reason, fault: new Error(reason) });
    expect(conclude(facts).error?.message).toMatch(/The first, 1: GET \/v1\.2\/.*: No\. The baseline waits/);
  });
});

it('invariant 9: whatever was found, only what is certainly gone is deleted, never too much, and not during a hold', () => {
  const ENDS = ['settled', 'vanished', 'missed twice', 'not-listed', 'unreadable', 'uncertain', 'unclear'];
  const count = fc.nat({ max: 30 });
  const drawn = fc.record({
    kind: fc.constantFrom('changes', 'sweep', 'baseline'),
    counts: fc.tuple(...ENDS.map(() => count)),
    others: fc.nat({ max: 200 }),
    missed: count,
    isStopped: fc.boolean(),
    isComplete: fc.boolean(),
    isOnHold: fc.boolean(),
    released: fc.boolean(),
  });
  fc.assert(
    fc.property(drawn, ({ counts, others, missed, isOnHold, released, ...more }) => {
      const missing = (counts[1] ?? 0) + (counts[2] ?? 0) + (counts[3] ?? 0) + missed;
      const known = missing + others;
      const facts = factsOf({
        ...{ ...more, known, missing, found: counts.map((number, at) => `${number} ${ENDS[at]}`).join(', ') },
        state: { released, ...(isOnHold && { hold: { since: AT, missing } }) },
      });
      const { as, deletions, hold, error, keepsRechecks } = conclude(facts);
      expect(error !== undefined).toBe(as === 'failed');
      if (as === 'done') expect(keepsRechecks).toBe(facts.findings.sorted().length > 0);
      if (facts.findings.areOutage) expect(keepsRechecks).toBe(false);
      if (deletions.length === 0) return;
      expect(deletions).toEqual(facts.findings.idsOf('vanished', 'missed twice'));
      expect([hold, more.kind === 'baseline', more.isStopped]).toEqual([undefined, false, false]);
      if (!released) expect(deletions.length).toBeLessThanOrEqual(bulkLimit(known));
      if (!released && known > 1) expect(missing).toBeLessThan(known);
    }),
    { numRuns: 300 },
  );
});
