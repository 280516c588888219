import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import { rulesOf } from '../../functions/changes/compare-project.ts';
import { type Recheck, UNKNOWN_PROCESS } from '../../functions/model/process-state.ts';
import type { Snapshot, SnapshotHead } from '../../functions/model/snapshot.ts';
import { type Candidate, observe } from '../../functions/pass/look.ts';
import { meaningDigest } from '../../functions/pass/reading/digest.ts';
import type { Listed } from '../../functions/pass/reading/listing.ts';
import type { PassState } from '../../functions/pass/state.ts';
import { passContext } from '../kit/pass/context.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const listed: Listed = { record: { id: '7' }, readAt: AT, readBefore: AT, digest: 'r' };
const times = { recordReadAt: AT - 9_000, tasksReadAt: AT - 8_000 };
const snapshot: Snapshot = {
  version: 3,
  content: { record: { id: '7' }, tasks: new Map([['1', { id: '1' }]]) },
  ...times,
  digests: { record: 'r', tasks: 't' },
};
const head: SnapshotHead = { projectId: '7', version: 3, ...times, digests: { record: 'r', tasks: 't' } };

const RULES = rulesOf({ project: [], task: [] }, new Set(['seen']));

/** Observes project 7, with what is asked of the table and of the service meanwhile. Its task list has these pages. */
async function observing(
  candidate: Partial<Candidate>,
  {
    kind = 'changes',
    kept = undefined as Snapshot | undefined,
    recheck = undefined as Recheck | undefined,
    pages = [['1']],
    withhold = [] as string[],
  } = {},
) {
  const asked = { loads: 0, tombstones: 0, identities: 0, tasks: 0 };
  const before = { ...UNKNOWN_PROCESS, rechecks: new Map(recheck && [['7', recheck]]) };
  const state = { definitions: { rules: RULES } } as PassState;
  const context = passContext({
    ...{ kind, before, settings: { withhold } },
    snapshots: {
      load: async () => {
        asked.loads += 1;
        return kept;
      },
      tombstone: async () => void asked.tombstones++,
      async *heads() {
        asked.identities += 1;
        yield [];
      },
    },
    service: {
      async *tasks() {
        asked.tasks += 1;
        for (const ids of pages) {
          const items = ids.map(id => ({ id, fields: { id } as JsonObject }));
          yield { items, digest: `of ${ids}`, readAt: AT, clock: 'service' };
        }
      },
    },
  });
  return [
    await observe(context, state, { projectId: '7', listing: 'whole', listed, round: 1, ...candidate }),
    asked,
  ] as const;
}

it('a baseline asks nothing of a project that an earlier run has committed', async () => {
  const [seen, asked] = await observing({ head }, { kind: 'baseline' });
  expect(seen).toEqual({ isSame: true, readAt: head.tasksReadAt });
  expect(asked).toEqual({ loads: 0, tombstones: 0, identities: 0, tasks: 0 });
});

it('a baseline looks for no earlier deletion of a project: it finds none before it is complete', async () => {
  const [, asked] = await observing({}, { kind: 'baseline' });
  expect(asked).toMatchObject({ tombstones: 0, identities: 0, tasks: 1 });
  const [, later] = await observing({}, { kind: 'changes' });
  expect(later).toMatchObject({ tombstones: 1, identities: 1, tasks: 1 });
});

const recheck: Recheck = {
  ...{ cause: 'unreadable', since: 0, foundAt: AT, reason: 'r', isReported: true, revision: 1 },
};
it.each([
  ['for a recheck, before the whole list is read for it', 'changed', recheck, 1],
  ['not where the whole list lacks it', 'whole', recheck, 0],
  ['not without a recheck', 'changed', undefined, 0],
] as const)('one neither listed nor known is asked for its tasks %s', async (_, listing, recheck, tasks) => {
  const [seen, asked] = await observing({ listing, listed: undefined }, { recheck });
  expect(asked).toEqual({ loads: 1, tombstones: 0, identities: 0, tasks });
  expect(seen).toMatchObject({ recheck, tasks: tasks > 0 ? { readAt: AT } : undefined });
});

it('the tasks of a project on several pages are read once where they are those known, and twice in a baseline, which may have passed over one', async () => {
  const pages = [['1'], ['2']];
  const [, once] = await observing({}, { kept: snapshot, pages });
  const [, twice] = await observing({}, { kept: snapshot, pages, kind: 'baseline' });
  expect([once.tasks, twice.tasks]).toEqual([1, 2]);
});

describe('a project whose head was read ahead', () => {
  it('is the same when the service answers what the snapshot was read from: its content is not loaded', async () => {
    const same = { ...head, digests: { record: 'r', tasks: 'of 1' } };
    const [seen, asked] = await observing({ head: same });
    expect(seen).toEqual({ isSame: true, readAt: AT });
    expect(asked).toMatchObject({ loads: 0, tasks: 1 });
  });

  it('is loaded, once, where its content did not come with the head, and not where it did', async () => {
    for (const whole of [undefined, () => undefined]) {
      const [seen, asked] = await observing(
        { head: { ...head, ...(whole && { whole }) } },
        { kept: snapshot },
      );
      expect(seen).toMatchObject({ snapshot, tasks: { digest: 'of 1' } });
      expect(asked.loads).toBe(1);
    }
    const [seen, asked] = await observing({ head: { ...head, whole: () => snapshot } });
    expect(seen).toMatchObject({ snapshot });
    expect(asked.loads).toBe(0);
  });

  it.each([
    ['deleted', undefined, 1],
    ['committed', { ...snapshot, version: 4 }, 0],
  ] as const)('invariant 8: is observed afresh if another pass %s it since', async (_, kept, tombstones) => {
    const [seen, asked] = await observing({ head }, { kept });
    expect(seen).toMatchObject({ snapshot: kept, tasks: { digest: 'of 1' } });
    expect(asked).toMatchObject({ tombstones, tasks: 2 });
  });
});

describe('a project that a sweep reads from other bytes', () => {
  const meaning = meaningDigest(snapshot.content, RULES, []);
  const digests = { record: 'r', tasks: 'of 2', meaning };
  const other = { ...listed, record: { seen: 'now', id: '7' }, digest: 'other' };
  const loads = async (...[candidate, how]: Parameters<typeof observing>) => {
    const before = { ...head, digests };
    const [seen, asked] = await observing(
      { head: before, listed: other, ...candidate },
      { kind: 'sweep', ...how },
    );
    expect('isSame' in seen).toBe(asked.loads === 0);
    return asked.loads;
  };

  it('is not loaded where they mean the same', async () => {
    expect(await loads({})).toBe(0);
  });

  it.each<[string, ...Parameters<typeof observing>]>([
    ['a field has another value', { listed: { ...other, record: { id: '7', name: 'New' } } }],
    ['a task is another one', {}, { pages: [['2']] }],
    ['it has one more task', {}, { pages: [['1', '2']] }],
    ['the list of withheld fields is another one', {}, { withhold: ['name'] }],
    ['its snapshot is a day old: it gets the new digests', { listed: { ...other, readAt: AT + 86_400_000 } }],
    ['a `changes` pass reads it', {}, { kind: 'changes' }],
    ['an earlier version wrote its snapshot', { head: { ...head, digests: { record: 'r', tasks: 'of 2' } } }],
  ])('is loaded and compared where %s', async (_, candidate, how) => {
    expect(await loads(candidate, { kept: snapshot, ...how })).toBe(1);
  });

  it('is looked for in the table once, however many pages its tasks fill', async () => {
    for (const pages of [[['1']], [['1'], ['2']]]) {
      const [seen, asked] = await observing({}, { pages });
      expect(seen).toMatchObject({ snapshot: undefined, tasks: { tasks: { size: pages.length } } });
      expect(asked.loads).toBe(1);
    }
  });
});
