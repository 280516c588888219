import type { JsonObject } from '../../../functions/basics/json.ts';
import { compareProject, type RecordChange, rulesOf } from '../../../functions/changes/compare-project.ts';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import { UNKNOWN_PROCESS } from '../../../functions/model/process-state.ts';
import type { ProjectContent, Snapshot } from '../../../functions/model/snapshot.ts';
import { checkCommit } from '../../../functions/pass/check-commit.ts';
import { commit, deleteProject } from '../../../functions/pass/commit.ts';
import type { PassContext } from '../../../functions/pass/context/context.ts';
import type { Listed, Listing } from '../../../functions/pass/reading/listing.ts';
import type { PassState } from '../../../functions/pass/state.ts';
import type { CommitRequest } from '../../../functions/store/store.ts';
import type { Trips } from './trip.ts';

type Difference = Parameters<typeof commit>[2];

const AT = Date.UTC(2026, 10, 21, 12);
const RULES = rulesOf({ project: [], task: [] }, new Set());
const contentOf = (name: string, ...tasks: JsonObject[]): ProjectContent => ({
  record: { id: '7', name },
  tasks: new Map(tasks.map(task => [String(task.id), task])),
});
const OLD = contentOf('Old', { id: 'a', status: 'To do' }, { id: 'b', status: 'To do' });
const NEW = contentOf('New', { id: 'a', status: 'Done' }, { id: 'c', status: 'To do' });
const SNAPSHOT: Snapshot = { version: 3, content: OLD, recordReadAt: AT - 9, tasksReadAt: AT - 9 };
const CHANGES = compareProject('7', OLD, NEW, RULES);
const TIMES = { readAt: AT - 2, readBefore: AT - 1 };

/** Commits a difference from OLD to NEW with a defect, and returns the request that reached the table. */
async function committing(
  defect: Partial<Difference> = {},
  { clock = () => AT, kind = 'changes' } = {},
): Promise<CommitRequest | undefined> {
  let written: CommitRequest | undefined;
  const snapshots = {
    commit: async (_: unknown, request: CommitRequest) => {
      written = request;
      return 'committed';
    },
  };
  const before = { ...UNKNOWN_PROCESS, rechecks: new Map() };
  const process = { workspace: 'eu', processId: 'p' };
  const context = { kind, before, process, settings: {}, clock, snapshots } as unknown as PassContext;
  const state = {
    definitions: { rules: RULES },
    inTurn: (work: () => unknown) => work(),
  } as unknown as PassState;
  await commit(context, state, {
    ...{ projectId: '7', snapshot: SNAPSHOT, content: NEW, changes: CHANGES },
    source: { record: NEW.record, ...TIMES },
    tasks: { tasks: NEW.tasks, ...TIMES },
    ...defect,
  });
  return written;
}

/** The changes, with a defect in the one of this record. */
const changesWith = (id: string, defect: (change: RecordChange) => Partial<RecordChange>): RecordChange[] =>
  CHANGES.map(change => (change.id === id ? { ...change, ...defect(change) } : change));
const withField = (defect: object) => ({
  changes: changesWith('a', ({ fields }) => ({ fields: fields.map(field => ({ ...field, ...defect })) })),
});

/** Checks the request of a right commit, with a defect that `commit` can't be brought to. */
async function checking(defect: (request: CommitRequest) => Partial<CommitRequest>): Promise<void> {
  const right = (await committing()) as CommitRequest;
  checkCommit({ ...right, ...defect(right) }, { processId: 'p', lastVersion: 3, changes: CHANGES });
}
const withEvent =
  (defect: (event: ChangeEvent) => object) =>
  ({ events }: CommitRequest) => ({
    events: events.map((event, index) => (index === 1 ? { ...event, ...defect(event) } : event)) as never,
  });

/** Each makes a commit of project 7, from OLD to NEW. */
export const COMMIT: Trips<'commit'> = {
  'commit.version-grows': () => committing({ snapshot: { ...SNAPSHOT, version: 2 ** 53 } }),
  'commit.one-version': () => checking(withEvent(() => ({ sequence: '3' }))),
  'commit.snapshot-or-tombstone': () => checking(() => ({ tombstone: { version: AT, readAt: AT } })),
  'commit.silent-in-baseline': () => committing({}, { kind: 'baseline' }),
  'commit.one-event-per-change': () => checking(({ events }) => ({ events: events.slice(1) })),
  'commit.due-has-come': () =>
    checking(({ events }) => ({
      events: [...events, { ...events[0], type: 'task.due', data: { dueAt: '9' } }] as never,
    })),
  'commit.ids-are-unique': () => checking(({ events }) => ({ events: events.map(() => events[0]) as never })),
  'commit.event-of-project': () =>
    checking(withEvent(({ data }) => ({ data: { ...data, project: { id: '8' } } }))),
  'commit.observed-in-order': () =>
    checking(withEvent(({ data }) => ({ data: { ...data, observed: { after: 'b', before: 'a' } } }))),
  'commit.record-changes-once': () => committing({ changes: [...CHANGES, ...CHANGES.slice(1, 2)] }),
  'commit.change-fits-snapshot': () =>
    committing({ changes: changesWith('c', () => ({ action: 'updated' as const })) }),
  'commit.from-is-known': () => committing(withField({ from: 'Blocked' })),
  'commit.to-is-read': () => committing(withField({ to: 'Blocked' })),
  'commit.from-differs': () => {
    const [a] = [...OLD.tasks.values()] as [JsonObject];
    const content = contentOf('Old', { ...a }, { id: 'b', status: 'To do' });
    const field = { field: 'status', name: 'Status', kind: 'builtin', type: 'string' } as const;
    const same = { ...field, from: 'To do', to: 'To do' };
    const record = content.tasks.get('a') as JsonObject;
    return committing({
      content,
      changes: [{ entity: 'task', action: 'updated', id: 'a', record, fields: [same] }],
    });
  },
  'commit.changes-give-content': () => committing({ changes: CHANGES.filter(({ id }) => id !== 'b') }),
  'commit.read-until-grows': () =>
    committing({
      snapshot: { ...SNAPSHOT, readUntil: { record: AT, tasks: AT } },
      ...{ content: OLD, changes: [], source: { record: OLD.record, readAt: AT, readBefore: Number.NaN } },
    }),
  'commit.deleted-is-unlisted': () => {
    const listing = { projects: new Map([['7', {} as Listed]]) } as unknown as Listing;
    return deleteProject({} as PassContext, {} as PassState, '7', listing);
  },
};

/** Wrong contents that only some of the checks find, each by `commit.changes-give-content`. */
export const WRONG_CONTENTS: readonly (readonly [defect: string, commit: () => unknown])[] = [
  ['a task is swapped', () => committing({ content: contentOf('New', ...tasksOf(NEW, 'c'), { id: 'd' }) })],
  [
    'a changed record is another reading',
    () => committing({ content: contentOf('New', { id: 'a', status: 'Done' }, ...tasksOf(NEW, 'c')) }),
  ],
  [
    'an unchanged task is swapped',
    () => committing({ content: contentOf('Old', ...tasksOf(OLD, 'a'), { id: 'd' }), changes: [] }),
  ],
  ['a project goes without a change', () => committing({ content: undefined, changes: [] })],
];

function tasksOf({ tasks }: ProjectContent, id: string): JsonObject[] {
  return [tasks.get(id) as JsonObject];
}
