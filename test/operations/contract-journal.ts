import { expect, it } from 'vitest';
import { auditEvents } from '../../functions/changes/process-events.ts';
import type { Actor, ChangeEvent } from '../../functions/model/event.ts';
import { eraseAll } from '../../functions/operations/walk-erase.ts';
import { commit } from '../kit/operations/context.ts';
import { eventsOf } from '../kit/operations/events.ts';
import { pagesOf } from '../kit/operations/setting.ts';
import type { Bench } from './contract.ts';

/** Of the journal: events, what became of one, and sending them once more. */
export function journalContract({ setting, ask, name }: Bench): void {
  /** Commits of a project of its own, a second apart, `counts` events each. */
  const committed = async (
    counts: readonly number[],
    { index = 0 as 0 | 1, ago = 60_000, actors = {} as Record<string, Actor[]> } = {},
  ) => {
    const projectId = name('project');
    const process = setting().processes[index];
    const began = setting().now() - ago;
    const all = [];
    for (const [number, count] of counts.entries()) {
      const at = began + 1_000 * number;
      const events = eventsOf(at, count, { process, projectId, actors });
      await commit(setting().stores, events, { process, at, projectId });
      all.push(...events.map(event => ({ committedAt: new Date(at).toISOString(), event })));
    }
    return { projectId, process, all, began, ids: all.map(({ event }) => event.id) };
  };
  const read = async (asked: object, limit = 3) => {
    const pages = await pagesOf(ask, 'events', { limit, ...asked });
    for (const { events } of pages) expect(events.length).toBeLessThanOrEqual(limit);
    return pages.flatMap(({ events }) => events);
  };
  const idsOf = async (asked: object) => (await read(asked)).map(({ event }) => event.id);
  const endpointOf = async (more: object = {}) => {
    const endpoint = name('crm');
    await ask('add-endpoint', { endpoint, kind: 'webhook', url: setting().receiver.url, ...more });
    // So that nothing is sent, wherever this is.
    await ask('pause-endpoint', { endpoint });
    return endpoint;
  };

  it('tell the events of a project in order, from either end, each once, however they are paged', async () => {
    const { projectId, all } = await committed([1, 7, 2, 3]);
    for (const limit of [1, 2, 4, 100]) {
      expect(await read({ project: projectId, order: 'oldest-first' }, limit)).toEqual(all);
      expect(await read({ project: projectId }, limit)).toEqual(all.toReversed());
    }
  });

  it('tell those that match all that is asked for', async () => {
    const { projectId, process, ids, began } = await committed([2, 2, 2]);
    const asked = { project: projectId, order: 'oldest-first' };
    const time = (after: number) => new Date(began + after).toISOString();
    expect(await idsOf({ ...asked, since: time(1_000) })).toEqual(ids.slice(2));
    expect(await idsOf({ ...asked, until: time(1_000) })).toEqual(ids.slice(0, 2));
    expect(await idsOf({ ...asked, since: time(1), until: time(1_001) })).toEqual(ids.slice(2, 4));
    expect(await idsOf({ ...asked, since: time(5), until: time(1) })).toEqual([]);
    expect(await idsOf({ ...asked, task: 't1' })).toEqual([ids[1], ids[3], ids[5]]);
    for (const field of ['note', 'Note']) expect(await idsOf({ ...asked, field })).toEqual(ids);
    expect(await idsOf({ ...asked, field: 'status' })).toEqual([]);
    expect(await idsOf({ ...asked, types: ['task.updated', 'project.updated'] })).toEqual(ids);
    expect(await idsOf({ ...asked, types: ['task.created'] })).toEqual([]);
    const [, other] = setting().processes;
    const { workspace, processId } = process;
    expect(await idsOf({ ...asked, process: processId, workspace })).toEqual(ids);
    expect(await idsOf({ ...asked, workspace })).toEqual(ids);
    expect(await idsOf({ ...asked, process: other.processId })).toEqual([]);
    expect(await idsOf({ ...asked, workspace: other.workspace })).toEqual([]);
  });

  it('find those that have each word of a text, wherever in what they tell, however far back', async () => {
    const actors = { t1: [{ id: 'u-77', name: 'Ann Lee' }] };
    const { projectId, all, ids } = await committed([3, 3, 3], { actors });
    const [first] = all as unknown as [{ event: ChangeEvent }];
    const asked = { project: projectId, order: 'oldest-first' };
    const every = (at: number) => [ids[at], ids[at + 3], ids[at + 6]];
    expect(await idsOf({ ...asked, search: 'ANN  lee' })).toEqual(every(1));
    expect(await idsOf({ ...asked, search: 'u-77 note' })).toEqual(every(1));
    expect(await idsOf({ ...asked, search: `${projectId} NOTE` })).toEqual(ids);
    expect(await idsOf({ ...asked, search: 'note lacking' })).toEqual([]);
    expect(await idsOf({ ...asked, search: first.event.type, task: 't1' })).toEqual(every(1));
    // One event at a time, and no more work than a page may do.
    expect(await read({ ...asked, search: 'ann' }, 1)).toHaveLength(3);
    const { searched } = await ask('events', { project: projectId, search: 'lacking' });
    expect(searched).toBe(9);
    // However it is paged, each is counted once.
    const pages = await pagesOf(ask, 'events', { project: projectId, search: 'note', limit: 2 });
    expect(pages.reduce((sum, page) => sum + page.searched, 0)).toBe(9);
    // The whole record is no part of what changed, and the names of properties are no words.
    expect(await idsOf({ ...asked, search: 'observed' })).toEqual([]);
    await expect(ask('events', { search: '  ' })).rejects.toThrow(/search/);
  });

  it('tell those that somebody made, by id or by name', async () => {
    const ann = { id: 'u-1', name: 'Ann Lee' };
    const actors = { t1: [ann], t2: [{ id: 'u-2' }, ann] };
    const { projectId, ids } = await committed([3], { actors });
    const asked = { project: projectId, order: 'oldest-first' };
    for (const actor of ['u-1', 'Ann Lee'])
      expect(await idsOf({ ...asked, actor })).toEqual([ids[1], ids[2]]);
    expect(await idsOf({ ...asked, actor: 'u-2' })).toEqual([ids[2]]);
    expect(await idsOf({ ...asked, actor: 'Ann' })).toEqual([]);
  });

  it('tell the audit entries by which somebody acted, by id or by name', async () => {
    const projectId = name('project');
    const process = setting().processes[0];
    const at = setting().now() - 60_000;
    const ann = { id: 'u-1', name: 'Ann Lee' };
    const entry = (users: Actor[]) => ({
      ...{ id: name('entry'), entry: {}, projects: [projectId], tasks: [], users },
    });
    const read = [entry([ann]), entry([]), entry([{ id: 'u-2' }])];
    const events = auditEvents(process, read, { version: at, at });
    await commit(setting().stores, events, { process, at, projectId });
    const asked = { project: projectId, types: ['audit.recorded'] };
    for (const actor of ['u-1', 'Ann Lee']) expect(await idsOf({ ...asked, actor })).toEqual([events[0]?.id]);
    expect(await idsOf({ ...asked, actor: 'Ann' })).toEqual([]);
  });

  it('tell the events of several processes by the time of their commits', async () => {
    const [one, other] = [await committed([1, 1, 1]), await committed([1, 1], { index: 1, ago: 59_500 })];
    const since = new Date(one.began).toISOString();
    const ours = new Set([...one.ids, ...other.ids]);
    const found = await read({ since, order: 'oldest-first' }, 2);
    const times = found.map(({ committedAt }) => committedAt);
    expect(times).toEqual(times.toSorted());
    expect(found.filter(({ event }) => ours.has(event.id))).toHaveLength(5);
  });

  it('refuse a type that no event has, and a cursor that is none', async () => {
    await expect(ask('events', { types: ['task.update'] })).rejects.toThrow('Did you mean task.updated?');
    await expect(ask('events', { cursor: 'x' })).rejects.toThrow('Omit it to get the first page');
    const { projectId } = await committed([2]);
    const { cursor = '' } = await ask('events', { project: projectId, limit: 1 });
    await expect(ask('endpoints', { cursor })).rejects.toThrow('Omit it to get the first page');
  });

  it('trace an event to each endpoint that wants it', async () => {
    const { ids, all, projectId } = await committed([1]);
    const [id = ''] = ids;
    const filter = { projects: [projectId] };
    const [delivered, waiting, dead, none, unwanting] = [
      await endpointOf({ filter }),
      await endpointOf({ filter }),
      await endpointOf({ filter }),
      await endpointOf({ filter }),
      await endpointOf({ filter: { projects: ['another'] } }),
    ];
    const [{ committedAt = '' } = {}] = all;
    const at = Date.parse(committedAt);
    const attempt = { endpoint: delivered, at: at + 50, took: 9, events: [{ id, type: 'task.updated' }] };
    const { deliveries } = setting().stores;
    await deliveries.note([
      { ...attempt, status: 500, failure: 'answered 500' },
      { ...attempt, at: at + 9_000, status: 200 },
    ]);
    const delivery = { eventId: id, at, body: '{}', attributes: {}, due: at + 9_000_000 };
    await deliveries.add([{ ...delivery, endpoint: waiting }]);
    await deliveries.addDead({ ...delivery, endpoint: dead }, { at, reason: 'answered 400' });
    const trace = await ask('trace', { eventId: id });
    expect(trace).toMatchObject({ committedAt, event: { id } });
    const fates = new Map(trace.endpoints.map(result => [result.endpoint, result]));
    expect(fates.get(delivered)).toMatchObject({
      ...{ isWanted: true, state: 'delivered' },
      attempts: [{ failure: 'answered 500' }, { status: 200 }],
    });
    const paused = { state: 'waiting', reason: 'the endpoint is paused', attempts: [] };
    expect(fates.get(waiting)).toMatchObject(paused);
    expect(fates.get(dead)).toMatchObject({ state: 'dead', reason: 'answered 400' });
    expect(fates.get(none)).toMatchObject({ isWanted: true, state: 'unknown', attempts: [] });
    expect(fates.has(unwanting)).toBe(false);
    expect(trace.leftOut).toContainEqual({ endpoint: unwanting, by: 'projects' });
    expect(trace.notWanted).toBe(trace.leftOut.length);
  });

  it('send one event to one endpoint once more, and say when it waits already', async () => {
    const { ids } = await committed([1]);
    const [eventId = ''] = ids;
    const to = await endpointOf({ filter: { projects: ['another'] } });
    const sent = { eventId, endpoint: to, result: 'sent', closed: 'paused' };
    expect(await ask('resend', { eventId, to })).toEqual(sent);
    expect(await ask('resend', { eventId, to })).toMatchObject({ result: 'already waiting' });
    const result = (await ask('trace', { eventId })).endpoints.find(({ endpoint }) => endpoint === to);
    expect(result).toMatchObject({ isWanted: false, state: 'waiting' });
    const { actions } = await ask('actions', { endpoint: to });
    expect(actions.map(({ operation, details }) => [operation, details]).slice(0, 2)).toEqual([
      ['resend', `event ${eventId}`],
      ['pause-endpoint', undefined],
    ]);
    await expect(ask('resend', { eventId: 'a.b.1.0', to })).rejects.toThrow('There is no event with this id');
    const unknown = ask('resend', { eventId, to: 'nobody' });
    await expect(unknown).rejects.toThrow('There is no endpoint with this name.');
  });

  it('erase the contents of a project’s events, which stay and are sent no more', async () => {
    const { projectId, process, ids } = await committed([2, 1]);
    const [eventId = ''] = ids;
    const to = await endpointOf();
    await ask('resend', { eventId, to });
    const asked = { operation: 'erase', project: projectId, process: process.processId } as const;
    const { operations, caller } = setting();
    const erase = (more: object = {}) =>
      eraseAll(request => operations(request, caller), { ...asked, ...more });
    // A stack delivers the events to its other endpoints, too.
    const erased = { events: 3, deliveries: expect.toSatisfy((count: number) => count >= 1) };
    const head = { ...{ workspace: process.workspace, process: process.processId }, project: projectId };
    expect(await erase({ dryRun: true })).toMatchObject({ ...head, erased, isInService: true, dryRun: true });
    expect(await erase()).toMatchObject({ ...head, erased, dryRun: false });
    expect((await ask('endpoint', { endpoint: to })).waiting.atLeast).toBe(0);
    const left = await read({ project: projectId, order: 'oldest-first' });
    expect(left.map(({ event }) => [event.id, event.erased])).toEqual(ids.map(id => [id, true]));
    expect(JSON.stringify(left)).not.toContain('Note');
    await expect(ask('resend', { eventId, to })).rejects.toThrow('The contents of this event were erased.');
    const { actions } = await ask('actions', { process: process.processId });
    const details = expect.stringMatching(`^project ${projectId}, 3 events, `);
    expect(actions).toContainEqual(expect.objectContaining({ operation: 'erase', details }));
    const unknown = ask('erase', { project: name('none') });
    await expect(unknown).rejects.toThrow('No process has a project with this id');
  });

  it('replay to one endpoint what it wants, after a dry run that counts it', async () => {
    const { projectId, process, began } = await committed([2, 3]);
    const to = await endpointOf({ filter: { projects: [projectId] } });
    const asked = { to, since: new Date(began).toISOString(), processes: [process.processId] };
    expect(await ask('replay', { ...asked, dryRun: true })).toMatchObject({
      ...{ endpoint: to, since: asked.since, dryRun: true, events: { atLeast: 5, isExact: true } },
    });
    const typed = { ...asked, types: ['task.created'], dryRun: true };
    expect((await ask('replay', typed)).events?.atLeast).toBe(0);
    const until = new Date(began + 1_000).toISOString();
    expect((await ask('replay', { ...asked, until, dryRun: true })).events?.atLeast).toBe(2);
    expect((await ask('endpoint', { endpoint: to })).replay).toBeUndefined();
    const answer = await ask('replay', asked);
    expect(answer).toMatchObject({ endpoint: to, dryRun: false });
    // Where somebody works it off meanwhile it may be done already.
    const { wasUnderWay } = await ask('cancel-replay', { to });
    if (wasUnderWay) expect(await ask('cancel-replay', { to })).toMatchObject({ wasUnderWay: false });
    const { actions } = await ask('actions', { endpoint: to });
    expect(actions.find(({ operation }) => operation === 'replay')?.details).toBe(
      `since ${answer.since}, until ${answer.until}, processes ${process.processId}`,
    );
    const later = { since: new Date(setting().now() + 60_000).toISOString(), dryRun: true };
    const refused: [asked: object, why: string][] = [
      [{ processes: ['nobody'] }, 'There is no process with this id.'],
      [{ types: ['nothing'] }, 'types:'],
      [later, 'since must be before until, and in the past'],
    ];
    for (const [more, why] of refused)
      await expect(ask('replay', { ...asked, ...more })).rejects.toThrow(why);
  });
}
