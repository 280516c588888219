import { beforeEach, describe, expect, it } from 'vitest';
import type { Mode, ProcessKey } from '../../../functions/basics/process.ts';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import { type SavedState, UNKNOWN_PROCESS } from '../../../functions/model/process-state.ts';
import type { Snapshot, Tombstone } from '../../../functions/model/snapshot.ts';
import type { CommitRequest, Lease, Snapshots } from '../../../functions/store/store.ts';
import { commitOf, content, event, leaseOf, noise, type Subject, snapshot } from '../../kit/store/subject.ts';
import { AT } from '../../kit/time.ts';
import { entriesContract } from './entries.ts';
import { headsContract } from './heads.ts';
import { rechecksContract } from './rechecks.ts';
import { timersContract } from './timers.ts';
import { usersContract } from './users.ts';

/** As a process's first pass finds the state, without what follows from rows of their own. */
const {
  rechecks: _rechecks,
  isSweepUnfinished: _unfinished,
  sweepLeasedUntil: _leased,
  isChangesOpen: _open,
  changesEndedBy: _ended,
  ...FIRST
} = UNKNOWN_PROCESS;

const WINDOW = { startedAt: AT, begunAt: AT + 5 };
const BEGUN_ANEW = { window: undefined, progress: undefined };

let processes = 0;

/** What every implementation of the snapshots port must do: one suite for each of them. */
export function snapshotsContract(subject: () => Subject): void {
  describe('snapshots', () => {
    let process: { workspace: string; processId: string };
    let snapshots: Snapshots;
    beforeEach(() => {
      process = { workspace: 'eu', processId: `process ${++processes}` };
      snapshots = subject().snapshots;
    });

    const commit = (more: Partial<CommitRequest> = {}) => {
      const version = more.version ?? AT;
      const first = snapshot(version, content({ name: 'Acme' }));
      return snapshots.commit(process, commitOf('p1', first, { events: [event(version)], ...more }));
    };
    const idsOf = async (of: ProcessKey) =>
      (await Array.fromAsync(snapshots.heads(of))).flat().map(({ projectId }) => projectId);
    const readState = () => snapshots.readState(process);
    const load = () => snapshots.load(process, 'p1');
    const finish = (lease: Lease, end: Partial<SavedState>) => snapshots.finish(process, lease, end);
    const saveProgress = (lease: Lease, until: number) => snapshots.saveProgress(process, lease, until);
    const isUnfinished = async () => (await readState()).isSweepUnfinished;
    const journal = () => subject().journal(process.processId);
    const take = (owner: string, mode: Mode = 'changes', now = AT) =>
      snapshots.takeLease(process, { mode, owner, now, until: now + 60_000 });
    const taken = (owner: string, mode: Mode = 'changes', now = AT) =>
      leaseOf(snapshots, process, { owner, mode, now, until: now + 60_000 });

    describe('a commit', () => {
      it('is read back as it was, with its events in the journal', async () => {
        const tasks = { 't/1': { a: [1, { b: null }] }, '10': {}, '9': {} };
        const held = content({ name: 'Größe', nested: { x: [true] } }, tasks);
        const withheld = { names: ['a'], shown: [['b', AT]] } as const;
        const kept = { untimed: true, readUntil: { record: AT - 0.5, tasks: AT }, withheld } as const;
        const first = { ...snapshot(AT, held), ...kept };
        expect(await commit({ snapshot: first })).toBe('committed');
        const loaded = await load();
        expect(loaded).toMatchObject(first);
        expect([...(loaded?.content.tasks.keys() ?? [])]).toEqual([...first.content.tasks.keys()]);
        expect(await journal()).toEqual([event(AT)]);
      });

      it('invariant 8: is refused when another one was first, and then leaves neither snapshot nor events', async () => {
        await commit();
        const held = await load();
        const version = AT + 1;
        const next = (name: string, at: number) => {
          const written = { version, snapshot: snapshot(version, content({ name })) };
          return commit({ ...written, expected: held, events: [event(version)], at });
        };
        const results = await Promise.all([next('a', AT + 1), next('b', AT + 2), next('c', AT + 3)]);
        expect(results.sort()).toEqual(['committed', 'conflict', 'conflict']);
        expect(await commit()).toBe('conflict');
        expect(await journal()).toEqual([event(AT), event(AT + 1)]);
      });

      it('invariant 8: that takes a project for new is refused when somebody else has made it', async () => {
        const made = (name: string, version: number) =>
          commit({ snapshot: snapshot(version, content({ name })), version, events: [], at: version });
        expect(await made('theirs', AT)).toBe('committed');
        expect(await made('ours', AT + 1)).toBe('conflict');
        expect((await load())?.content.record).toEqual({ name: 'theirs' });
      });

      it('invariant 1: of a baseline is refused once that has ended, and then leaves nothing', async () => {
        const lease = await taken('a', 'sweep');
        const silent = (projectId: string) => commit({ projectId, events: [], isSilent: true });
        expect(await silent('p1')).toBe('committed');
        expect(await finish(lease, { baselined: true })).toBe(true);
        expect(await silent('p2')).toBe('conflict');
        expect(await snapshots.load(process, 'p2')).toBeUndefined();
        expect(await commit({ projectId: 'p2', events: [] })).toBe('committed');
      });

      it('invariant 3: is refused when its change record is there already, and then leaves nothing', async () => {
        await commit();
        const held = await load();
        await commit({ expected: held, snapshot: undefined, version: AT + 1, events: [] });
        expect(await commit()).toBe('conflict');
        expect(await load()).toBeUndefined();
        expect(await journal()).toEqual([event(AT)]);
      });

      it('without events leaves the journal alone', async () => {
        expect(await commit({ events: [] })).toBe('committed');
        expect(await journal()).toEqual([]);
      });

      it('that deletes a project leaves a tombstone, of the last deletion, as it was given', async () => {
        expect(await snapshots.tombstone(process, 'p1')).toBeUndefined();
        const deleteAt = async (version: number, more: Partial<Tombstone> = {}) => {
          await commit({ version: version - 1, snapshot: snapshot(version - 1, content({})), events: [] });
          const held = await load();
          const tombstone = { version, readAt: version - 5, ...more };
          const events = [event(version)];
          const deletion = { expected: held, snapshot: undefined, tombstone, version, events };
          expect(await commit(deletion)).toBe('committed');
          expect(await load()).toBeUndefined();
          expect(await snapshots.tombstone(process, 'p1')).toEqual(tombstone);
        };
        await deleteAt(AT + 1);
        await deleteAt(AT + 3, { untimed: true, updatedAt: AT - 0.5 });
        await deleteAt(AT + 5, { updatedAt: 0 });
        expect(await snapshots.withSnapshot(process, ['p1'])).toEqual(new Set());
        expect(await idsOf(process)).toEqual([]);
        expect(await journal()).toHaveLength(3);
        expect(await snapshots.tombstone(process, 'p2')).toBeUndefined();
        expect(await snapshots.tombstone(process, 'p'.repeat(2_000))).toBeUndefined();
      });

      it('invariant 3: that makes a project is refused when it came and went since its tombstone was read', async () => {
        const make = (version: number, after: number | undefined) => {
          const made = { version, snapshot: snapshot(version, content({})) };
          return commit({ ...made, events: [], madeAfter: { version: after } });
        };
        const drop = async (version: number) => {
          const expected = await load();
          const tombstone = { version, readAt: AT };
          expect(await commit({ expected, snapshot: undefined, tombstone, version, events: [] })).toBe(
            'committed',
          );
        };
        expect(await make(AT, AT - 1)).toBe('conflict');
        expect(await make(AT, undefined)).toBe('committed');
        await drop(AT + 10);
        expect([await make(AT + 1, undefined), await make(AT + 1, AT + 9)]).toEqual(['conflict', 'conflict']);
        expect(await load()).toBeUndefined();
        expect(await make(AT + 11, AT + 10)).toBe('committed');
      });

      it('invariant 8: that deletes a project is refused when another one was first, and then leaves neither events nor a tombstone', async () => {
        await commit();
        const held = await load();
        const version = AT + 1;
        const back = snapshot(version, content({ name: 'Back' }));
        await commit({ expected: held, version, snapshot: back, events: [] });
        const deletion = { expected: held, snapshot: undefined, version: AT + 2, events: [event(AT + 2)] };
        const tombstone = { version: AT + 2, readAt: AT };
        expect(await commit({ ...deletion, tombstone })).toBe('conflict');
        expect(await snapshots.tombstone(process, 'p1')).toBeUndefined();
        expect(await load()).toMatchObject({ version });
        expect(await journal()).toEqual([event(AT)]);
      });

      it('invariant 1: holds a snapshot above one item whole, through growing, shrinking and deletion', async () => {
        const sizes = [900_000, 2_000_000, 500_000, 10];
        let held: Snapshot | undefined;
        for (const [index, size] of sizes.entries()) {
          const version = AT + index;
          const next = snapshot(version, content({ name: 'Big', text: noise(size) }));
          expect(await commit({ expected: held, snapshot: next, version, events: [event(version)] })).toBe(
            'committed',
          );
          held = await load();
          expect(held?.content.record.text).toBe(next.content.record.text);
        }
        const ids = await idsOf(process);
        expect(ids).toEqual(['p1']);
        expect(await commit({ expected: held, snapshot: undefined, version: AT + 9, events: [] })).toBe(
          'committed',
        );
      });

      it('that no transaction can hold says so and changes nothing', async () => {
        expect(await commit({ snapshot: snapshot(AT, content({ text: noise(6_000_000) })) })).toBe(
          'too-large',
        );
        expect(await load()).toBeUndefined();
        expect(await journal()).toEqual([]);
      });

      it('takes more events than one change record holds, in order', async () => {
        const first = event(AT);
        const large = (index: number) => ({ ...first, id: `e${index}`, subject: noise(200_000, index + 1) });
        const events = Array.from({ length: 6 }, (_, index) => large(index) as ChangeEvent);
        expect(await commit({ events })).toBe('committed');
        expect((await journal()).map(({ id }) => id)).toEqual(['e0', 'e1', 'e2', 'e3', 'e4', 'e5']);
      });
    });

    it('tells which of many projects have a snapshot', async () => {
      for (const projectId of ['p1', 'p2']) await commit({ projectId, events: [] });
      const names = ['p1', 'p2', 'p2', ...Array.from({ length: 250 }, (_, index) => `no ${index}`)];
      expect(await snapshots.withSnapshot(process, names)).toEqual(new Set(['p1', 'p2']));
      expect(await snapshots.withSnapshot(process, [])).toEqual(new Set());
    });

    it('keeps processes and workspaces apart', async () => {
      await commit();
      const others = [
        { ...process, workspace: 'us' },
        { ...process, processId: `${process.processId}#` },
      ];
      for (const other of others) {
        expect(await snapshots.load(other, 'p1')).toBeUndefined();
        expect(await idsOf(other)).toEqual([]);
        await snapshots.commit(other, commitOf('p1', snapshot(AT, content({}))));
        const expected = await snapshots.load(other, 'p1');
        await snapshots.commit(other, commitOf('p1', undefined, { expected, version: AT + 1 }));
        expect(await idsOf(process)).toEqual(['p1']);
      }
    });

    describe('a lease', () => {
      it('invariant 8: is one poller’s until it ends, in each mode by itself', async () => {
        expect(await take('a')).toMatchObject({ owner: 'a', window: undefined, progress: undefined });
        expect(await take('b')).toBeUndefined();
        expect(await take('b', 'sweep')).toBeDefined();
        expect(await take('b', 'changes', AT + 60_000)).toBeUndefined();
        expect(await take('b', 'changes', AT + 60_001)).toBeDefined();
      });

      it('that was taken more than a day ahead is free: a clock that was set back since wrote it', async () => {
        await taken('a');
        expect(await take('b', 'changes', AT - 24 * 3_600_000)).toBeUndefined();
        expect(await take('b', 'changes', AT - 24 * 3_600_000 - 1)).toBeDefined();
      });

      it('is taken again by its own owner, who may have been killed and come back', async () => {
        await take('local');
        expect(await take('local')).toMatchObject({ orphaned: true });
      });

      it('tells whether the run before gave it back', async () => {
        const lease = await taken('a');
        expect(lease.orphaned).toBeUndefined();
        await snapshots.release(process, lease);
        expect((await taken('b')).orphaned).toBeUndefined();
        expect((await taken('c', 'changes', AT + 60_001)).orphaned).toBe(true);
      });

      it('of many that ask at once goes to one', async () => {
        const leases = await Promise.all(['a', 'b', 'c', 'd'].map(owner => take(owner)));
        expect(leases.filter(lease => lease !== undefined)).toHaveLength(1);
      });

      it('carries beginning and progress of an interrupted pass to the next run', async () => {
        const lease = await taken('a', 'sweep');
        const window = { ...WINDOW, audit: { order: 'unknown', seen: ['x'] } };
        const progress = 'ü/7\ud800';
        expect(await isUnfinished()).toBe(false);
        expect(await saveProgress({ ...lease, window, progress }, AT + 60_000)).toBe(true);
        expect(await isUnfinished()).toBe(true);
        // What a save does not have stays.
        expect(await saveProgress(lease, AT + 60_000)).toBe(true);
        await snapshots.release(process, lease);
        expect(await take('b', 'sweep')).toEqual({ mode: 'sweep', owner: 'b', window, progress });
      });

      it('is held on, before its pass has begun as well', async () => {
        const lease = await taken('a', 'sweep');
        expect(await saveProgress(lease, AT + 120_000)).toBe(true);
        expect(await take('b', 'sweep', AT + 120_000)).toBeUndefined();
        expect(await isUnfinished()).toBe(false);
        expect(await take('b', 'sweep', AT + 120_001)).toMatchObject(BEGUN_ANEW);
      });

      it('that is abandoned is free at once, and the next pass begins anew', async () => {
        expect(await isUnfinished()).toBe(false);
        const lease = await taken('a', 'sweep');
        await saveProgress({ ...lease, window: WINDOW, progress: 'p1' }, AT + 9);
        await snapshots.abandon(process, { ...lease, owner: 'b' });
        expect(await isUnfinished()).toBe(true);
        await snapshots.abandon(process, lease);
        expect(await isUnfinished()).toBe(false);
        expect(await take('b', 'sweep')).toMatchObject(BEGUN_ANEW);
      });

      it.each(['release', 'abandon'] as const)('keeps a failure if given back (%s), only then', async end => {
        const failure = (mode: Mode) => ({ since: AT, reason: `${mode} answered 401` });
        const [changes, sweep] = [failure('changes'), failure('sweep')];
        const first = await taken('a', 'changes');
        await snapshots[end](process, { ...first, owner: 'b' }, sweep);
        expect(await readState()).toEqual({ ...UNKNOWN_PROCESS, isChangesOpen: true });
        await snapshots[end](process, first, changes);
        await snapshots[end](process, await taken('a', 'sweep'), sweep);
        const failed = { changesFailure: changes, sweepFailure: sweep };
        expect(await readState()).toMatchObject(failed);
        const again = await taken('b', 'changes');
        expect(await finish(again, { changesFailure: undefined })).toBe(true);
        expect(await readState()).toMatchObject({ ...failed, changesFailure: undefined });
        await snapshots[end](process, await taken('b', 'sweep'));
        expect(await readState()).toMatchObject({ sweepFailure: sweep });
      });

      it('that was lost saves nothing, releases nothing and finishes nothing', async () => {
        const lost = await taken('a');
        const window = WINDOW;
        await saveProgress({ ...lost, window, progress: 'p1' }, AT + 60_000);
        const theirs = await taken('b', 'changes', AT + 100_000);
        expect(await saveProgress({ ...lost, window, progress: 'p9' }, AT)).toBe(false);
        await snapshots.release(process, lost);
        expect(await finish(lost, { watermark: 7 })).toBe(false);
        expect(await finish(lost, { watermark: 7, baselined: true, recent: [] })).toBe(false);
        expect(await readState()).toEqual({ ...UNKNOWN_PROCESS, isChangesOpen: true });
        expect(theirs).toMatchObject({ window, progress: 'p1' });
        expect(await take('c', 'changes', AT + 100_001)).toBeUndefined();
      });

      it('that ended with its pass ends again for who heard no answer, until somebody else takes it', async () => {
        const lease = await taken('a');
        for (const _ of [1, 2]) expect(await finish(lease, { watermark: AT })).toBe(true);
        const theirs = await taken('b');
        expect(await finish(lease, { watermark: 7 })).toBe(false);
        await snapshots.release(process, theirs);
        expect(await finish(lease, { watermark: 7 })).toBe(false);
        expect((await readState()).watermark).toBe(AT);
      });

      it('ends with its pass: the state is written, and the next pass begins anew', async () => {
        const lease = await taken('a');
        await saveProgress({ ...lease, window: WINDOW, progress: 'p1' }, AT + 60_000);
        expect(await finish(lease, { watermark: AT })).toBe(true);
        expect((await readState()).watermark).toBe(AT);
        expect(await take('b')).toEqual({ mode: 'changes', owner: 'b', ...BEGUN_ANEW });
      });
    });

    describe('a lease that is taken on condition that the state is as it was read', () => {
      const takeAs = (owner: string, endedBy: string | undefined, now = AT) =>
        snapshots.takeLease(process, {
          ...{ mode: 'changes', owner, now, until: now + 60_000 },
          asRead: { endedBy },
        });
      const endedBy = async () => (await readState()).changesEndedBy;
      const ended = async (owner: string) => {
        expect(await finish(await taken(owner), { watermark: AT })).toBe(true);
      };

      it('is had where no pass has begun since: before the first, and after one that ended', async () => {
        expect(await endedBy()).toBeUndefined();
        const first = await takeAs('a', undefined);
        expect(first).toEqual({ mode: 'changes', owner: 'a', ...BEGUN_ANEW });
        await finish(first as Lease, { watermark: 1 });
        expect(await takeAs('b', await endedBy())).toMatchObject({ owner: 'b' });
      });

      it('is had again where the answer was lost, and only by its owner', async () => {
        await ended('a');
        for (const _ of [1, 2]) expect(await takeAs('b', 'a')).toMatchObject({ owner: 'b' });
        expect(await takeAs('c', 'a')).toBeUndefined();
        expect(await takeAs('c', undefined)).toBeUndefined();
      });

      it('is not had where another pass ended since: with it, the watermark moved', async () => {
        await ended('a');
        await ended('b');
        expect(await takeAs('c', 'a')).toBeUndefined();
        expect(await takeAs('c', undefined)).toBeUndefined();
        expect(await takeAs('c', 'b')).toBeDefined();
      });

      it('is not had while another pass is under way, nor after it died, where it began since', async () => {
        await ended('a');
        await taken('b');
        expect(await takeAs('c', 'a')).toBeUndefined();
        expect(await takeAs('c', 'a', AT + 60_001)).toBeUndefined();
        expect(await takeAs('c', undefined, AT + 60_000)).toBeUndefined();
        expect(await takeAs('c', undefined, AT + 60_001)).toBeUndefined();
      });

      it.each(['release', 'abandon'] as const)(
        'is not had where another pass began since, and gave its lease back, also if it was given back before: %s',
        async how => {
          await ended('a');
          await snapshots[how](process, await taken('b'));
          expect(await takeAs('c', 'a')).toBeUndefined();
          const before = await endedBy();
          await ended('c');
          await snapshots[how](process, await taken('d'));
          expect(await takeAs('e', before)).toBeUndefined();
          expect(await takeAs('e', await endedBy())).toBeDefined();
        },
      );

      it('does not let a pass end that gave its lease back', async () => {
        const lease = await taken('a');
        await snapshots.release(process, lease);
        expect(await finish(lease, { watermark: AT })).toBe(false);
      });

      it('of many that ask at once goes to one', async () => {
        await ended('a');
        const leases = await Promise.all(['b', 'c', 'd', 'e'].map(owner => takeAs(owner, 'a')));
        expect(leases.filter(lease => lease !== undefined)).toHaveLength(1);
      });

      it('has nothing to do with sweeps', async () => {
        await ended('a');
        await finish(await taken('s', 'sweep'), {});
        await taken('t', 'sweep');
        expect(await takeAs('b', 'a')).toBeDefined();
      });
    });

    const announce = (
      announced: number,
      version: number,
      state: Partial<SavedState> = {},
      isSilent = false,
    ) => {
      const request = { events: [event(version)], version, at: version };
      return snapshots.announce(process, { announced, isSilent, state, request });
    };

    describe('an announcement', () => {
      it('writes its part of the state and its events, and counts', async () => {
        const hold = { since: AT, missing: 1 };
        expect(await announce(0, AT, { hold })).toBe('committed');
        expect(await readState()).toEqual({ ...UNKNOWN_PROCESS, hold, announced: AT });
        expect(await announce(AT, AT + 1, { hold: undefined })).toBe('committed');
        expect(await readState()).toEqual({ ...UNKNOWN_PROCESS, announced: AT + 1 });
        expect(await journal()).toEqual([event(AT), event(AT + 1)]);
      });

      it('invariant 3: is refused when another one was first, and then leaves neither state nor events', async () => {
        const first = await Promise.all([1, 2, 3].map(n => announce(0, AT + n, { watermark: n })));
        expect(first.filter(done => done === 'committed')).toHaveLength(1);
        const { announced, watermark } = await readState();
        expect(announced).toBe(AT + watermark);
        expect(await announce(0, AT + 8, { watermark: 8 })).toBe('conflict');
        expect(await announce(announced - 1, AT + 9, { watermark: 9 })).toBe('conflict');
        expect(await readState()).toMatchObject({ announced, watermark });
        expect(await journal()).toEqual([event(announced)]);
      });

      it('invariant 3: is refused when its change record is there already, and then leaves nothing', async () => {
        await announce(0, AT, { watermark: 1 });
        expect(await announce(AT, AT, { watermark: 2 })).toBe('conflict');
        expect(await readState()).toMatchObject({ announced: AT, watermark: 1 });
        expect(await journal()).toEqual([event(AT)]);
      });

      it('invariant 1: is refused to a baseline once that has ended, the first as well as a later one', async () => {
        const lease = await taken('a');
        expect(await announce(0, AT, {}, true)).toBe('committed');
        expect(await finish(lease, { baselined: true })).toBe(true);
        expect(await announce(AT, AT + 1, { watermark: 1 }, true)).toBe('conflict');
        const other = { ...process, processId: 'other' };
        const theirs = { mode: 'sweep', owner: 'a', now: AT, until: AT + 1 } as const;
        const ended = await snapshots.takeLease(other, theirs);
        expect(await snapshots.finish(other, ended as Lease, { baselined: true })).toBe(true);
        const request = { events: [], version: AT, at: AT };
        const silent = { announced: 0, isSilent: true, state: {}, request };
        expect(await snapshots.announce(other, silent)).toBe('conflict');
        expect(await readState()).toMatchObject({ announced: AT, watermark: 0 });
        expect(await announce(AT, AT + 1, { watermark: 1 })).toBe('committed');
      });

      it('of more events than one transaction takes is too large, by their number or size', async () => {
        const all = (count: number, subject: (index: number) => string) => {
          const made = (_: unknown, index: number) => ({ ...event(AT), subject: subject(index) });
          const events = Array.from({ length: count }, made) as ChangeEvent[];
          const request = { events, version: AT, at: AT };
          return snapshots.announce(process, { announced: 0, state: {}, request });
        };
        const flat = () => 'x'.repeat(200_000);
        expect(await all(100, flat)).toBe('too-large');
        expect(await all(25, index => noise(230_000, index + 1))).toBe('too-large');
        expect(await readState()).toEqual(UNKNOWN_PROCESS);
        expect(await all(99, flat)).toBe('committed');
      });

      it('needs no lease, and takes none away', async () => {
        const lease = await taken('a');
        expect(await announce(0, AT)).toBe('committed');
        expect(await take('b')).toBeUndefined();
        expect(await finish(lease, { watermark: AT })).toBe(true);
        expect(await readState()).toMatchObject({ announced: AT, watermark: AT });
      });
    });

    rechecksContract(subject);
    entriesContract(subject);
    headsContract(subject);
    timersContract(subject);
    usersContract(subject);

    describe('the state', () => {
      it('is read back as written; each mode changes only its own parts, and undefined takes a part away', async () => {
        const state = {
          baselined: true,
          watermark: AT,
          sweptAt: AT - 5,
          audit: { order: 'oldest-first' as const, tail: 'cursor', seen: ['d1', 'd2'] },
          definitions: { project: [{ externalId: 'a', name: 'A', type: 'text' }], task: [] },
          recent: [['__proto__', 'digest', AT] as const],
          hold: { since: AT, missing: 12 },
          released: true,
          completedAt: AT + 3,
          sweepCompletedAt: AT + 2,
          stalled: { since: AT },
          skipped: 3,
          reported: ['audit-denied'],
          announced: AT,
          pace: { wait: 10_000, dueAt: AT + 10_003 },
        };
        await finish(await taken('a'), state);
        const ended = { changesEndedBy: 'a' };
        expect(await readState()).toEqual({ ...UNKNOWN_PROCESS, ...state, ...ended });
        await finish(await taken('a', 'sweep'), { sweptAt: AT, hold: undefined });
        const after = { ...UNKNOWN_PROCESS, ...state, ...ended, sweptAt: AT, hold: undefined };
        expect(await readState()).toEqual(after);
        await finish(await taken('a'), { audit: undefined });
        expect((await readState()).audit).toBeUndefined();
      });

      it('is read back whole, however large its parts are, and each time that they change', async () => {
        const ids = (count: number, seed: number, length = 900) =>
          Array.from({ length: count }, (_, index) => `${index}${noise(length, seed + index)}`);
        const large = (seed: number) => ({
          audit: { order: 'unknown' as const, tail: noise(4_096, seed), seen: ids(5_000, seed, 12) },
          definitions: {
            project: ids(700, seed).map(id => ({ externalId: id, name: noise(900), type: 'text' })),
            task: [],
          },
          recent: ids(260, seed).map(id => [id, 'digest', AT] as const),
          reported: ids(70, seed),
        });
        let announced = 0;
        for (const seed of [1, 2]) {
          const { reported, ...finished } = large(seed);
          expect(await finish(await taken('a'), finished)).toBe(true);
          expect(await announce(announced, seed, { reported })).toBe('committed');
          announced = seed;
          const state = { ...UNKNOWN_PROCESS, ...large(seed), announced, changesEndedBy: 'a' };
          expect(await readState()).toEqual(state);
        }
        await finish(await taken('a'), { ...FIRST, announced });
        expect(await readState()).toEqual({ ...UNKNOWN_PROCESS, announced, changesEndedBy: 'a' });
      });

      it('tells whether a `changes` pass is under way or unfinished, and who ended the last one', async () => {
        const facts = async () => {
          const { isChangesOpen, changesEndedBy } = await readState();
          return [isChangesOpen, changesEndedBy];
        };
        expect(await facts()).toEqual([false, undefined]);
        const first = await taken('a');
        expect(await facts()).toEqual([true, undefined]);
        await finish(first, { watermark: 1 });
        expect(await facts()).toEqual([false, 'a']);
        await snapshots.abandon(process, await taken('b'));
        expect(await facts()).toEqual([false, 'b gave back']);
        const unfinished = await taken('c');
        await saveProgress({ ...unfinished, window: WINDOW }, AT + 60_000);
        await snapshots.release(process, unfinished);
        expect(await facts()).toEqual([true, 'c gave back']);
        await finish(await taken('d'), {});
        await finish(await taken('e', 'sweep'), {});
        expect(await facts()).toEqual([false, 'd']);
      });

      it('tells until when the lease of a run that sweeps lasts', async () => {
        const until = async () => (await readState()).sweepLeasedUntil;
        await taken('a', 'changes');
        expect(await until()).toBeUndefined();
        const lease = await taken('a', 'sweep');
        expect(await until()).toBe(AT + 60_000);
        await saveProgress(lease, AT + 70_000);
        expect(await until()).toBe(AT + 70_000);
        await snapshots.release(process, lease);
        expect(await until()).toBeUndefined();
      });
    });
  });
}
