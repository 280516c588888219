import { expect, it } from 'vitest';
import { UNKNOWN_PROCESS } from '../../functions/model/process-state.ts';
import { commit } from '../kit/operations/context.ts';
import { eventsOf } from '../kit/operations/events.ts';
import { pagesOf } from '../kit/operations/setting.ts';
import { leaseOf, recheckOf } from '../kit/store/subject.ts';
import type { Bench } from './contract.ts';

const UNKNOWN = 'There is no process with this id.';

/** Of processes: how they do, passes, and holds. */
export function processesContract({ setting, ask, name }: Bench): void {
  const keyOf = (index: 0 | 1) => {
    const { workspace, processId } = setting().processes[index];
    return { workspace, process: processId };
  };
  const statusOf = (index: 0 | 1) => statusBy(keyOf(index));
  const statusBy = async (key: { workspace: string; process: string }) => {
    const isIt = (each: typeof key) => each.workspace === key.workspace && each.process === key.process;
    const pages = await pagesOf(ask, 'status', { limit: 1 }, ({ processes }) => processes.some(isIt));
    for (const { processes, endpoints } of pages)
      expect(processes.length + endpoints.length).toBeLessThanOrEqual(1);
    return pages.flatMap(({ processes }) => processes).find(isIt);
  };
  const hold = async (index: 0 | 1, projects: number) => {
    const process = setting().processes[index];
    const { snapshots } = setting().stores;
    const { announced } = await snapshots.readState(process);
    const since = setting().now() - 5_000;
    const state = { hold: { since, missing: projects }, baselined: true };
    const request = { events: [], version: Math.max(announced + 1, since), at: since };
    expect(await snapshots.announce(process, { announced, state, request })).toBe('committed');
    return since;
  };

  it('show the field definitions of a process once they were read, without deleted ones', async () => {
    const early = ask('definitions', keyOf(0));
    await expect(early).rejects.toThrow('The fields of this process are not known yet.');
    const process = setting().processes[0];
    const { announced } = await setting().stores.snapshots.readState(process);
    const phase = { externalId: 'phase', name: 'Phase', type: 'single-choice', options: ['Plan', 'Build'] };
    const gone = { externalId: 'gone', name: 'Gone', type: 'text', deleted: true };
    const state = { definitions: { project: [phase, gone], task: [], read: ['project' as const] } };
    const version = Math.max(announced + 1, setting().now());
    const request = { events: [], version, at: version };
    const announcement = { announced, state, request };
    expect(await setting().stores.snapshots.announce(process, announcement)).toBe('committed');
    const project = [{ ...phase, archived: false }];
    expect(await ask('definitions', keyOf(0))).toEqual({ ...keyOf(0), task: [], project });
  });

  it('have a pass of a process begin, and say so in its journal of actions', async () => {
    const answer = await ask('pass', { ...keyOf(0), mode: 'sweep' });
    expect(answer).toMatchObject({ ...keyOf(0), mode: 'sweep' });
    expect(setting().started()).toContainEqual([keyOf(0).process, 'sweep']);
    const { actions } = await ask('actions', { ...keyOf(0), limit: 1 });
    const action = { ...setting().caller, ...keyOf(0), operation: 'pass', details: 'sweep' };
    expect(actions).toMatchObject([action]);
  });

  it('release a process that is on hold, and only such a one; a dry run shows which, how many and since when', async () => {
    await expect(ask('release', keyOf(1))).rejects.toThrow('This process is not on hold');
    const since = new Date(await hold(1, 12)).toISOString();
    const gone = recheckOf({ cause: 'not-listed', foundAt: setting().now() });
    const found = ['one', 'two'].map(projectId => ({ projectId, before: undefined, after: gone }));
    await setting().stores.snapshots.writeRechecks(setting().processes[1], found);
    const expectReleased = async (isReleased: boolean) => {
      const { released } = await setting().stores.snapshots.readState(setting().processes[1]);
      expect([released, (await statusOf(1))?.hold]).toEqual([
        isReleased,
        { since, projects: 12, isReleased },
      ]);
    };
    expect(await ask('release', { ...keyOf(1), dryRun: true })).toEqual({
      ...{ ...keyOf(1), projects: 12, first: ['one', 'two'], since, dryRun: true },
    });
    await expectReleased(false);
    expect(await ask('release', keyOf(1))).toMatchObject({ projects: 12, since, dryRun: false });
    await expectReleased(true);
    const { actions } = await ask('actions', { ...keyOf(1), limit: 1 });
    expect(actions).toMatchObject([{ operation: 'release', details: '12 projects' }]);
  });

  /** One that the configuration has no more: it was read, and changed, once. */
  const removed = async () => {
    const { snapshots, roster } = setting().stores;
    const process = { workspace: setting().processes[0].workspace, processId: name('removed') };
    await roster.remember([process]);
    const at = setting().now() - 60_000;
    const lease = await leaseOf(snapshots, process, { now: at, until: at });
    await snapshots.finish(process, lease, { baselined: true, completedAt: at });
    const projectId = name('project');
    const owed = recheckOf({ foundAt: at, isReported: true });
    await snapshots.writeRechecks(process, [{ projectId: name('owed'), before: undefined, after: owed }]);
    const events = eventsOf(at, 1, { process, projectId });
    await commit(setting().stores, events, { process, at, projectId });
    return { process, at, events, asked: { workspace: process.workspace, process: process.processId } };
  };

  it('tell of a process that the configuration has no more, and do nothing with it but forget it', async () => {
    const { asked, at, events } = await removed();
    const completedAt = new Date(at).toISOString();
    expect(await statusBy(asked)).toMatchObject({ state: 'removed', completedAt });
    const acts = [
      () => ask('pass', { ...asked, mode: 'changes' }),
      () => ask('release', asked),
      () => ask('doctor', asked),
    ];
    for (const act of acts) await expect(act()).rejects.toThrow('This process is no longer configured.');
    const told = await ask('events', { process: asked.process });
    expect(told.events.map(({ event }) => event.id)).toEqual(events.map(({ id }) => id));
    expect(await ask('trace', { eventId: events[0]?.id ?? '' })).toMatchObject({ event: events[0] });
  });

  it('forget a process that the configuration has no more, and no other; its journal stays', async () => {
    const { process, asked, events } = await removed();
    const { snapshots } = setting().stores;
    await expect(ask('forget', keyOf(0))).rejects.toThrow('This process is still configured.');
    const projects = { atLeast: 1, isExact: true };
    expect(await ask('forget', { ...asked, dryRun: true })).toEqual({ ...asked, projects, dryRun: true });
    expect((await statusBy(asked))?.state).toBe('removed');
    expect(await ask('forget', asked)).toEqual({ ...asked, projects, dryRun: false });
    expect(await statusBy(asked)).toBeUndefined();
    expect(await Array.fromAsync(snapshots.heads(process))).toEqual([]);
    expect(await snapshots.readState(process)).toEqual(UNKNOWN_PROCESS);
    await expect(ask('forget', asked)).rejects.toThrow(UNKNOWN);
    const { actions } = await ask('actions', asked);
    expect(actions).toMatchObject([{ ...setting().caller, operation: 'forget', details: '1 projects' }]);
    // What it emitted before, and what was done to it, is found by its identifier as long as it is kept.
    const { process: id } = asked;
    const found = await ask('events', { process: id });
    expect(found.events.map(({ event }) => event.id)).toEqual(events.map(each => each.id));
    expect((await ask('events', asked)).events).toHaveLength(1);
    expect((await ask('actions', { process: id })).actions).toMatchObject([{ operation: 'forget' }]);
    for (const operation of ['events', 'actions'] as const)
      await expect(ask(operation, { process: `${id}x` })).rejects.toThrow(UNKNOWN);
    // Taken in again, it is found as before.
    await setting().stores.roster.remember([process]);
    expect(await ask('trace', { eventId: events[0]?.id ?? '' })).toMatchObject({ event: events[0] });
    await ask('forget', asked);
  });

  it('list all actions, whatever they were on, the newest first, each once, however they are paged', async () => {
    const endpoint = name('crm');
    await ask('add-endpoint', { endpoint, kind: 'webhook', url: setting().receiver.url });
    await ask('pass', { ...keyOf(0), mode: 'changes' });
    await ask('pause-endpoint', { endpoint });
    const found = (await pagesOf(ask, 'actions', { limit: 7 })).flatMap(({ actions }) => actions);
    const times = found.map(({ at }) => at);
    expect(times).toEqual(times.toSorted().toReversed());
    const ours = found.filter(action => action.endpoint === endpoint).map(({ operation }) => operation);
    expect(ours.toSorted()).toEqual(['add-endpoint', 'pause-endpoint']);
    expect(found).toContainEqual(expect.objectContaining({ ...keyOf(0), operation: 'pass' }));
  });

  it('leave a process as it is while a pass walks it', async () => {
    const { process, asked } = await removed();
    const now = setting().now();
    const walk = { mode: 'sweep' as const, owner: 'run', now, until: now + 600_000 };
    const lease = await setting().stores.snapshots.takeLease(process, walk);
    await expect(ask('forget', asked)).rejects.toThrow('A pass of this process is still running.');
    expect((await setting().stores.snapshots.readState(process)).baselined).toBe(true);
    if (lease) await setting().stores.snapshots.abandon(process, lease);
    expect(await ask('forget', asked)).toMatchObject({ projects: { atLeast: 1 } });
  });

  it('suggest the process, or the workspace, that a typo meant, and repeat nothing that was typed', async () => {
    const { process, workspace } = keyOf(0);
    const typed = `${process.slice(0, -1)}~`;
    const refused = await ask('pass', { process: typed, mode: 'changes' }).then(() => '', String);
    expect(refused).toContain(`Did you mean ${process}?`);
    expect(refused).not.toContain(typed);
    const elsewhere = ask('pass', { process, workspace: `${workspace}x`, mode: 'changes' });
    const hint = `There is no workspace with this name. Did you mean ${workspace}?`;
    await expect(elsewhere).rejects.toThrow(hint);
  });
}
