import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ProcessKey } from '../../../functions/basics/process.ts';
import type { Cause, ProcessState, SavedState } from '../../../functions/model/process-state.ts';
import type { Snapshot } from '../../../functions/model/snapshot.ts';
import { createSnapshots } from '../../../functions/store/dynamo/store.ts';
import { CHANGE } from '../../../functions/store/keys.ts';
import { openDatabase } from '../../../functions/store/sqlite/database.ts';
import { SNAPSHOTS_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { sqliteSnapshots } from '../../../functions/store/sqlite/store.ts';
import type { Lease, RecheckChange, Snapshots } from '../../../functions/store/store.ts';
import { ANY_CHARACTER } from '../../kit/any-character.ts';
import { AT, content, event, noise } from '../../kit/store/subject.ts';
import { openModel, TABLE_TIMING } from '../../kit/table.ts';

const KEYS = ['p', 'P#x'].map(processId => ({ workspace: 'eu', processId }));
const IDS = ['a', 'b', 'a#PART#0001', '__proto__', '', '\0', '%23', '{"a":1}', 'ü/x y'] as const;
const OWNERS = ['one', 'two'] as const;

const state: fc.Arbitrary<Partial<SavedState>> = fc.record(
  {
    baselined: fc.constant(true),
    watermark: fc.nat(),
    audit: fc.option(
      fc.record({ order: fc.constant('unknown' as const), tail: fc.string(), seen: fc.array(fc.string()) }),
      { nil: undefined },
    ),
    hold: fc.option(fc.record({ since: fc.nat(), missing: fc.nat() }), { nil: undefined }),
    recent: fc.array(fc.tuple(fc.string({ unit: ANY_CHARACTER }), fc.string(), fc.nat())),
    sweepCompletedAt: fc.nat(),
    projects: fc.option(fc.nat(), { nil: undefined }),
    skipped: fc.nat(),
    released: fc.boolean(),
    reported: fc.array(fc.string()),
  },
  { requiredKeys: [] },
);

const STALE = { cause: 'unreadable', since: 0, foundAt: 0, reason: '', isReported: false } as const;

const lease = {
  mode: fc.constantFrom('changes' as const, 'sweep' as const),
  owner: fc.constantFrom(...OWNERS),
};
/** `isStale`: another pass has written it since it was read. */
const recheck = fc.record({
  id: fc.constantFrom(...IDS),
  isStale: fc.boolean(),
  after: fc.option(
    fc.record({
      ...{ since: fc.nat(), foundAt: fc.nat(), reason: fc.string(), isReported: fc.boolean() },
      cause: fc.constantFrom<Cause>('unreadable', 'no-task-list', 'not-listed'),
    }),
    { nil: undefined },
  ),
});
type RecheckStep = typeof recheck extends fc.Arbitrary<infer Value> ? Value : never;

const ENTRIES = ['1', '2', '3'].map(end => end.padStart(32, 'a'));

const digest = fc.stringMatching(/^[\w.-]{1,8}$/);

const step = fc.record({
  process: fc.constantFrom(...KEYS),
  call: fc.oneof(
    { weight: 3, arbitrary: commitOf() },
    fc.record({ kind: fc.constant('load' as const), id: fc.constantFrom(...IDS) }),
    fc.record({ kind: fc.constant('with snapshot' as const), ids: fc.subarray([...IDS, 'nobody']) }),
    fc.record({ kind: fc.constant('heads' as const), after: fc.constantFrom(undefined, 'nobody', ...IDS) }),
    fc.record({ kind: fc.constant('rechecks' as const), rechecks: fc.array(recheck, { maxLength: 3 }) }),
    fc.record({
      kind: fc.constant('take' as const),
      ...lease,
      now: fc.nat({ max: 9 }),
      lasts: fc.nat({ max: 5 }),
    }),
    fc.record({
      kind: fc.constant('save' as const),
      ...lease,
      window: fc.option(fc.record({ startedAt: fc.nat(), begunAt: fc.nat() }), { nil: undefined }),
      progress: fc.option(fc.string({ unit: ANY_CHARACTER }), { nil: undefined }),
      until: fc.nat({ max: 9 }),
    }),
    fc.record({ kind: fc.constantFrom('release' as const, 'abandon' as const), ...lease }),
    fc.record({ kind: fc.constant('finish' as const), ...lease, state }),
    fc.record({
      kind: fc.constant('announce' as const),
      stale: fc.boolean(),
      isSilent: fc.boolean(),
      state,
      rechecks: fc.uniqueArray(recheck, { maxLength: 3, selector: ({ id }) => id }),
      entries: fc.subarray(ENTRIES),
      events: fc.nat({ max: 2 }),
    }),
    fc.record({ kind: fc.constant('told entries' as const), ids: fc.subarray(ENTRIES) }),
    fc.record({
      kind: fc.constant('delete timer' as const),
      ...{ id: fc.constantFrom(...IDS), at: fc.nat({ max: 3 }), isStale: fc.boolean() },
    }),
  ),
});

function commitOf() {
  return fc.record({
    kind: fc.constant('commit' as const),
    id: fc.constantFrom(...IDS),
    /** What is expected: nothing, the current snapshot, or one that was once loaded. */
    expected: fc.constantFrom('none' as const, 'current' as const, 'stale' as const),
    deleted: fc.boolean(),
    size: fc.constantFrom(0, 0, 0, 500_000),
    events: fc.nat({ max: 2 }),
    at: fc.nat({ max: 3 }),
    isSilent: fc.boolean(),
    untimed: fc.boolean(),
    next: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
    digests: fc.option(fc.record({ record: digest, tasks: digest, meaning: digest }, { requiredKeys: [] }), {
      nil: undefined,
    }),
  });
}

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** One implementation, and what it showed so far. */
class Subject {
  readonly snapshots: Snapshots;
  readonly #loaded = new Map<string, Snapshot | undefined>();
  #version = AT;

  constructor(snapshots: Snapshots) {
    this.snapshots = snapshots;
  }

  /** What the call answered, as far as a pass can see. */
  async run({ process, call }: Step): Promise<unknown> {
    const { snapshots } = this;
    switch (call.kind) {
      case 'commit':
        return this.#commit(process, call);
      case 'load':
        return seen(await snapshots.load(process, call.id));
      case 'with snapshot':
        return [...(await snapshots.withSnapshot(process, call.ids))].sort();
      case 'told entries':
        return [...(await snapshots.emittedEntries(process, call.ids))].sort();
      case 'heads':
        return (await Array.fromAsync(snapshots.heads(process, call.after))).flat();
      case 'delete timer': {
        const { version } = (await snapshots.load(process, call.id)) ?? {};
        const timer = { at: AT + call.at, projectId: call.id };
        return snapshots.deleteTimer(process, timer, call.isStale ? 1 : version);
      }
      case 'rechecks':
        // The same one twice in a call: which is first, nobody says.
        for (const one of call.rechecks)
          await snapshots.writeRechecks(process, await this.#changesOf(process, [one]));
        return undefined;
      case 'take': {
        const { mode, owner, now, lasts } = call;
        return snapshots.takeLease(process, { mode, owner, now, until: now + lasts });
      }
      case 'save':
        return snapshots.saveProgress(process, leaseOf(call), call.until);
      case 'release':
      case 'abandon':
        return snapshots[call.kind](process, leaseOf(call));
      case 'finish':
        return snapshots.finish(process, leaseOf(call), { sweptAt: 1, ...call.state });
      case 'announce': {
        const { announced } = await snapshots.readState(process);
        const version = ++this.#version;
        const events = Array.from({ length: call.events }, () => event(version));
        const request = {
          announced: call.stale ? announced - 1 : announced,
          isSilent: call.isSilent,
          state: call.state,
          rechecks: await this.#changesOf(process, call.rechecks),
          entries: call.entries,
        };
        return snapshots.announce(process, { ...request, request: { events, version, at: AT } });
      }
    }
  }

  async #changesOf(process: ProcessKey, rechecks: readonly RecheckStep[]): Promise<RecheckChange[]> {
    const current = (await this.snapshots.readState(process)).rechecks;
    return rechecks.map(({ id, isStale, after }) => {
      const before = current.get(id);
      // One that is gone since, or was made.
      const stale = before ? undefined : { ...STALE, revision: 1 };
      return { projectId: id, before: isStale ? stale : before, after };
    });
  }

  async #commit(process: Step['process'], call: Extract<Step['call'], { kind: 'commit' }>): Promise<unknown> {
    const place = JSON.stringify([process.processId, call.id]);
    const current = await this.snapshots.load(process, call.id);
    const expected = { none: undefined, current, stale: this.#loaded.get(place) }[call.expected];
    this.#loaded.set(place, current);
    const version = ++this.#version;
    const text = noise(call.size, version % 1000);
    return this.snapshots.commit(process, {
      projectId: call.id,
      expected,
      snapshot: call.deleted
        ? undefined
        : {
            version,
            content: content({ text }, { t: { version } }),
            recordReadAt: version,
            ...(call.untimed && { untimed: true }),
            tasksReadAt: AT,
            ...(call.next !== undefined && {
              due: { rules: [], timeZone: 'UTC', until: AT, next: AT + call.next },
            }),
            ...(call.digests && { digests: call.digests }),
          },
      version,
      isSilent: call.isSilent,
      events: Array.from({ length: call.events }, () => event(version)),
      at: AT + call.at,
    });
  }
}

const leaseOf = ({
  mode,
  owner,
  window,
  progress,
}: Pick<Lease, 'mode' | 'owner'> & Partial<Lease>): Lease => ({
  mode,
  owner,
  window,
  progress,
});

/** A snapshot, but for what is the table's own affair. */
function seen(snapshot: Snapshot | undefined): unknown {
  if (!snapshot) return undefined;
  const { parts: _, ...rest } = snapshot;
  return { ...rest, content: { ...rest.content, tasks: [...rest.content.tasks] } };
}

/** Revisions are numbers that only their own table knows. */
function stateSeen({ rechecks, ...state }: ProcessState): unknown {
  return {
    ...state,
    rechecks: [...rechecks].map(([id, { revision: _, ...recheck }]) => ({ id, ...recheck })),
  };
}

async function everything(snapshots: Snapshots): Promise<unknown> {
  return Promise.all(
    KEYS.map(async process => ({
      state: stateSeen(await snapshots.readState(process)),
      heads: (await Array.fromAsync(snapshots.heads(process))).flat(),
      entries: [...(await snapshots.emittedEntries(process, ENTRIES))].sort(),
      timers: await snapshots.timers(process, 100),
      projects: await Promise.all(IDS.map(async id => seen(await snapshots.load(process, id)))),
    })),
  );
}

it('invariants 1, 3 and 8: the snapshots in SQLite answer every history of calls as those in DynamoDB do, and hold the same after it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async steps => {
      const { client, tableName, model } = openModel();
      const database = openDatabase(':memory:', [SNAPSHOTS_SCHEMA]);
      const dynamo = new Subject(createSnapshots({ client, tableName, timing: TABLE_TIMING }));
      const sqlite = new Subject(sqliteSnapshots(database));
      for (const one of steps) expect(await sqlite.run(one)).toEqual(await dynamo.run(one));
      expect(await everything(sqlite.snapshots)).toEqual(await everything(dynamo.snapshots));
      const streamed = model.stream
        .filter(
          ({ eventName, dynamodb }) => eventName === 'INSERT' && dynamodb?.Keys?.sk?.S?.startsWith(CHANGE),
        )
        .map(({ dynamodb }) => [dynamodb?.Keys?.pk?.S, dynamodb?.Keys?.sk?.S]);
      const journal = database.sql.all`SELECT process, key FROM change ORDER BY position`;
      expect(new Set(journal.map(({ process, key }) => `${process} ${key}`))).toEqual(
        new Set(streamed.map(([pk, sk]) => `${pk} ${sk}`)),
      );
      database.file.close();
    }),
    { numRuns: 40 },
  );
});
