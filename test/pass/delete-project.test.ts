import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../functions/changes/compare-project.ts';
import { UNKNOWN_PROCESS } from '../../functions/model/process-state.ts';
import type { Snapshot } from '../../functions/model/snapshot.ts';
import { deleteProject } from '../../functions/pass/commit.ts';
import { CLOCK_TOLERANCE_MS } from '../../functions/pass/decide.ts';
import type { Listing } from '../../functions/pass/reading/listing.ts';
import type { PassState } from '../../functions/pass/state.ts';
import { ServiceStatusError } from '../../functions/service/errors.ts';
import type { CommitRequest } from '../../functions/store/store.ts';
import { passContext } from '../kit/pass/context.ts';
import { AT, iso } from '../kit/time.ts';

/** Read well before now, in two seconds; nothing was in it. */
const LISTING: Listing = {
  ...{ projects: new Map(), startedAt: AT - 60_000, readAt: AT - 60_000, readBefore: AT - 58_000 },
  ...{ endedAt: AT - 57_000, isComplete: true },
};

/** Deletes project 7, whose snapshot was read so long before the listing, and whose task list answers in so many pages; 0: with a 404.
 *  A transaction holds `most` events. */
async function deleting(
  { before, tasksBefore = before, tasks = 1 }: { before: number; tasksBefore?: number; tasks?: number },
  { listing = LISTING, pages = 0, most = 99 } = {},
) {
  const requests: CommitRequest[] = [];
  let asked = 0;
  let snapshot: Snapshot | undefined = {
    version: 3,
    content: {
      record: { id: '7' },
      tasks: new Map(Array.from({ length: tasks }, (_, id) => [String(id), { id: String(id) }])),
    },
    recordReadAt: listing.readAt - before,
    tasksReadAt: listing.readAt - tasksBefore,
  };
  const rules = rulesOf({ project: [], task: [] }, new Set());
  const known = { ...UNKNOWN_PROCESS, rechecks: new Map() };
  const state = { commits: 0, events: 0, definitions: { rules } } as unknown as PassState;
  const context = passContext({
    ...{ kind: 'sweep', before: known },
    snapshots: {
      load: async () => snapshot,
      commit: async (_process: unknown, request: CommitRequest) => {
        if (request.events.length > most) return 'too-large';
        requests.push(request);
        snapshot = request.snapshot;
        return 'committed';
      },
    },
    service: {
      async *tasks() {
        asked += 1;
        if (pages === 0) throw new ServiceStatusError('GET tasks', 404, 'gone', 'project');
        for (let page = 0; page < pages; page++) {
          const id = String(page);
          yield { items: [{ id, fields: { id } }], digest: id, readAt: AT, clock: 'service' };
        }
      },
    },
  });
  await deleteProject(context, state, '7', listing);
  return { isDeleted: requests.at(-1)?.tombstone !== undefined, asked, request: requests[0] };
}

describe('invariant 9: a project that a listing lacks', () => {
  it('is not deleted when it was read later than the listing, not even if its task list is gone', async () => {
    expect(await deleting({ before: -1 })).toMatchObject({ isDeleted: false, asked: 0 });
    expect(await deleting({ before: 60_000, tasksBefore: -1 })).toMatchObject({ isDeleted: false, asked: 0 });
  });

  it('is deleted without a further request when it was read well before the listing', async () => {
    const before = CLOCK_TOLERANCE_MS + 1;
    expect(await deleting({ before }, { pages: 1 })).toMatchObject({ isDeleted: true, asked: 0 });
  });

  it('is deleted only if its task list answers 404 when it was read at about the same time', async () => {
    for (const before of [0, CLOCK_TOLERANCE_MS]) {
      expect(await deleting({ before })).toMatchObject({ isDeleted: true, asked: 1 });
      expect(await deleting({ before }, { pages: 1 })).toMatchObject({ isDeleted: false, asked: 1 });
      expect(await deleting({ before }, { pages: 2 })).toMatchObject({ isDeleted: false });
    }
  });

  it('is not taken to be there because its task list was empty later', async () => {
    const empty = { before: 60_000, tasksBefore: -1, tasks: 0 };
    expect(await deleting(empty)).toMatchObject({ isDeleted: true, asked: 0 });
  });

  it('is deleted in steps where it is large, though its task list answers: it was not there at the first step', async () => {
    const large = { before: CLOCK_TOLERANCE_MS + 1, tasks: 3 };
    const { request, ...rest } = await deleting(large, { pages: 1, most: 1 });
    expect(rest).toEqual({ isDeleted: true, asked: 0 });
    expect(request?.snapshot?.recordReadAt).toBe(LISTING.readAt - large.before);
  });
});

describe('the time up to which a project was deleted', () => {
  const deletedBy = async (...how: Parameters<typeof deleting>) => {
    const data = (await deleting(...how)).request?.events[0]?.data;
    return data && 'observed' in data ? data.observed.before : undefined;
  };

  it('is the end of a complete listing, or later, by the time that passed since, where a later request confirmed it', async () => {
    expect(await deletedBy({ before: 60_000 })).toBe(iso(LISTING.readBefore));
    const later = iso(LISTING.readBefore + 57_000);
    expect(await deletedBy({ before: 0 })).toBe(later);
    expect(await deletedBy({ before: 60_000 }, { listing: { ...LISTING, isComplete: false } })).toBe(later);
  });
});

it('leaves behind whether the time of the listing is by our clock', async () => {
  const ours = await deleting({ before: 60_000 }, { listing: { ...LISTING, untimed: true } });
  expect(ours.request?.tombstone).toMatchObject({ readAt: LISTING.readAt, untimed: true });
  const theirs = await deleting({ before: 60_000 });
  expect(theirs.request?.tombstone).not.toHaveProperty('untimed');
});
