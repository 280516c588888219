import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import { rulesOf } from '../../functions/changes/compare-project.ts';
import type { Recheck } from '../../functions/model/process-state.ts';
import type { Snapshot } from '../../functions/model/snapshot.ts';
import { type DecisionRules, decide, type Seen, type Verdict } from '../../functions/pass/decide.ts';
import type { Listed } from '../../functions/pass/reading/listing.ts';
import { AT, iso } from '../kit/time.ts';

/** All that a decision depends on: the pass and its round, and what was read of the project. */
const COLUMNS = {
  kind: ['changes', 'sweep', 'baseline'],
  round: ['1', '2'],
  /** Which listing: of changed projects; of all; of all, but it changed in each reading and may have passed over the project. */
  listing: ['changed', 'whole', 'unstable'],
  listed: ['listed', 'unlisted'],
  snapshot: ['none', 'no tasks', 'tasks'],
  /** What the task list answers: all tasks; 404; or tasks, but they changed in each reading, so some may be missing. */
  tasks: ['200', '404', 'unstable'],
  recheck: ['none', 'unreadable', 'no-task-list', 'not-listed', 'uncertain'],
} as const;
type Column = keyof typeof COLUMNS;
type Case = { readonly [One in Column]: (typeof COLUMNS)[One][number] };
const NAMES = Object.keys(COLUMNS) as Column[];

/** Each combination of the columns is covered by exactly one row. `*`: any value; `!x`: any but x; `as owed`: ends with the cause of its recheck.
 *  In each case a listed project has a new name; a listed task has a new status if the snapshot has tasks, else it is new. */
const RULES = `
kind            round  listing           listed    snapshot        tasks         recheck                               end              difference

A baseline never writes over an existing snapshot.
baseline        *      *                 *         no tasks|tasks  *             *                                  settled          -

Neither listed nor known: no project at all, or one with a recheck, which is settled once the whole listing lacks the project.
*               *      *                 unlisted  none            *             none                               settled          -
*               *      whole             unlisted  none            *             !none                              settled          -
*               *      changed           unlisted  none            *             !none                              unclear          -
*               *      unstable          unlisted  none            *             !none                              as owed          -

Listed, and its tasks were read: the difference is committed. If the tasks changed in each reading, the project is owed another look.
*               *      *                 listed    none            200           *                                  settled          project.created task.created
*               *      *                 listed    none            unstable      *                                  uncertain        project.created task.created
changes|sweep   *      *                 listed    no tasks        200           *                                  settled          project.updated task.created
changes|sweep   *      *                 listed    no tasks        unstable      *                                  uncertain        project.updated task.created
changes|sweep   *      *                 listed    tasks           200           *                                  settled          project.updated task.updated
changes|sweep   *      *                 listed    tasks           unstable      *                                  uncertain        project.updated task.updated

Listed, and its task list answers 404: its own changes are told, its tasks stay as they were. If it had none, that is a normal answer.
changes|sweep   1      *                 listed    tasks           404           !no-task-list                      unclear          project.updated
changes|sweep   1      *                 listed    tasks           404           no-task-list                       no-task-list     project.updated
changes|sweep   2      *                 listed    tasks           404           *                                  no-task-list     project.updated
changes|sweep   *      changed           listed    no tasks        404           *                                  unclear          project.updated
changes|sweep   *      whole|unstable    listed    no tasks        404           *                                  settled          project.updated

Listed, never read before, and its task list answers 404: only when a second pass meets this, it is told, as a project without tasks.
*               1      *                 listed    none            404           *                                  unclear          -
*               2      *                 listed    none            404           !no-task-list                      no-task-list     -
*               2      *                 listed    none            404           no-task-list                       settled          project.created

Not listed, and its task list answers 404: gone if the listing was whole; a changes pass asks for that in its second round.
changes         *      changed           unlisted  tasks           404           !no-task-list                      unclear          -
changes         *      changed           unlisted  no tasks        404           *                                  unclear          -
sweep           *      changed           unlisted  no tasks|tasks  404           *                                  unclear          -
changes|sweep   *      whole             unlisted  no tasks|tasks  404           *                                  vanished         -

The same, but the task list answered 404 before, when the project was still listed: so the 404 proves nothing, and the next sweep decides.
changes         *      changed|unstable  unlisted  tasks           404           no-task-list                       no-task-list     -

The same, with a listing that may have passed over it: gone only if it had tasks, and in a sweep only if the last sweep missed it, too.
changes         *      unstable          unlisted  tasks           404           !no-task-list                      vanished         -
changes         *      unstable          unlisted  no tasks        404           none                               settled          -
changes         *      unstable          unlisted  no tasks        404           !none                              as owed          -
sweep           *      unstable          unlisted  tasks           404           not-listed                         vanished         -
sweep           *      unstable          unlisted  tasks           404           !not-listed                        not-listed       -
sweep           *      unstable          unlisted  no tasks        404           *                                  not-listed       -

Not listed, but its task list is there: gone once two sweeps in a row missed it in a whole listing.
sweep           *      whole             unlisted  no tasks        200|unstable  not-listed                         missed twice   task.created
sweep           *      whole             unlisted  tasks           200|unstable  not-listed                         missed twice   task.updated
sweep           *      whole             unlisted  no tasks        200|unstable  !not-listed                        not-listed       task.created
sweep           *      whole             unlisted  tasks           200|unstable  !not-listed                        not-listed       task.updated
sweep           *      changed|unstable  unlisted  no tasks        200|unstable  not-listed                         not-listed       task.created
sweep           *      changed|unstable  unlisted  tasks           200|unstable  not-listed                         not-listed       task.updated
sweep           *      changed|unstable  unlisted  no tasks        200|unstable  !not-listed                        uncertain        task.created
sweep           *      changed|unstable  unlisted  tasks           200|unstable  !not-listed                        uncertain        task.updated

The same in a changes pass: never gone. One that could not be read before, and now can, is looked for in one whole listing.
changes         *      *                 unlisted  no tasks        200           none                               settled          task.created
changes         *      *                 unlisted  tasks           200           none                               settled          task.updated
changes         *      *                 unlisted  no tasks        unstable      none                               uncertain        task.created
changes         *      *                 unlisted  tasks           unstable      none                               uncertain        task.updated
changes         *      *                 unlisted  no tasks        200|unstable  not-listed|uncertain               as owed          task.created
changes         *      *                 unlisted  tasks           200|unstable  not-listed|uncertain               as owed          task.updated
changes         *      changed           unlisted  no tasks        200|unstable  unreadable|no-task-list            unclear          task.created
changes         *      changed           unlisted  tasks           200|unstable  unreadable|no-task-list            unclear          task.updated
changes         *      whole             unlisted  no tasks        200           unreadable|no-task-list            settled          task.created
changes         *      whole             unlisted  tasks           200           unreadable|no-task-list            settled          task.updated
changes         *      whole             unlisted  no tasks        unstable      unreadable|no-task-list            uncertain        task.created
changes         *      whole             unlisted  tasks           unstable      unreadable|no-task-list            uncertain        task.updated
changes         *      unstable          unlisted  no tasks        200|unstable  unreadable|no-task-list            as owed          task.created
changes         *      unstable          unlisted  tasks           200|unstable  unreadable|no-task-list            as owed          task.updated
`;

interface Row {
  readonly text: string;
  readonly cells: { readonly [One in Column]: readonly string[] };
  readonly end: string;
  readonly difference: string;
}

const ROWS = RULES.split('\n')
  .map(line => line.split(/ {2,}/))
  .filter(cells => cells.length === NAMES.length + 2 && cells[0] !== 'kind')
  .map(
    (cells): Row => ({
      text: cells.join(', '),
      cells: Object.fromEntries(
        NAMES.map((name, at) => [name, valuesOf(COLUMNS[name], cells[at] as string)]),
      ) as Row['cells'],
      end: cells.at(-2) as string,
      difference: cells.at(-1) as string,
    }),
  );

function valuesOf(all: readonly string[], cell: string): readonly string[] {
  if (cell === '*') return all;
  return cell.startsWith('!') ? all.filter(one => one !== cell.slice(1)) : cell.split('|');
}

function combinations([column, ...others]: readonly Column[]): Partial<Case>[] {
  if (!column) return [{}];
  return combinations(others).flatMap(rest => COLUMNS[column].map(value => ({ [column]: value, ...rest })));
}

const CASES = combinations(NAMES) as Case[];
const rowsOf = (one: Case) =>
  ROWS.filter(({ cells }) => NAMES.every(name => cells[name].includes(one[name])));

const rules = (
  kind: DecisionRules['kind'],
  round: DecisionRules['round'],
  sweepCompletedAt = AT,
  begunAt = AT,
): DecisionRules => ({
  ...{ kind, round, sweepCompletedAt, begunAt },
  compare: rulesOf({ project: [], task: [] }, new Set(['updatedAt'])),
});
const listedAt = (readAt: number, record: JsonObject): Listed => ({
  record,
  readAt,
  readBefore: readAt + 1_000,
  digest: 'of the record',
});
const snapshotOf = (record: JsonObject, tasks: readonly JsonObject[]): Snapshot => ({
  version: 1,
  content: { record, tasks: new Map(tasks.map(task => [String(task.id), task])) },
  recordReadAt: AT,
  tasksReadAt: AT,
});
const recheckOf = (cause: Recheck['cause']): Recheck => ({
  ...{ cause, since: 0, foundAt: AT, reason: 'r', isReported: false, revision: 1 },
});
const readAt = (time: number, tasks: readonly JsonObject[]): NonNullable<Seen['tasks']> => ({
  tasks: new Map(tasks.map(task => [String(task.id), task])),
  ...{ readAt: time, readBefore: time + 1_000, digest: 'of the tasks' },
});

const NOTHING: Seen = {
  projectId: '7',
  listing: 'changed',
  listed: undefined,
  snapshot: undefined,
  tombstone: undefined,
  tasks: undefined,
  recheck: undefined,
};

function seenIn({ listing, listed, snapshot, tasks, recheck }: Case): Seen {
  const before = snapshot === 'tasks' ? [{ id: '1', status: 'To do' }] : [];
  const now = readAt(AT + 60_000, [{ id: '1', status: 'Done' }]);
  return {
    ...NOTHING,
    listing,
    listed: listed === 'listed' ? listedAt(AT + 60_000, { id: '7', name: 'New' }) : undefined,
    snapshot: snapshot === 'none' ? undefined : snapshotOf({ id: '7', name: 'Old' }, before),
    tasks: tasks === '404' ? undefined : { ...now, ...(tasks === 'unstable' && { isUnstable: true }) },
    recheck: recheck === 'none' ? undefined : recheckOf(recheck),
  };
}

const decideOn = (one: Case) => decide(seenIn(one), rules(one.kind, one.round === '1' ? 1 : 2));

function inShort({ difference }: Verdict): string {
  if (!difference) return '-';
  return difference.changes.map(({ entity, action }) => `${entity}.${action}`).join(' ') || 'no changes';
}

describe('what is decided', () => {
  it('stands in exactly one row for each combination', () => {
    expect(CASES.filter(one => rowsOf(one).length !== 1)).toEqual([]);
  });

  it.each(ROWS.map(row => [row.text, row] as const))('%s', (_, row) => {
    const cases = CASES.filter(one => rowsOf(one).includes(row));
    expect(cases.length).toBeGreaterThan(0);
    for (const one of cases) {
      const verdict = decideOn(one);
      const end = row.end === 'as owed' ? one.recheck : row.end;
      expect({ ...one, end: verdict.end, difference: inShort(verdict) }).toEqual({
        ...one,
        end,
        difference: row.difference,
      });
    }
  });

  it('reports a missing task list if there were tasks, and only if the second round, or an earlier pass, met the 404, too', () => {
    const ended = CASES.filter(one => decideOn(one).end === 'no-task-list');
    const lacking = ended.filter(one => decideOn(one).lacksTasks);
    expect(lacking.length).toBeGreaterThan(0);
    expect(lacking).toEqual(ended.filter(one => one.snapshot === 'tasks' && one.tasks === '404'));
    for (const one of lacking) {
      expect(one).toMatchObject({ snapshot: 'tasks', tasks: '404' });
      expect(one.recheck === 'no-task-list' || (one.listed === 'listed' && one.round === '2')).toBe(true);
    }
  });
});

describe('invariant 9: a project', () => {
  const isGone = (one: Case) => /^(vanished|missed twice)$/.test(decideOn(one).end);

  it.each<[title: string, of: (one: Case) => boolean]>([
    ['that is listed', ({ listed }) => listed === 'listed'],
    ['without a snapshot', ({ snapshot }) => snapshot === 'none'],
    ['that only a listing of changed projects lacks', ({ listing }) => listing === 'changed'],
    [
      'whose task list is there, and that one sweep misses',
      one => one.tasks !== '404' && one.recheck !== 'not-listed',
    ],
    [
      'whose task list is there, to a changes pass',
      ({ kind, tasks }) => kind === 'changes' && tasks !== '404',
    ],
    [
      'whose task list is there, or that had no tasks, because of a listing that may have passed over it',
      one => one.listing === 'unstable' && (one.tasks !== '404' || one.snapshot === 'no tasks'),
    ],
    ['in a baseline', ({ kind }) => kind === 'baseline'],
  ])('%s is not gone', (_, of) => {
    expect(CASES.filter(one => of(one) && isGone(one))).toEqual([]);
  });

  // The second as after a sweep whose clock was ahead.
  it.each([
    [AT - 1, AT],
    [AT, AT - 1],
  ])('that an earlier run of the same sweep missed counts as missed once', (completedAt, begunAt) => {
    const isMissed = ({ listing, tasks }: Case) => listing !== 'whole' || tasks !== '404';
    const found = CASES.filter(one => one.recheck === 'not-listed' && isMissed(one) && isGone(one));
    const ends = found.map(one => decide(seenIn(one), rules('sweep', 1, completedAt, begunAt)).end);
    expect(new Set(ends)).toEqual(new Set(['not-listed']));
  });

  it('keeps its tasks when the task list answers 404', () => {
    const changed = CASES.filter(
      one => one.tasks === '404' && one.snapshot !== 'none' && /task/.test(inShort(decideOn(one))),
    );
    expect(changed).toEqual([]);
  });
});

describe('a project that is listed though it was deleted', () => {
  const decideAt = (later: number, kind: DecisionRules['kind'] = 'changes') =>
    decide(
      {
        ...NOTHING,
        listed: listedAt(AT + later, { id: '7' }),
        tombstone: { version: 5, readAt: AT },
        tasks: readAt(AT + later, []),
      },
      rules(kind, 1),
    );

  it.each(['changes', 'sweep'] as const)('was made again if a %s pass lists it well after that', kind => {
    expect(decideAt(5_001, kind).end).toBe('settled');
    expect(inShort(decideAt(5_001, kind))).toBe('project.created');
  });

  it('invariant 2: is uncertain if it was listed at about the time of the deletion: the next pass decides', () => {
    expect(decideAt(5_000)).toEqual({ end: 'uncertain' });
  });

  it('invariant 2: is as uncertain when its task list answers 404', () => {
    const seen = { ...NOTHING, listed: listedAt(AT, { id: '7' }), tombstone: { version: 5, readAt: AT } };
    expect(decide(seen, rules('changes', 2))).toEqual({ end: 'uncertain' });
  });
});

describe('the difference', () => {
  const tasks = readAt(AT + 60_000, [{ id: '1' }]);
  const decideBetween = (record: JsonObject, listed: Listed | undefined, more: Partial<Seen> = {}) =>
    decide(
      { ...NOTHING, listed, snapshot: snapshotOf(record, [{ id: '1' }]), tasks, ...more },
      rules('changes', 1),
    );

  it('is written without changes if only the update time differs: else an older listing could seem newer', () => {
    const verdict = decideBetween(
      { id: '7', updatedAt: iso(AT) },
      listedAt(AT + 9_000, { id: '7', updatedAt: iso(AT + 1) }),
    );
    expect([verdict.end, inShort(verdict)]).toEqual(['settled', 'no changes']);
    expect(verdict.difference).toMatchObject({
      content: { record: { updatedAt: iso(AT + 1) } },
      source: { readAt: AT + 9_000, readBefore: AT + 10_000, digest: 'of the record' },
    });
  });

  describe('of other bytes that say the same', () => {
    const DAY = 24 * 60 * 60 * 1000;
    /** What a sweep decides `later` ms after the snapshot was read, which has `digests`. */
    const sweptAfter = (later: number, digests: Snapshot['digests'], updatedAt = iso(AT + 1)) => {
      const record = { id: '7', updatedAt: iso(AT) };
      const listed = listedAt(AT + later, { id: '7', updatedAt });
      const snapshot = { ...snapshotOf(record, [{ id: '1' }]), ...(digests && { digests }) };
      return decide({ ...NOTHING, listing: 'whole', listed, snapshot, tasks }, rules('sweep', 1));
    };
    const same = { record: 'of the record', tasks: tasks.digest };

    it('is none to a sweep within a day: it leaves the snapshot as it is', () => {
      expect(sweptAfter(DAY, {})).toEqual({ end: 'settled' });
      expect(sweptAfter(DAY, undefined)).toEqual({ end: 'settled' });
    });

    it.each([
      ['the record', { ...same, record: 'another' }],
      ['the tasks', { ...same, tasks: 'others' }],
      ['both', undefined],
    ])('is written by a sweep after a day if a digest of %s differs: then less is compared', (_, digests) => {
      for (const updatedAt of [iso(AT), iso(AT + 1)]) {
        const verdict = sweptAfter(DAY + 1, digests, updatedAt);
        expect([verdict.end, inShort(verdict)]).toEqual(['settled', 'no changes']);
        expect(verdict.difference?.content.record).toEqual({ id: '7', updatedAt });
      }
    });

    it('is none after a day either, if the digests are the same', () => {
      expect(sweptAfter(DAY + 1, same)).toEqual({ end: 'settled' });
    });
  });

  it('invariant 2: has only changes of tasks if the snapshot has the newer record', () => {
    const snapshot = {
      ...snapshotOf({ id: '7', name: 'Newer' }, []),
      digests: { record: 'd' },
      untimed: true,
    };
    const verdict = decideBetween({}, listedAt(AT - 9_000, { id: '7', name: 'Older' }), { snapshot });
    expect([verdict.end, inShort(verdict)]).toEqual(['settled', 'task.created']);
    expect(verdict.difference?.content.record).toEqual({ id: '7', name: 'Newer' });
    expect(verdict.difference?.source).toEqual({
      ...{ record: { id: '7', name: 'Newer' }, readAt: AT, readBefore: AT, digest: 'd', untimed: true },
    });
  });

  it('is uncertain if nothing tells which of the two records is newer', () => {
    const verdict = decideBetween({ id: '7', name: 'One' }, listedAt(AT, { id: '7', name: 'Other' }));
    expect([verdict.end, inShort(verdict)]).toEqual(['uncertain', '-']);
    const missing = decideBetween({}, listedAt(AT, { id: '7', name: 'Other' }), {
      ...{ listing: 'whole', tasks: undefined, snapshot: snapshotOf({ id: '7', name: 'One' }, []) },
    });
    expect([missing.end, inShort(missing)]).toEqual(['uncertain', '-']);
  });

  it('invariant 1: has a new task though the project was not listed', () => {
    const verdict = decideBetween({ id: '7' }, undefined, {
      tasks: readAt(AT + 9, [{ id: '1' }, { id: '2' }]),
    });
    expect([verdict.end, inShort(verdict)]).toEqual(['settled', 'task.created']);
    expect(verdict.difference?.tasks).toMatchObject({ readAt: AT + 9, digest: 'of the tasks' });
  });

  it('invariant 9: leaves tasks, and the time of their reading, as they were if the task list answers 404', () => {
    const snapshot = { ...snapshotOf({ id: '7', name: 'Old' }, [{ id: '1' }]), digests: { tasks: 't' } };
    const verdict = decideBetween({}, listedAt(AT + 9_000, { id: '7', name: 'New' }), {
      snapshot,
      tasks: undefined,
    });
    expect(inShort(verdict)).toBe('project.updated');
    expect(verdict.difference?.tasks).toEqual({
      ...{ tasks: snapshot.content.tasks, readAt: AT, readBefore: AT, digest: 't' },
    });
  });

  it('dates the tasks of a project that is told without tasks by the listing', () => {
    const listed = listedAt(AT, { id: '7' });
    const seen = { ...NOTHING, listing: 'whole', listed, recheck: recheckOf('no-task-list') } as const;
    expect(decide(seen, rules('changes', 2)).difference?.tasks).toEqual({
      ...{ tasks: new Map(), readAt: AT, readBefore: AT + 1_000 },
    });
  });

  it('keeps the values of archived fields, which the service no longer shows', () => {
    const budget = { externalId: 'budget', name: 'Budget', type: 'text', archived: true } as const;
    const snapshot = snapshotOf({ id: '7', name: 'Old', budget: '1' }, [{ id: '1' }]);
    const seen = { ...NOTHING, listed: listedAt(AT + 9_000, { id: '7', name: 'New' }), snapshot, tasks };
    const compare = rulesOf({ project: [budget], task: [] }, new Set());
    const { difference } = decide(seen, { ...rules('changes', 1), compare });
    expect(difference?.changes.flatMap(({ fields }) => fields.map(({ field }) => field))).toEqual(['name']);
    expect(difference?.content.record).toEqual({ id: '7', name: 'New', budget: '1' });
  });
});
