import { describe, expect, it } from 'vitest';
import {
  type Cause,
  type ProcessState,
  type Recheck,
  UNKNOWN_PROCESS,
} from '../../functions/model/process-state.ts';
import {
  Findings,
  type Found,
  recheckChanges,
  sinceOf,
  skippedNoLonger,
  toAnnounce,
} from '../../functions/pass/rechecks.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const CAUSES: readonly Cause[] = ['unreadable', 'no-task-list', 'not-listed', 'uncertain'];

const recheckOf = (recheck: Partial<Recheck> = {}): Recheck => ({
  ...{ cause: 'unreadable', since: 5, foundAt: AT - 60_000, reason: 'before' },
  ...{ isReported: false, revision: 3, ...recheck },
});
const stateOf = (
  rechecks: Readonly<Record<string, Recheck>> = {},
  more: Partial<ProcessState> = {},
): ProcessState => ({
  ...{ ...UNKNOWN_PROCESS, baselined: true, watermark: AT - 10, sweptAt: AT - 20, ...more },
  rechecks: new Map(Object.entries(rechecks)),
});
const FAULT = new Error('500');
const failed = (end: Found['end'] = 'unreadable'): Found => ({ end, reason: 'now', fault: FAULT });

describe('what is written of rechecks', () => {
  const changesOf = (found: Found, before?: Recheck) =>
    recheckChanges(stateOf(before && { 7: before }), [['7', found]], AT);

  it.each<readonly [end: Found['end'], cause: Cause, reason: string]>([
    ['unreadable', 'unreadable', 'It cannot be read.'],
    ['no-task-list', 'no-task-list', 'The project is listed, but its task list answers 404.'],
    [
      'not-listed',
      'not-listed',
      'The list of projects lacks it, and its task list does not show whether it is gone.',
    ],
    [
      'uncertain',
      'uncertain',
      'What was read of it is not certain: it changed while it was read, or may be older than what was emitted.',
    ],
    ['unclear', 'uncertain', 'Only the whole list of projects shows what became of it.'],
  ])('of a project that is %s is a row: %s', (end, cause, reason) => {
    const after = { cause, since: AT - 20, foundAt: AT, isReported: false };
    expect(changesOf({ end })).toEqual([{ projectId: '7', before: undefined, after: { ...after, reason } }]);
    expect(changesOf({ end, reason: 'now' })).toMatchObject([{ after: { ...after, reason: 'now' } }]);
  });

  it.each(['settled', 'vanished', 'missed twice'] as const)('of one that is %s is that it ended', end => {
    const before = recheckOf();
    expect(changesOf({ end })).toEqual([]);
    expect(changesOf({ end }, before)).toEqual([{ projectId: '7', before, after: undefined }]);
  });

  it.each([{ cause: 'no-task-list' }, { foundAt: AT }, { isReported: true }] as const)(
    'invariant 1: of one that is settled, but of which another pass wrote %j since, is nothing',
    more => {
      const known = stateOf({ 7: recheckOf() }).rechecks;
      const now = stateOf({ 7: recheckOf(more) });
      expect(recheckChanges(now, [['7', { end: 'settled' }]], AT, known)).toEqual([]);
      expect(recheckChanges(now, [['7', { end: 'settled' }]], AT, new Map())).toEqual([]);
    },
  );

  it.each(CAUSES)('is nothing where it is %s as before', cause => {
    expect(changesOf({ end: cause, reason: 'now' }, recheckOf({ cause }))).toEqual([]);
  });

  it.each(['unreadable', 'no-task-list'] as const)(
    'invariant 1: stays %s where time ran out before that was clear, or that is uncertain: it is tried again',
    cause => {
      expect(changesOf({ end: 'unclear' }, recheckOf({ cause }))).toEqual([]);
      expect(changesOf({ end: 'uncertain' }, recheckOf({ cause }))).toEqual([]);
    },
  );

  it.each(['not-listed', 'uncertain'] as const)(
    'invariant 1: of one that was %s, and is unclear when time runs out, is met now: the run that goes on looks at it',
    cause => {
      const before = recheckOf({ cause });
      const after = { cause: 'uncertain', since: 5, foundAt: AT };
      expect(changesOf({ end: 'unclear' }, before)).toMatchObject([{ projectId: '7', before, after }]);
    },
  );

  it('invariant 2: of another cause keeps since when its changes may be untold, when it was met, and that it was told', () => {
    const before = recheckOf({ isReported: true });
    const after = { cause: 'no-task-list', since: 5, foundAt: AT - 60_000, reason: 'now', isReported: true };
    expect(changesOf(failed('no-task-list'), before)).toEqual([{ projectId: '7', before, after }]);
  });

  it.each([
    ['that was unreadable', { cause: 'unreadable' }],
    ['whose time is ahead of our clock', { cause: 'not-listed', foundAt: AT + 1 }],
  ] as const)('invariant 9: of one that a sweep misses, %s, is met now', (_, more) => {
    expect(changesOf({ end: 'not-listed' }, recheckOf(more))).toMatchObject([
      { after: { cause: 'not-listed', since: 5, foundAt: AT } },
    ]);
  });

  it('is a row for each project, in the order in which they are told', () => {
    const findings = new Findings(UNKNOWN_PROCESS, 3);
    for (const id of ['9', '10', '8']) findings.set(id, { end: id === '8' ? 'settled' : 'uncertain' });
    const written = recheckChanges(stateOf({ 8: recheckOf() }), findings.sorted(), AT);
    expect(written.map(({ projectId, after }) => [projectId, after?.cause])).toEqual([
      ['10', 'uncertain'],
      ['8', undefined],
      ['9', 'uncertain'],
    ]);
  });
});

it.each<readonly [Cause, boolean]>([
  ['unreadable', true],
  ['no-task-list', true],
  ['not-listed', false],
  ['uncertain', false],
])(
  'the projects that are skipped no longer are those whose recheck ended of the causes that each pass tries again: %s, %s',
  (cause, isSkipped) => {
    const before = recheckOf({ cause });
    const [ended, goesOn] = [undefined, recheckOf({ cause: 'not-listed' })];
    const changes = [
      { projectId: 'ended', before, after: ended },
      { projectId: 'goes on', before, after: goesOn },
      { projectId: 'new', before: undefined, after: goesOn },
    ];
    expect(skippedNoLonger(changes)).toEqual(isSkipped ? ['ended'] : []);
  },
);

it.each([
  ['since the last sweep, where no listing showed them', { watermark: 9, sweptAt: 5 }, 5],
  ['since the watermark, where the last sweep is younger', { watermark: 5, sweptAt: 9 }, 5],
  ['since ever, where a baseline did not get to read it', { baselined: false, watermark: 5, sweptAt: 9 }, 0],
] as const)('since when the changes of a project may be untold is %s', (_, state, since) => {
  expect(sinceOf(stateOf({}, state))).toBe(since);
});

const toldOf = (found: Found, before?: Recheck, begunAt = AT) =>
  toAnnounce(stateOf(before && { 7: before }), [['7', found]], begunAt);

it('what is told of rechecks is what an earlier pass could not read either, once', () => {
  const before = recheckOf();
  const after = { ...before, cause: 'no-task-list', reason: 'now', isReported: true };
  expect(toldOf(failed('no-task-list'), before)).toEqual([{ projectId: '7', before, after }]);
  expect(toldOf(failed('no-task-list'), recheckOf({ isReported: true }))).toEqual([]);
});

it.each<readonly [string, Found, Recheck | undefined]>([
  ['is nothing that one pass met', failed(), undefined],
  ['is nothing that an earlier run of this pass met', failed(), recheckOf({ foundAt: AT })],
  ['is nothing that another pass met meanwhile', failed(), recheckOf({ foundAt: AT + 9 })],
  ['is nothing that can be read again', { end: 'settled' }, recheckOf()],
  ['is nothing that is still owed without a failure', { end: 'no-task-list' }, recheckOf()],
  [
    'is nothing that was only not listed before: it did not fail then',
    failed(),
    recheckOf({ cause: 'not-listed' }),
  ],
  ['is nothing that was only uncertain before', failed(), recheckOf({ cause: 'uncertain' })],
])('what is told of rechecks %s', (_, found, before) => {
  expect(toldOf(found, before)).toEqual([]);
});

describe('an outage', () => {
  const findingsOf = (
    failures: number,
    total: number,
    rechecks: ReadonlyMap<string, Recheck> = new Map(),
    retried?: ReadonlySet<string>,
  ) => {
    const before = { rechecks, sweepCompletedAt: 0, completedAt: AT - 60_000 };
    const findings = new Findings(before, total, retried);
    for (let id = 1; id <= failures; id++) findings.set(String(id), failed());
    return findings;
  };

  it.each([
    [10, 0, false],
    [11, 0, true],
    [11, 55, false],
    [12, 55, true],
    [200, 1_000, false],
    [201, 1_000, true],
  ])('of %i failures among %i projects: %s', (failures, total, areOutage) => {
    expect(findingsOf(failures, total).areOutage).toBe(areOutage);
  });

  it('is over when these can be read in the second round, and is none of one that fails twice', () => {
    const findings = findingsOf(11, 11);
    findings.set('1', failed());
    expect(findings.areOutage).toBe(true);
    findings.set('1', { end: 'settled' });
    expect(findings.areOutage).toBe(false);
    for (let again = 0; again < 9; again++) findings.set('2', failed('no-task-list'));
    expect(findings.areOutage).toBe(false);
  });

  it('counts nothing that was owed a look when a pass was last completed, but all that was met since', () => {
    expect(findingsOf(11, 11, new Map([['1', recheckOf()]])).areOutage).toBe(false);
    expect(findingsOf(11, 11, new Map([['1', recheckOf({ foundAt: AT - 59_999 })]])).areOutage).toBe(true);
    expect(findingsOf(11, 11, undefined, new Set(['1'])).areOutage).toBe(false);
  });
});

it('hands out what was found since it was last asked for, in the order of ids, and keeps all', () => {
  const findings = new Findings(UNKNOWN_PROCESS, 3);
  findings.set('9', { end: 'settled' });
  findings.set('10', { end: 'unclear' });
  expect(findings.takeNew()).toEqual([
    ['10', { end: 'unclear' }],
    ['9', { end: 'settled' }],
  ]);
  expect(findings.takeNew()).toEqual([]);
  findings.set('10', { end: 'vanished' });
  expect(findings.takeNew()).toEqual([['10', { end: 'vanished' }]]);
  expect(findings.sorted().map(([id]) => id)).toEqual(['10', '9']);
  expect(findings.idsOf('vanished', 'unclear')).toEqual(['10']);
});
