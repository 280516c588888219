import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import { rulesOf } from '../../functions/changes/compare-project.ts';
import { type Recheck, UNKNOWN_PROCESS } from '../../functions/model/process-state.ts';
import type { Snapshot } from '../../functions/model/snapshot.ts';
import type { PassContext } from '../../functions/pass/context/context.ts';
import {
  failureReason,
  isOfOneProject,
  TaskListMissingError,
  TooLargeError,
} from '../../functions/pass/failures.ts';
import { checkProject, checkTasks, identifiersOf, look } from '../../functions/pass/look.ts';
import type { Listed } from '../../functions/pass/reading/listing.ts';
import type { Found } from '../../functions/pass/rechecks.ts';
import type { PassState } from '../../functions/pass/state.ts';
import {
  ServiceAnswerError,
  ServiceStatusError,
  ServiceUnreachableError,
} from '../../functions/service/errors.ts';
import { type CommitResult, type Snapshots, TornSnapshotError } from '../../functions/store/store.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const iso = (time: number) => new Date(time).toISOString();
const recheckOf = (cause: Recheck['cause']): Recheck => ({
  ...{ cause, since: 0, foundAt: AT, reason: 'r', isReported: true, revision: 1 },
});

describe('a look at a project', () => {
  const listedAt = (readAt: number, record: JsonObject): Listed => ({
    ...{ record, readAt, readBefore: readAt, digest: 'of the record' },
  });

  /** Looks at project 7, of which this is known, and whose list of tasks answers in so many pages. */
  async function lookAt(
    known: JsonObject | undefined,
    listed: Listed | undefined,
    {
      kind = 'changes',
      pages = 1,
      isMissing = false,
      digests = {},
      commit = async () => 'committed' as CommitResult,
      recheck = undefined as Recheck | undefined,
    } = {},
  ): Promise<[Found, requests: number]> {
    let requests = 0;
    const snapshot = known && {
      version: 1,
      content: { record: known, tasks: new Map([['1', { id: '1' }]]) },
      recordReadAt: AT,
      tasksReadAt: AT - 7,
      digests,
    };
    const rules = rulesOf({ project: [], task: [] }, new Set(['updatedAt']));
    const state = {
      definitions: { rules, readAndAnnounce: async () => rules },
    } as unknown as PassState;
    const context = {
      kind,
      before: { ...UNKNOWN_PROCESS, rechecks: new Map(recheck && [['7', recheck]]) },
      process: { workspace: 'eu', processId: 'p' },
      settings: {},
      clock: () => AT,
      snapshots: {
        load: async () => snapshot,
        tombstone: async () => undefined,
        heads: async function* () {},
        commit,
      },
      service: {
        async *tasks() {
          requests += 1;
          if (isMissing) throw new ServiceStatusError('GET tasks', 404, 'gone', 'project');
          for (let page = 0; page < pages; page++) {
            const id = pages === 1 ? '1' : String(requests + page + 1);
            yield { items: [{ id, fields: { id } }], digest: id, readAt: AT, clock: 'own' };
          }
        },
      },
      heartbeat: { beat: async () => undefined },
    } as unknown as PassContext;
    return [await look(context, state, { projectId: '7', listing: 'changed', listed, round: 1 }), requests];
  }
  const settled = (tasksReadAt: number | undefined) => ({ end: 'settled', tasksReadAt });

  it('settles one that is neither known, nor listed, nor owed a look: its tasks are not asked for', async () => {
    expect(await lookAt(undefined, undefined)).toEqual([settled(undefined), 0]);
  });

  it('asks for the tasks of one that is owed a look before the whole list is read for it', async () => {
    const recheck = recheckOf('unreadable');
    expect(await lookAt(undefined, undefined, { recheck })).toEqual([{ end: 'unclear', tasksReadAt: AT }, 1]);
  });

  it('settles one of which nothing changed, and is uncertain of two records that were read at one moment', async () => {
    expect(await lookAt({ id: '7' }, listedAt(AT, { id: '7' }))).toEqual([settled(AT), 1]);
    expect(await lookAt({ id: '7' }, listedAt(AT + 9_000, { id: '7', updatedAt: iso(AT) }))).toEqual([
      settled(AT),
      1,
    ]);
    const other = await lookAt({ id: '7' }, listedAt(AT, { id: '7', name: 'Other' }));
    expect(other).toEqual([{ end: 'uncertain', tasksReadAt: AT }, 1]);
    expect(await lookAt({ id: '7' }, listedAt(AT + 9_000, { id: '7', name: 'Other' }))).toEqual([
      settled(AT),
      1,
    ]);
  });

  it('settles one of which the service answers what it did before, and tells when its tasks were read', async () => {
    const digests = { record: 'of the record', tasks: '1' };
    expect(await lookAt({ id: '7' }, listedAt(AT + 9_000, { id: '7' }), { digests })).toEqual([
      settled(AT),
      1,
    ]);
  });

  it('finds no fault yet with one whose list of tasks is gone while only changed projects are listed', async () => {
    const [first] = await lookAt({ id: '7' }, listedAt(AT + 9_000, { id: '7' }), { isMissing: true });
    expect(first).toEqual({ end: 'unclear', tasksReadAt: undefined });
    const recheck = recheckOf('no-task-list');
    const [again] = await lookAt({ id: '7' }, listedAt(AT + 9_000, { id: '7' }), {
      isMissing: true,
      recheck,
    });
    expect(again).toMatchObject({ end: 'no-task-list', fault: expect.any(TaskListMissingError) });
  });

  it('is uncertain where its list of tasks never came to rest', async () => {
    const restless = await lookAt({ id: '7' }, listedAt(AT, { id: '7' }), { pages: 2 });
    expect(restless).toEqual([{ end: 'uncertain', tasksReadAt: AT }, 5]);
  });

  it('invariant 8: gives up for now where others keep being first', async () => {
    let tries = 0;
    const commit = async () => {
      tries += 1;
      return 'conflict' as const;
    };
    const looking = lookAt({ id: '7' }, listedAt(AT + 9_000, { id: '7', name: 'Other' }), { commit });
    await expect(looking).rejects.toThrow(
      /^Project 7 of process p was not committed in 20 tries: other passes committed first/,
    );
    expect(tries).toBe(20);
  });
});

describe('what goes wrong', () => {
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
  ])('with one project alone: %s: %s', (_, error, isOfOne) => {
    expect(isOfOneProject(error)).toBe(isOfOne);
  });
});

describe('the reason of a failure', () => {
  it('invariant 10: is told where the service says it, and else not: what AWS says is about our own stack', () => {
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

  it('is told whole of a project that is too large', () => {
    expect(failureReason(new TooLargeError('p1', '1001'))).toBe(
      'Project 1001 of process p1 is too large to commit: its record and tasks, compressed, exceed the 4 MB of one DynamoDB ' +
        'transaction. Split the project in the service.',
    );
  });
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

  it('knows nothing when no project is known', async () => {
    const load = async () => undefined;
    await checkedAmong({ heads: headsOf(), load }, { key: 'new' });
  });

  it('fails when the projects that are known cannot be read', async () => {
    const load = async () => {
      throw new Error('throttled');
    };
    await expect(checkedAmong({ heads: headsOf('1'), load }, { id: 'new' })).rejects.toThrow('throttled');
  });
});
