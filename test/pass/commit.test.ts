import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import { compareProject, rulesOf } from '../../functions/changes/compare-project.ts';
import { type Recheck, UNKNOWN_PROCESS } from '../../functions/model/process-state.ts';
import type { ProjectContent, Snapshot } from '../../functions/model/snapshot.ts';
import { commit, readUntil } from '../../functions/pass/commit.ts';
import type { PassState } from '../../functions/pass/state.ts';
import type { CommitRequest, CommitResult } from '../../functions/store/store.ts';
import { passContext } from '../kit/pass/context.ts';
import { AT, iso } from '../kit/time.ts';

type Difference = Parameters<typeof commit>[2];

const RULES = rulesOf({ project: [], task: [] }, new Set(['updatedAt']));

const contentOf = (record: JsonObject, ...statuses: string[]): ProjectContent => ({
  record: { id: '7', ...record },
  tasks: new Map(statuses.map((status, index) => [String(index), { id: String(index), status }])),
});
const OLD = contentOf({ name: 'Old' }, 'To do');
const NEW = contentOf({ name: 'New' }, 'Done');
const snapshotOf = (more: Partial<Snapshot> = {}): Snapshot => ({
  ...{ version: 3, content: OLD, recordReadAt: AT - 90_000, tasksReadAt: AT - 80_000 },
  ...more,
});

/** A difference of project 7: what it was, and what it now is; undefined: it is gone. */
function differenceOf(
  snapshot: Snapshot | undefined,
  content: ProjectContent | undefined,
  more: { source?: Partial<Difference['source']>; tasks?: Partial<Difference['tasks']> } & Pick<
    Partial<Difference>,
    'tombstone'
  > = {},
): Difference {
  const { record, tasks } = content ?? OLD;
  const times = { readAt: AT - 2, readBefore: AT - 1 };
  return {
    projectId: '7',
    snapshot,
    tombstone: more.tombstone,
    content,
    changes: compareProject('7', snapshot?.content, content, RULES),
    source: { record, ...times, ...more.source },
    tasks: { tasks, ...times, ...more.tasks },
  };
}

/** Commits it in a pass whose table answers so, one after the other, and then that it is committed. */
async function committing(
  difference: Difference,
  {
    kind = 'changes',
    answers = [] as CommitResult[],
    recheck = undefined as Recheck | undefined,
    sweptAt = AT - 100_000,
  } = {},
) {
  const requests: CommitRequest[] = [];
  const ids: (readonly string[])[] = [];
  let saves = 0;
  const state = {
    ...{ commits: 0, events: 0, definitions: { rules: RULES } },
    inTurn: (work: () => Promise<unknown>) => work(),
  } as unknown as PassState;
  const context = passContext({
    kind,
    before: { ...UNKNOWN_PROCESS, sweptAt, rechecks: new Map(recheck && [['7', recheck]]) },
    heartbeat: { save: async () => void saves++ },
    onCommitted: (one: readonly string[]) => ids.push(one),
    snapshots: {
      commit: async (_process: unknown, request: CommitRequest) => {
        requests.push(request);
        return answers.shift() ?? 'committed';
      },
    },
  });
  const result = await commit(context, state, difference);
  return { result, requests, request: requests[0] as CommitRequest, ids, saves };
}

it('what a commit answers says that it was a step when only a part of the changes fitted', async () => {
  const difference = differenceOf(snapshotOf(), NEW);
  expect((await committing(difference)).result).toBe('committed');
  const { result, requests } = await committing(difference, { answers: ['too-large'] });
  expect([result, requests.map(({ events }) => events.length)]).toEqual(['step', [2, 1]]);
  expect((await committing(difference, { answers: ['too-large', 'conflict'] })).result).toBe('conflict');
});

it('invariant 1: what a commit answers makes sure of its lease when another pass is ahead of a baseline, and only then', async () => {
  const savesOf = async (kind: string, answer: CommitResult) =>
    (await committing(differenceOf(undefined, NEW), { kind, answers: [answer] })).saves;
  expect(await savesOf('baseline', 'conflict')).toBe(1);
  expect(await savesOf('baseline', 'committed')).toBe(0);
  expect(await savesOf('sweep', 'conflict')).toBe(0);
});

it('who waits for events hears of those that were committed, by their ids, and nothing of a commit that failed or has none', async () => {
  const { ids, request } = await committing(differenceOf(snapshotOf(), NEW));
  expect(ids).toEqual([request.events.map(({ id }) => id)]);
  expect(new Set(ids[0]).size).toBe(2);
  expect(ids[0]).not.toContain(undefined);
  const failed = await committing(differenceOf(snapshotOf(), NEW), { answers: ['conflict'] });
  expect(failed.ids).toEqual([]);
  expect((await committing(differenceOf(snapshotOf(), OLD))).ids).toEqual([]);
  expect((await committing(differenceOf(undefined, NEW), { kind: 'baseline' })).ids).toEqual([]);
});

it.each([
  ['a snapshot', NEW, (request: CommitRequest) => request.snapshot],
  ['a tombstone', undefined, (request: CommitRequest) => request.tombstone],
])('what is kept of the clock %s says that its time is by ours, where it is', async (_, content, keptOf) => {
  const ours = differenceOf(snapshotOf(), content, { source: { untimed: true } });
  expect(keptOf((await committing(ours)).request)).toMatchObject({ untimed: true });
  const theirs = differenceOf(snapshotOf(), content);
  expect(keptOf((await committing(theirs)).request)).not.toHaveProperty('untimed');
});

const tombstoneOf = async (content: ProjectContent) =>
  (await committing(differenceOf(snapshotOf({ content }), undefined))).request.tombstone;

it('what a deletion leaves behind is when the project was missed, and when it was last updated', async () => {
  const kept = { version: AT, readAt: AT - 2 };
  expect(await tombstoneOf(contentOf({ updatedAt: iso(AT - 50) }))).toStrictEqual({
    ...kept,
    updatedAt: AT - 50,
  });
  expect(await tombstoneOf(OLD)).toStrictEqual(kept);
});

it('invariant 2: what a deletion leaves behind is what a commit that makes the project again is conditional on', async () => {
  const tombstone = { version: 5, readAt: AT - 70_000 };
  const madeAfter = async (difference: Difference, kind = 'changes') =>
    (await committing(difference, { kind })).request.madeAfter;
  expect(await madeAfter(differenceOf(undefined, NEW, { tombstone }))).toEqual({ version: 5 });
  expect(await madeAfter(differenceOf(undefined, NEW))).toEqual({ version: undefined });
  expect(await madeAfter(differenceOf(undefined, NEW), 'baseline')).toBeUndefined();
  expect(await madeAfter(differenceOf(snapshotOf(), NEW))).toBeUndefined();
});

describe('the digests that are kept', () => {
  const digestsOf = async (...difference: Parameters<typeof differenceOf>) =>
    (await committing(differenceOf(...difference))).request.snapshot?.digests;
  const digests = { source: { digest: 'r' }, tasks: { digest: 't' } };

  it('are those of the answers, if the content equals what was read, though it be another object', async () => {
    const kept = { record: 'r', tasks: 't', meaning: expect.any(String) };
    expect(await digestsOf(snapshotOf(), NEW, digests)).toStrictEqual(kept);
    const read = structuredClone(NEW);
    const equal = {
      source: { digest: 'r', record: read.record },
      tasks: { digest: 't', tasks: read.tasks },
    };
    expect(await digestsOf(snapshotOf(), NEW, equal)).toStrictEqual(kept);
  });

  it('invariant 1: are none where the content has a value, or lacks a task, that was not read so, or the answers had none', async () => {
    const other = contentOf({ name: 'Other' }, 'Other');
    const read = {
      source: { digest: 'r', record: other.record },
      tasks: { digest: 't', tasks: other.tasks },
    };
    expect(await digestsOf(snapshotOf(), NEW, read)).toStrictEqual({});
    const more = { ...digests, tasks: { digest: 't', tasks: contentOf({}, 'Done', 'New').tasks } };
    expect(await digestsOf(snapshotOf(), NEW, more)).toStrictEqual({ record: 'r' });
    expect(await digestsOf(snapshotOf(), NEW)).toStrictEqual({});
  });

  it('do not hinder the deletion of a project whose answers had some', async () => {
    const { result, request } = await committing(differenceOf(snapshotOf(), undefined, digests));
    expect([result, request.snapshot]).toEqual(['committed', undefined]);
  });
});

describe('the time since which a change may have happened', () => {
  const recheckOf = (cause: Recheck['cause'], since: number): Recheck => ({
    ...{ cause, since, foundAt: AT, reason: 'r', isReported: true, revision: 1 },
  });
  const afterOf = async (how: Parameters<typeof committing>[1], snapshot = snapshotOf()) =>
    (await committing(differenceOf(snapshot, NEW), how)).request.events.map(({ data }) =>
      'observed' in data ? data.observed.after : undefined,
    );

  it('is when the snapshot was read, of a project that the last sweep missed', async () => {
    const recheck = recheckOf('not-listed', AT - 60_000);
    const since = [iso(AT - 90_000), iso(AT - 80_000)];
    expect((await afterOf({ recheck, sweptAt: AT - 50_000 })).toSorted()).toEqual(since);
  });

  it('is since when a project is owed a look, if the last sweep was later', async () => {
    const recheck = recheckOf('unreadable', AT - 60_000);
    const since = iso(AT - 60_000);
    expect(await afterOf({ recheck, sweptAt: AT - 50_000 })).toEqual([since, since]);
  });

  it('invariant 2: is when tasks were last read, of a task of a project that had none: a sweep believes a 404 there', async () => {
    const empty = snapshotOf({ content: contentOf({ name: 'New' }) });
    expect(await afterOf({ sweptAt: AT - 50_000 }, empty)).toEqual([iso(AT - 80_000)]);
  });
});

describe('the time of an event', () => {
  const timeOf = async (readAt: number) => {
    const times = { readAt: AT + readAt, readBefore: AT + readAt + 1_000 };
    const { request } = await committing(differenceOf(snapshotOf(), NEW, { source: times, tasks: times }));
    return request.events.map(({ time, data }) => [
      Date.parse(time) - AT,
      'observed' in data ? Date.parse(data.observed.before) - AT : undefined,
    ]);
  };

  it.each([
    ['the latest time at which the new state may have been read', -5_000, -4_000, -4_000],
    ['not after the commit, where a reading is dated by whole seconds', -300, 0, 700],
    ['not before the time of the reading, where our clock is behind the service’s', 20_000, 20_000, 21_000],
  ])('is %s', async (_, readAt, time, before) => {
    expect(await timeOf(readAt)).toEqual([
      [time, before],
      [time, before],
    ]);
  });
});

describe('the times up to which a snapshot holds all changes', () => {
  const [record, tasks] = [{ readBefore: 5 }, { readBefore: 7 }];

  it('are those of its parts, each the later one of now and of before, and unknown where only our clock tells when one was read', () => {
    expect(readUntil(undefined, record, tasks)).toEqual({ record: 5, tasks: 7 });
    expect(readUntil({}, record, tasks)).toEqual({ record: 5, tasks: 7 });
    expect(readUntil({ readUntil: { record: 6, tasks: 6 } }, record, tasks)).toEqual({ record: 6, tasks: 7 });
    expect(readUntil({ readUntil: { record: 4, tasks: 8 } }, record, tasks)).toEqual({ record: 5, tasks: 8 });
    expect(readUntil(undefined, { ...record, untimed: true }, tasks)).toBeUndefined();
    expect(readUntil(undefined, record, { ...tasks, untimed: true })).toBeUndefined();
  });
});
