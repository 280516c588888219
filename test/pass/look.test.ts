import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import type { Snapshot } from '../../functions/model/snapshot.ts';
import {
  failureReason,
  isOfOneProject,
  TaskListMissingError,
  TooLargeError,
} from '../../functions/pass/failures.ts';
import { checkProject, checkTasks, identifiersOf } from '../../functions/pass/look.ts';
import {
  ServiceAnswerError,
  ServiceStatusError,
  ServiceUnreachableError,
} from '../../functions/service/errors.ts';
import { type Snapshots, TornSnapshotError } from '../../functions/store/store.ts';

const tasks = 'GET /processes/p/projects/1/tasks?first=500';
it.each([
  ['too large', new TooLargeError('p', '1001'), true],
  ['torn', new TornSnapshotError(), true],
  ['without its task list', new TaskListMissingError('1'), true],
  [
    'unusable',
    new ServiceAnswerError(tasks, { path: '$', expected: 'tasks', found: 'none' }, 'project'),
    true,
  ],
  ['refused', new ServiceStatusError(tasks, 403, 'no', 'project'), true],
  ['refused for the rate', new ServiceStatusError(tasks, 429, 'no', 'project'), false],
  ['unreachable', new ServiceUnreachableError(tasks, 'time-out'), false],
  ['of the process', new ServiceStatusError('GET /processes/p/coverpage', 403, 'no', 'process'), false],
  ['of our own', new Error('throttled'), false],
  ['no error', { scope: 'project' }, false],
])('what goes wrong with one project alone: %s: %s', (_, error, isOfOne) => {
  expect(isOfOneProject(error)).toBe(isOfOne);
});

it('invariant 10: the reason of a failure is told where the service says it, and else not: what AWS says is about our own stack', () => {
  const refused = new ServiceStatusError('GET /a', 403, 'access is denied');
  expect(failureReason(refused)).toBe('GET /a: status 403: access is denied');
  const head = 'GET /a: status 403: ';
  const longest = 'a'.repeat(300 - head.length);
  expect(failureReason(new ServiceStatusError('GET /a', 403, longest))).toBe(head + longest);
  expect(failureReason(new ServiceStatusError('GET /a', 403, `${longest}b`))).toBe(`${head}${longest}…`);
  const torn = failureReason(new ServiceStatusError('GET /a', 403, `a${'😀'.repeat(2_000)}`));
  expect(torn).toHaveLength(301);
  expect(torn.isWellFormed()).toBe(true);
  const ours = new Error('User: arn:aws:iam::1:role/poll is not authorized');
  expect(failureReason(ours)).toBe('The poller itself failed; see its log.');
});

it('the reason of a failure is told whole of a project that is too large', () => {
  expect(failureReason(new TooLargeError('p1', '1001'))).toBe(
    'Project 1001 of process p1 is too large to commit: its record and tasks, compressed, exceed the 4 MB of one DynamoDB ' +
      'transaction. Split the project in the service.',
  );
});

describe('a check of identifiers', () => {
  const task = (id: string, more: JsonObject = {}) => [id, { id, ...more }] as const;
  const process = { workspace: 'eu', processId: 'p' };
  const checked = (known: Tasks, read: Tasks) => () =>
    checkTasks(process, '1', new Map(known), new Map(read));
  /** A check of a new project beside those in these snapshots. */
  const checkedAmong = async (snapshots: Pick<Snapshots, 'heads' | 'load'>, record: JsonObject) =>
    checkProject(process, 'new', record, await identifiersOf(process, snapshots));
  const headsOf = (...ids: string[]) =>
    async function* () {
      yield ids.map(projectId => ({ projectId, version: 1, recordReadAt: 0, tasksReadAt: 0 }));
    };
  /** A check of a new project, beside one that is known. */
  const checkedBeside = (knownId: string, known: JsonObject, record: JsonObject) =>
    checkedAmong(
      { heads: headsOf(knownId), load: async () => ({ content: { record: known } }) as unknown as Snapshot },
      record,
    );
  type Tasks = readonly (readonly [string, JsonObject])[];

  it('asks nothing of a list that is empty, or is the first', () => {
    expect(checked([task('1')], [])).not.toThrow();
    expect(checked([], [['2', { key: '2' }]])).not.toThrow();
  });

  it('is content when one of the new tasks has what identified those known', () => {
    expect(checked([task('1')], [['2', { key: '2' }], task('3')])).not.toThrow();
    expect(checked([task('1')], [['2', { key: '2' }]])).toThrow(
      /projects\/1\/tasks: at \$: .*found 2 without/,
    );
  });

  it('names all properties that may have been the identifier', () => {
    const known = { id: '1', key: 1, name: 'One' };
    expect(checked([['1', known]], [['2', { name: '2' }]])).toThrow('records with id or key, which');
    expect(checked([['1', known]], [['2', { key: 2 }]])).not.toThrow();
  });

  it.each([null, true, {}, [1]])('takes no %j for an identifier', id => {
    expect(checked([task('1')], [['2', { id }]])).toThrow('records with id');
  });

  it('knows nothing better when no property of those known is their identifier', async () => {
    expect(checked([['1', { name: 'One' }]], [['2', { key: '2' }]])).not.toThrow();
    await checkedBeside('1', { name: 'One' }, { key: '2' });
    await expect(checkedBeside('1', { id: '1' }, { key: '2' })).rejects.toThrow('found new without it');
  });

  it('fails when the projects that are known cannot be read', async () => {
    const load = async () => {
      throw new Error('throttled');
    };
    await expect(checkedAmong({ heads: headsOf('1'), load }, { id: 'new' })).rejects.toThrow('throttled');
  });
});
