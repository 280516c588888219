import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ProcessState, type Recheck, UNKNOWN_PROCESS } from '../../functions/model/process-state.ts';
import { bulkLimit, type Conclusion, conclude } from '../../functions/pass/conclude.ts';
import { type End, Findings } from '../../functions/pass/rechecks.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;

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
  const findings = new Findings({ rechecks: owed, completedAt: AT }, total ?? ends.length);
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

const HOLD = { state: { hold: { since: AT, missing: 1 } } } as const;
const RELEASED = { state: { hold: { since: AT, missing: 1 }, released: true } } as const;
const SWEEP = { kind: 'sweep' } as const;
const BASELINE = { kind: 'baseline' } as const;

describe('a pass', () => {
  it.each<readonly [title: string, facts: Given, conclusion: string]>([
    ['with nothing to look at is done', {}, 'done'],
    [
      'that looked at all is done, and writes which rechecks are settled',
      { found: '3 settled' },
      'done, keeps rechecks',
    ],
    [
      'that ran out of time is resumed later, and deletes nothing before',
      { ...SWEEP, found: '9 vanished', isStopped: true },
      'later',
    ],
    [
      'with up to ten projects that cannot be read is done without them',
      { found: '10 unreadable, 5 settled' },
      'done, keeps rechecks',
    ],
    [
      'whose only project cannot be read is done without it',
      { found: '1 unreadable' },
      'done, keeps rechecks',
    ],
    [
      'with more than ten of them fails, and writes no rechecks',
      { found: '11 unreadable, 5 settled' },
      'failed',
    ],
    [
      'with up to a fifth of many projects that cannot be read is done without them',
      { found: '20 unreadable, 80 settled' },
      'done, keeps rechecks',
    ],
    ['with more than a fifth of many fails', { found: '21 unreadable, 79 settled' }, 'failed'],
    [
      'takes the fifth of all that it covers, not of those that it came to',
      { found: '21 unreadable', total: 200 },
      'done, keeps rechecks',
    ],
    [
      'that met too many before time ran out fails, too',
      { found: '11 unreadable', isStopped: true },
      'failed',
    ],
    ['counts task lists that are missing as failures', { found: '11 no-task-list' }, 'failed'],
    [
      'does not count uncertain or unclear projects as failures',
      { found: '30 uncertain, 30 unclear' },
      'done, keeps rechecks',
    ],
  ])('%s', (_, facts, conclusion) => {
    expect(inShort(conclude(factsOf(facts)))).toBe(conclusion);
  });

  it('invariant 1: does not fail because of projects that failed before: all others would wait for them', () => {
    const rechecks = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [String(at + 1), {}]));
    expect(inShort(conclude(factsOf({ found: '11 unreadable, 3 settled', rechecks })))).toBe(
      'done, keeps rechecks',
    );
  });

  it('that fails says how many projects failed, and why the first did', () => {
    const { error } = conclude(factsOf({ found: '11 unreadable' }));
    expect(error?.message).toBe('11 project(s) cannot be read or committed. The first: unreadable 1');
    expect(error?.cause).toMatchObject({ message: 'unreadable 1' });
  });
});

describe('deletions', () => {
  it.each<readonly [title: string, facts: Given, conclusion: string]>([
    [
      'of a changes pass are told',
      { found: '1 vanished', known: 20, missing: 1 },
      'done, deletes 1, keeps rechecks',
    ],
    [
      'of a sweep are told',
      { ...SWEEP, found: '1 vanished', known: 20, missing: 1 },
      'done, deletes 1, keeps rechecks',
    ],
    [
      'of projects that two sweeps missed are told',
      { ...SWEEP, found: '1 missed twice', known: 20, missing: 1 },
      'done, deletes 1, keeps rechecks',
    ],
    [
      'are told up to ten, however few projects are left',
      { ...SWEEP, found: '10 vanished', known: 11, missing: 10 },
      'done, deletes 10, keeps rechecks',
    ],
    [
      'wait if they are more than ten',
      { ...SWEEP, found: '11 vanished', known: 20, missing: 11 },
      'done, on hold: 11 of 20, keeps rechecks',
    ],
    [
      'are told up to a fifth of many projects',
      { ...SWEEP, found: '20 vanished', known: 100, missing: 20 },
      'done, deletes 20, keeps rechecks',
    ],
    [
      'wait if they are more than a fifth of many projects',
      { ...SWEEP, found: '21 vanished', known: 100, missing: 21 },
      'done, on hold: 21 of 100, keeps rechecks',
    ],
    [
      'that are certain are told by a sweep, however many missing projects it is not sure of',
      { ...SWEEP, found: '1 vanished, 15 not-listed', known: 20, missing: 16 },
      'done, deletes 1, keeps rechecks',
    ],
    [
      'wait if a changes pass finds one project gone, but too many are missing in all',
      { found: '1 vanished', known: 20, missing: 11 },
      'done, on hold: 11 of 20, keeps rechecks',
    ],
    [
      'are none in a changes pass that found no project gone, however many are missing',
      { found: '1 settled', known: 20, missing: 11 },
      'done, keeps rechecks',
    ],
    [
      'are told although other projects cannot be read',
      { ...SWEEP, found: '1 vanished, 1 unreadable', known: 20, missing: 1 },
      'done, deletes 1, keeps rechecks',
    ],
    [
      'are told although the pass fails because of too many others',
      { ...SWEEP, found: '1 vanished, 11 unreadable', known: 20, missing: 1 },
      'failed, deletes 1',
    ],
    [
      'are none in a baseline',
      { ...BASELINE, found: '1 vanished', known: 20, missing: 1 },
      'done, keeps rechecks',
    ],
  ])('%s', (_, facts, conclusion) => {
    expect(inShort(conclude(factsOf(facts)))).toBe(conclusion);
  });

  it('are those that vanished, or that two sweeps missed', () => {
    const facts = factsOf({
      ...SWEEP,
      found: '1 settled, 1 vanished, 1 not-listed, 1 missed twice',
      known: 20,
      missing: 3,
    });
    expect(conclude(facts).deletions).toEqual(['2', '4']);
  });

  it.each([
    [0, 10],
    [50, 10],
    [54, 10],
    [55, 11],
    [1_000, 200],
  ])('in a process of %i projects are held above %i', (known, limit) => {
    expect(bulkLimit(known)).toBe(limit);
  });
});

describe('the last projects of a process', () => {
  it.each<readonly [title: string, facts: Given, conclusion: string]>([
    [
      'are held together, however few: a lost permission looks the same',
      { ...SWEEP, found: '2 vanished', known: 2, missing: 2 },
      'done, on hold: 2 of 2, keeps rechecks',
    ],
    [
      'are held together, even if only one of them is certainly gone',
      { ...SWEEP, found: '1 vanished, 1 not-listed', known: 2, missing: 2 },
      'done, on hold: 2 of 2, keeps rechecks',
    ],
    [
      'are held together, even if two sweeps missed them',
      { ...SWEEP, found: '2 missed twice', known: 2, missing: 2 },
      'done, on hold: 2 of 2, keeps rechecks',
    ],
    [
      'are held together in a changes pass, too',
      { found: '1 vanished', known: 2, missing: 2 },
      'done, on hold: 2 of 2, keeps rechecks',
    ],
    [
      'are not on hold while none is certainly gone',
      { ...SWEEP, found: '2 not-listed', known: 2, missing: 2 },
      'done, keeps rechecks',
    ],
    [
      'are deleted if it is only one, and its task list answers 404',
      { ...SWEEP, found: '1 vanished', known: 1, missing: 1 },
      'done, deletes 1, keeps rechecks',
    ],
    [
      'are deleted so in a changes pass, too',
      { found: '1 vanished', known: 1, missing: 1 },
      'done, deletes 1, keeps rechecks',
    ],
    [
      'are held if it is only one, and its task list is there',
      { ...SWEEP, found: '1 missed twice', known: 1, missing: 1 },
      'done, on hold: 1 of 1, keeps rechecks',
    ],
  ])('%s', (_, facts, conclusion) => {
    expect(inShort(conclude(factsOf(facts)))).toBe(conclusion);
  });
});

describe('a process on hold', () => {
  it.each<readonly [title: string, facts: Given, conclusion: string]>([
    [
      'stays on hold when fewer are certainly gone, because others cannot be read',
      { ...SWEEP, ...HOLD, found: '1 vanished, 14 uncertain', known: 20, missing: 15 },
      'done, on hold: 15 of 20, keeps rechecks',
    ],
    [
      'stays on hold when none is certainly gone, but all known projects are missing',
      { ...SWEEP, ...HOLD, found: '2 not-listed', known: 2, missing: 2 },
      'done, on hold: 2 of 2, keeps rechecks',
    ],
    [
      'ends its hold in a sweep that finds few projects missing, and deletes these',
      { ...SWEEP, ...HOLD, found: '2 vanished', known: 20, missing: 2 },
      'done, deletes 2, ends hold, keeps rechecks',
    ],
    [
      'ends its hold in a sweep that finds all projects back',
      { ...SWEEP, ...HOLD, found: '20 settled', known: 20 },
      'done, ends hold, keeps rechecks',
    ],
    ['ends its hold in a sweep when no project is known any more', { ...SWEEP, ...HOLD }, 'done, ends hold'],
    [
      'stays on hold whatever a changes pass finds: it sees only a part',
      { ...HOLD, found: '2 vanished', known: 20, missing: 2 },
      'done, deletes 2, keeps rechecks',
    ],
    [
      'stays on hold after a changes pass that finds nothing gone',
      { ...HOLD, found: '1 settled' },
      'done, keeps rechecks',
    ],
    [
      'that an operator released deletes all in the next sweep, which ends the hold',
      { ...SWEEP, ...RELEASED, found: '15 vanished', known: 20, missing: 15 },
      'done, deletes 15, ends hold, keeps rechecks',
    ],
    [
      'that was released deletes the last projects, too',
      { ...SWEEP, ...RELEASED, found: '2 missed twice', known: 2, missing: 2 },
      'done, deletes 2, ends hold, keeps rechecks',
    ],
    [
      'that was released stays released after a changes pass, which deletes what it found gone',
      { ...RELEASED, found: '1 vanished', known: 20, missing: 15 },
      'done, deletes 1, keeps rechecks',
    ],
    [
      'that was released before it was on hold is released no longer after a sweep',
      { ...SWEEP, state: { released: true } },
      'done, ends hold',
    ],
    [
      'that was released ends its hold even in a sweep that fails: it has deleted what is gone',
      { ...SWEEP, ...RELEASED, found: '11 unreadable, 15 vanished', known: 40, missing: 15 },
      'failed, deletes 15, ends hold',
    ],
  ])('%s', (_, facts, conclusion) => {
    expect(inShort(conclude(factsOf(facts)))).toBe(conclusion);
  });
});

describe('a baseline', () => {
  const waiting = (ago: number) => ({ window: { startedAt: AT, begunAt: 0, waitingSince: AT - ago } });
  const begun = (ago: number) => ({ window: { startedAt: AT - ago, begunAt: AT - ago } });
  it.each<readonly [title: string, facts: Given, conclusion: string]>([
    ['that can read all projects is done', { found: '3 settled' }, 'done, keeps rechecks'],
    ['of an empty process is done', {}, 'done'],
    [
      'waits for a project that cannot be read, and writes its recheck',
      { found: '1 unreadable, 9 settled' },
      'failed, keeps rechecks',
    ],
    [
      'waits for a task list that is missing',
      { found: '1 no-task-list, 9 settled' },
      'failed, keeps rechecks',
    ],
    [
      'waits for tasks that changed in each reading',
      { found: '1 uncertain, 9 settled' },
      'failed, keeps rechecks',
    ],
    [
      'waits for it for less than five minutes',
      { found: '1 unreadable, 9 settled', ...waiting(5 * MINUTE - 1) },
      'failed, keeps rechecks',
    ],
    [
      'is done without it after five minutes',
      { found: '1 unreadable, 9 settled', ...waiting(5 * MINUTE) },
      'done, keeps rechecks',
    ],
    [
      'does not wait again for a second project that fails then',
      { found: '2 unreadable, 9 settled', ...waiting(5 * MINUTE) },
      'done, keeps rechecks',
    ],
    [
      'waits from now on if the wait began in the future, by the clock of another poller',
      { found: '1 unreadable, 9 settled', ...waiting(-60 * MINUTE) },
      'failed, keeps rechecks',
    ],
    [
      'waits from the first failure, not from its own beginning',
      { found: '1 unreadable, 9 settled', ...begun(60 * MINUTE) },
      'failed, keeps rechecks',
    ],
    [
      'waits for a list of projects that changed in each reading',
      { found: '9 settled', isComplete: false },
      'failed, keeps rechecks',
    ],
    [
      'is done without that list after five minutes, too',
      { found: '9 settled', isComplete: false, ...waiting(5 * MINUTE) },
      'done, keeps rechecks',
    ],
    [
      'in which all projects fail never ends without them: that is an outage',
      { found: '3 unreadable', ...waiting(60 * MINUTE) },
      'failed',
    ],
    [
      'in which too many projects fail never ends without them',
      { found: '11 unreadable, 9 settled', ...begun(60 * MINUTE) },
      'failed',
    ],
    [
      'that ran out of time is resumed later, and does not begin to wait',
      { found: '1 unreadable, 9 settled', isStopped: true },
      'later',
    ],
    [
      'neither puts the process on hold, nor ends a hold',
      { ...HOLD, found: '9 settled', known: 30, missing: 21 },
      'done, keeps rechecks',
    ],
  ])('%s', (_, facts, conclusion) => {
    expect(inShort(conclude(factsOf({ ...BASELINE, ...facts })))).toBe(conclusion);
  });

  it('says what it waits for', () => {
    const errorOf = (facts: Given) => conclude(factsOf({ ...BASELINE, ...facts })).error?.message;
    const waits = 'The baseline waits 5 minutes for this to end, and then does without.';
    expect(errorOf({ found: '3 settled, 2 unreadable' })).toBe(
      `2 project(s) cannot be read. The first, 4: unreadable 4. ${waits}`,
    );
    const { error } = conclude(factsOf({ ...BASELINE, found: '3 settled, 2 unreadable' }));
    expect(error?.cause).toMatchObject({ message: 'unreadable 4' });
    expect(errorOf({ found: '3 settled', isComplete: false })).toBe(
      'The list of projects changed each time that it was read: what it passed over would be emitted as created later. ' +
        waits,
    );
  });

  it('says what it waits for with one full stop behind it, whatever dots are in it', () => {
    const facts = factsOf({ ...BASELINE, found: '1 unreadable, 1 settled' });
    const reason = 'GET /v1.2/projects/1/tasks: status 403: No.';
    facts.findings.set('1', { end: 'unreadable', reason, fault: new Error(reason) });
    expect(conclude(facts).error?.message).toMatch(/The first, 1: GET \/v1\.2\/.*: No\. The baseline waits/);
  });
});

describe('invariant 9: whatever was found', () => {
  const count = fc.nat({ max: 30 });
  const ends: readonly End[] = [
    'settled',
    'vanished',
    'missed twice',
    'not-listed',
    'unreadable',
    'uncertain',
    'unclear',
  ];
  const anyFacts = fc
    .record({
      kind: fc.constantFrom('changes', 'sweep', 'baseline'),
      counts: fc.tuple(...ends.map(() => count)),
      others: fc.nat({ max: 200 }),
      missed: count,
      isStopped: fc.boolean(),
      isComplete: fc.boolean(),
      isOnHold: fc.boolean(),
      released: fc.boolean(),
    })
    .map(({ counts, others, missed, isOnHold, released, ...more }) => {
      const gone = (counts[1] ?? 0) + (counts[2] ?? 0);
      const missing = gone + (counts[3] ?? 0) + missed;
      return factsOf({
        ...more,
        found: counts.map((number, at) => `${number} ${ends[at]}`).join(', '),
        known: missing + others,
        missing,
        state: { released, ...(isOnHold && { hold: { since: AT, missing } }) },
      });
    });
  const always = (holds: (facts: Facts, conclusion: Conclusion) => boolean) =>
    fc.assert(fc.property(anyFacts, facts => holds(facts, conclude(facts))));

  it('no more is deleted than the limit, unless the process was released', () => {
    always(({ known, state }, { deletions }) => deletions.length <= bulkLimit(known) || state.released);
  });

  it('only projects that are gone are deleted, all of them or none', () => {
    always(({ findings }, { deletions }) => {
      const gone = findings.idsOf('vanished', 'missed twice');
      return deletions.length === 0 || JSON.stringify(deletions) === JSON.stringify(gone);
    });
  });

  it('nothing is deleted if the process is on hold afterwards', () => {
    always((_, { deletions, hold }) => hold === undefined || deletions.length === 0);
  });

  it('nothing is deleted in a baseline, nor by a pass that ran out of time', () => {
    always(
      ({ kind, isStopped }, { deletions }) => deletions.length === 0 || (kind !== 'baseline' && !isStopped),
    );
  });

  it('two or more projects are not deleted when no other is left, unless the process was released', () => {
    always(({ known, missing, state }, { deletions }) => {
      return deletions.length === 0 || missing < known || known < 2 || state.released;
    });
  });

  it('a pass has an error if it failed, and only then', () => {
    always((_, { as, error }) => (as === 'failed') === (error !== undefined));
  });

  it('invariant 1: rechecks are written whenever the pass is done', () => {
    always(
      ({ findings }, { as, keepsRechecks }) =>
        as !== 'done' || keepsRechecks || findings.sorted().length === 0,
    );
  });

  it('no rechecks are written in an outage', () => {
    always(({ findings }, { keepsRechecks }) => !(findings.areOutage && keepsRechecks));
  });
});
