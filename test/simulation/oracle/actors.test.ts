import type { DynamoDBRecord } from 'aws-lambda';
import { expect, test } from 'vitest';
import type { Actor, ChangeEvent } from '../../../functions/model/event.ts';
import { createBackend } from '../../../simulator/backend.ts';
import { buildWorkspace } from '../../../simulator/build.ts';
import type { Freedoms } from '../../../simulator/data/freedoms.ts';
import { SYSTEM } from '../../../simulator/data/workspace.ts';
import { Coverage } from '../faults.ts';
import { ActorsOracle, type Dated } from './actors.ts';
import { History } from './history.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const SECOND = 1_000;
const [ANNA, TOMAS] = [
  { id: '101', name: 'Anna Lindqvist' },
  { id: '102', name: 'Tomás Herrera' },
];

/** A process of two projects with two tasks each, of which one pass after the other is judged. */
function world({
  freedoms = {},
  dated = 'always',
  isUsersRead = true,
}: {
  freedoms?: Partial<Freedoms>;
  dated?: Dated;
  isUsersRead?: boolean;
} = {}) {
  let now = AT;
  const workspace = buildWorkspace({ processes: [{ id: 'p', projects: 2, tasksPerProject: 2 }], now });
  const backend = createBackend({ clock: () => now, workspace, freedoms, origin: 'https://service.example' });
  const history = new History(backend, 'p');
  const coverage = new Coverage();
  const oracle = new ActorsOracle(history, backend, 'p', coverage, dated);
  if (isUsersRead) oracle.knowsUsers(workspace.users.map(({ id }) => id));
  let runs = 0;
  return {
    oracle,
    /** Makes an edit, so many seconds on. */
    edit(
      seconds: number,
      by: readonly string[],
      change: (edit: typeof backend.edit, user: readonly string[]) => void,
    ) {
      now += seconds * SECOND;
      change(backend.edit, by);
      history.note(by);
    },
    touch(seconds: number, by: readonly string[]) {
      this.edit(seconds, by, (edit, user) => edit.touchProject('p', '1001', { user }));
    },
    /** A run takes the lease of its mode, and reads the log. */
    begin(mode: 'changes' | 'sweep' = 'changes', seconds = 60) {
      now += seconds * SECOND;
      const run = `run-${++runs}`;
      oracle.wrote([leaseOf(mode, run)], [], run);
      oracle.readLog(run);
      return run;
    },
    tell(run: string | undefined, event: ChangeEvent) {
      oracle.wrote([], [event], run);
    },
    counted: () =>
      Object.fromEntries(
        coverage.rows.flatMap(([boundary, what, count]) =>
          boundary === 'actors' && count > 0 ? [[what, count]] : [],
        ),
      ),
  };
}

function leaseOf(mode: string, owner: string): DynamoDBRecord {
  const NewImage = { leaseOwner: { S: owner } };
  return { dynamodb: { Keys: { pk: { S: 'W#eu#P#p' }, sk: { S: `PASS#${mode}` } }, NewImage } };
}

/** Tells of project 1001, or of a task in it, between two times in seconds. */
function eventOf(
  actors: readonly Actor[] | undefined,
  {
    task,
    from = 0,
    to = 120,
    type = 'updated',
  }: { task?: string; from?: number; to?: number; type?: string } = {},
): ChangeEvent {
  const at = (seconds: number) => new Date(AT + seconds * SECOND).toISOString();
  return {
    id: 'p.1001.1.0',
    type: `${task ? 'task' : 'project'}.${type}`,
    data: {
      project: { id: '1001' },
      ...(task && { task: { id: task } }),
      changes: [],
      observed: { after: at(from), before: at(to) },
      ...(actors && { actors }),
    },
  } as unknown as ChangeEvent;
}

const TASK = '500001';
const BRUNO = { id: '103' };

/** Anna edits project 1001 after 10 s, Tomás after 20 s, and Bruno a task in it after 30 s. */
function edited() {
  const it = world();
  it.touch(10, ['101', SYSTEM]);
  it.touch(10, ['102']);
  it.edit(10, ['103'], (edit, user) => edit.updateTask('p', '1001', TASK, { status: 'Done' }, { user }));
  return it;
}

test.each([
  [
    'all in the interval, with a second for the whole seconds of its beginning',
    [ANNA, TOMAS],
    { from: 10.5 },
  ],
  ['one until its end', [ANNA], { to: 10 }],
  ['who edited the task', [BRUNO], { task: TASK }],
] as const)('it is right to name %s', (_, actors, told) => {
  const it = edited();
  it.tell(it.begin(), eventOf(actors, told));
});

test.each([
  ['somebody who edited nothing', [{ id: '104' }], {}, 'names 104, who did not edit it'],
  ['who edited it before the interval', [ANNA], { from: 11 }, 'names 101'],
  ['who edited it after the interval', [TOMAS], { to: 19.9 }, 'names 102'],
  ['who edited a task of the project', [BRUNO], {}, 'names 103'],
  ['who edited the project of the task', [ANNA], { task: TASK }, 'names 101'],
  ['who edited another task', [BRUNO], { task: '500002' }, 'names 103'],
  ['somebody who is no user', [{ id: SYSTEM }], {}, 'who is no user'],
  ['a user by another name', [{ id: '101', name: 'Tomás Herrera' }], {}, 'calls 101 Tomás Herrera'],
  ['one user twice', [ANNA, TOMAS, ANNA], {}, 'names 101 twice'],
  ['the later one first', [TOMAS, ANNA], {}, 'in another order'],
] as const)('it is wrong to name %s', (_, actors, told, problem) => {
  const it = edited();
  const run = it.begin();
  expect(() => it.tell(run, eventOf(actors, told))).toThrow(problem);
});

test('a project that was there all the time was created by nobody in it', () => {
  const it = world();
  it.touch(10, ['101']);
  it.edit(10, ['101'], (edit, user) => edit.deleteProject('p', '1001', { user }));
  it.edit(10, ['102'], (edit, user) => edit.createProject('p', { name: 'Again' }, { id: '1001', user }));
  const run = it.begin();
  it.tell(run, eventOf([TOMAS], { from: 25, type: 'created' }));
  for (const span of [{ to: 15 }, { from: 32 }])
    expect(() => it.tell(run, eventOf([ANNA], { ...span, type: 'created' }))).toThrow(
      'was there all the time',
    );
});

test('sweeps and baselines tell no actors, nor does a run that does not hold the lease of changes any more', () => {
  const it = world();
  it.touch(10, ['101']);
  const [sweep, changes] = [it.begin('sweep', 1), it.begin('changes', 1)];
  it.tell(changes, eventOf([ANNA]));
  for (const run of [sweep, 'nobody', undefined])
    expect(() => it.tell(run, eventOf([ANNA]))).toThrow('found by a sweep or baseline');
  it.oracle.wrote([leaseOf('sweep', 'as a sweep now')], [], changes);
  expect(() => it.tell(changes, eventOf([ANNA]))).toThrow('found by a sweep or baseline');
});

test('nobody is told where the service never tells its time, and by any edit so far where it does so at times', () => {
  const [never, sometimes] = [world({ dated: 'never' }), world({ dated: 'sometimes' })];
  for (const it of [never, sometimes]) it.touch(10, ['101']);
  expect(() => never.tell(never.begin(), eventOf([ANNA]))).toThrow('though nothing told the service');
  const run = sometimes.begin();
  sometimes.tell(run, eventOf([ANNA], { from: 30 }));
  expect(() => sometimes.tell(run, eventOf([TOMAS]))).toThrow('names 102');
});

test('a change is counted where the log that the pass read says who made it', () => {
  const it = world();
  it.touch(10, ['101', '102']);
  const run = it.begin();
  expect(() => it.tell(run, eventOf([ANNA]))).toThrow('names 101 alone, but 102 had a part in it');
  it.tell(run, eventOf([ANNA, TOMAS]));
  it.tell(run, eventOf(undefined));
  expect(it.counted()).toEqual({ told: 2, 'several told': 1, 'left out': 1 });
});

test.each([
  ['of another record', {}, { task: '500001' }],
  ['of an earlier change', {}, { from: 10 }],
  ['of a later change', {}, { to: 9.9 }],
  ['without their time', { auditTimestamps: false }, {}],
  ['that are not shown yet', { auditVisibleAfter: 90_000 }, {}],
] as const)('a change is not counted for entries %s', (_, freedoms, told) => {
  const it = world({ freedoms });
  it.touch(10, ['101']);
  it.tell(it.begin(), eventOf(undefined, told));
  expect(it.counted()).toEqual({});
});

test('a change is not counted where the system made it, or a sweep told it', () => {
  const it = world();
  it.touch(10, [SYSTEM]);
  it.tell(it.begin(), eventOf(undefined));
  it.touch(10, ['101']);
  it.tell(it.begin('sweep'), eventOf(undefined, { to: 200 }));
  expect(it.counted()).toEqual({});
});

test('edits are counted apart while users are unread, within a second of a reading, and where an earlier pass read of them', () => {
  const it = world({ isUsersRead: false });
  it.touch(10, ['101']);
  const run = it.begin();
  it.tell(run, eventOf(undefined));
  it.oracle.knowsUsers(['101']);
  it.tell(run, eventOf(undefined, { from: 9.5 }));
  it.tell(run, eventOf(undefined, { to: 10.5 }));
  const seen = {
    dynamodb: { Keys: { pk: { S: 'W#eu#P#p' }, sk: { S: 'PASS#changes#SEEN' } }, NewImage: {} },
  };
  it.oracle.wrote([seen], [], run);
  it.tell(it.begin(), eventOf(undefined));
  expect(it.counted()).toEqual({ 'users unread': 1, 'too close to tell': 2, 'read by an earlier pass': 1 });
});

test('of a commit in parts, only the first and what comes after the last are left out', () => {
  const it = world();
  it.touch(10, ['101']);
  const run = it.begin();
  for (const isPart of [true, true, false, false]) {
    if (isPart) it.oracle.tooLarge('1001');
    it.tell(run, eventOf(undefined));
  }
  expect(it.counted()).toEqual({ 'left out': 2, 'behind a part of its project': 2 });
});

test('a restored table takes nobody for the owner of a lease', () => {
  const it = world();
  it.touch(10, ['101']);
  it.oracle.restored([leaseOf('changes', 'run-1')]);
  expect(() => it.tell('run-1', eventOf([ANNA]))).toThrow('found by a sweep or baseline');
});
