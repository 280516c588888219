import { expect, it } from 'vitest';
import type { TaskEvent } from '../../functions/model/event.ts';
import { isSigningSecret } from '../../functions/model/secret.ts';
import { commit } from '../kit/operations/context.ts';
import { eventsOf } from '../kit/operations/events.ts';
import { pagesOf } from '../kit/operations/setting.ts';
import type { Bench } from './contract.ts';

const UNKNOWN = 'There is no endpoint with this name.';

/** Of endpoints: what they are, what is done to them, and who did it. */
export function endpointsContract({ setting, ask, name }: Bench): void {
  const add = async (more: object = {}) => {
    const endpoint = name('crm');
    const { secret } = await ask('add-endpoint', {
      ...{ endpoint, kind: 'webhook', url: setting().receiver.url },
      ...more,
    });
    return { endpoint, secret };
  };
  const waits = (endpoint: string, eventId: string, at = setting().now()) => ({
    ...{ endpoint, eventId, at, body: '{}', attributes: {} },
    due: at + 3_600_000,
  });
  const did = async (endpoint: string) =>
    (await ask('actions', { endpoint })).actions.map(({ operation }) => operation);

  it('add an endpoint, whose made secret is shown only then', async () => {
    const { endpoint, secret = '' } = await add({ perSecond: 3 });
    expect(isSigningSecret(secret)).toBe(true);
    const status = await ask('endpoint', { endpoint });
    expect(status).toMatchObject({
      ...{ name: endpoint, kind: 'webhook', isConfigured: false, perSecond: 3, keepSuccesses: true },
      ...{ state: 'healthy', waiting: { atLeast: 0, isExact: true }, dead: { atLeast: 0, isExact: true } },
    });
    expect(JSON.stringify([status, await ask('actions', { endpoint })])).not.toContain(secret.slice(6, 20));
    const again = ask('add-endpoint', { endpoint, kind: 'slack', url: setting().receiver.url });
    await expect(again).rejects.toThrow('There is an endpoint of this name already.');
  });

  it('show the origin of an endpoint’s address, and never its path or query', async () => {
    const { endpoint } = await add();
    const { url } = setting().receiver;
    const { origin } = new URL(url);
    expect(await ask('update-endpoint', { endpoint, url: `${url}?key=hush` })).toMatchObject({ origin });
    expect(await ask('test-endpoint', { endpoint })).toMatchObject({ origin });
    const shown = [
      await ask('endpoint', { endpoint }),
      (await ask('endpoints', { limit: 100 })).endpoints.find(({ name }) => name === endpoint),
      (await ask('attempts', { endpoint })).attempts[0],
    ];
    expect(shown.map(one => one?.origin)).toEqual([origin, origin, origin]);
    expect(JSON.stringify(shown)).not.toContain('hush');
  });

  it('change, pause and resume an endpoint, and answer how it then is', async () => {
    const { endpoint } = await add();
    const filter = { events: ['task.updated'] };
    const update = { filter, perSecond: 7 };
    expect(await ask('update-endpoint', { endpoint, ...update })).toMatchObject(update);
    expect(await ask('update-endpoint', { endpoint, filter: null })).not.toHaveProperty('filter');
    const paused = await ask('pause-endpoint', { endpoint });
    expect(paused.state).toBe('paused');
    expect(Math.abs(Date.parse(paused.since ?? '') - setting().now())).toBeLessThan(60_000);
    expect((await ask('resume-endpoint', { endpoint })).state).toBe('healthy');
    expect(await did(endpoint)).toEqual([
      ...['resume-endpoint', 'pause-endpoint', 'update-endpoint', 'update-endpoint', 'add-endpoint'],
    ]);
  });

  it('write down who did what, in words, the newest first, page by page', async () => {
    const { endpoint } = await add({ perSecond: 2, filter: { projects: ['p1'] } });
    await ask('update-endpoint', { endpoint, url: `${setting().receiver.url}?b`, keepSuccesses: false });
    await ask('rotate-secret', { endpoint });
    await ask('finish-rotation', { endpoint });
    const { receiver, caller } = setting();
    const all = [
      ['finish-rotation', undefined],
      ['rotate-secret', 'generated'],
      ['update-endpoint', 'a new address, keepSuccesses false'],
      ['add-endpoint', 'webhook, a filter, perSecond 2'],
    ];
    const pages = await pagesOf(ask, 'actions', { endpoint, limit: 2 });
    const found = pages.flatMap(({ actions }) => actions);
    for (const { at, ...action } of found) {
      expect(Math.abs(Date.parse(at) - setting().now())).toBeLessThan(60_000);
      expect(action).toMatchObject({ ...caller, endpoint });
    }
    expect(found.map(({ operation, details }) => [operation, details])).toEqual(all);
    expect(JSON.stringify(found)).not.toContain(receiver.url);
  });

  it('refuse a filter by a process or workspace that is not watched, and keep nothing of it', async () => {
    const [{ processId, workspace }, other] = setting().processes;
    const endpoint = name('crm');
    const url = setting().receiver.url;
    for (const [filter, why] of [
      [
        { processes: [processId, `${processId}x`] },
        `processes[1]: unknown process. Did you mean ${processId}?`,
      ],
      [{ workspaces: ['nobody'] }, 'workspaces[0]: unknown workspace; allowed: '],
      [
        { workspaces: [other.workspace], processes: [processId] },
        'processes[0]: no workspace of this filter has this process.',
      ],
    ] as const) {
      const adding = ask('add-endpoint', { endpoint, kind: 'webhook', url, filter });
      await expect(adding).rejects.toThrow(`filter.${why}`);
    }
    await expect(ask('endpoint', { endpoint })).rejects.toThrow(UNKNOWN);
    await add({ filter: { workspaces: [workspace], processes: [processId] } });
    const added = await add();
    const update = { endpoint: added.endpoint, filter: { processes: ['nobody'] } };
    const refused = ask('update-endpoint', update);
    await expect(refused).rejects.toThrow(/^filter.processes\[0\]: .* allowed: /);
    expect(await ask('endpoint', { endpoint: added.endpoint })).not.toHaveProperty('filter');
  });

  it('warn of a filter by a field or value that no change in the journal has', async () => {
    const { endpoint } = await add();
    const filtered = async (filter: object) =>
      (await ask('update-endpoint', { endpoint, filter })).warnings ?? [];
    const [process] = setting().processes;
    const id = name('p');
    const moved = {
      ...({ field: `status-${id}`, name: `Status ${id}`, kind: 'custom', type: 'single-choice' } as const),
      ...{ from: 'Open', to: `Done ${id}` },
    };
    const at = setting().now();
    const [event] = eventsOf(at, 1, { process, projectId: id, field: moved }) as [TaskEvent];
    const other = { ...moved, field: `phase-${id}`, name: `Phase ${id}`, from: 'Plan', to: 'Build' };
    const events = [{ ...event, data: { ...event.data, changes: [...event.data.changes, other] } }];
    await commit(setting().stores, events, { process, projectId: id, at });
    expect(await filtered({ fields: [`Statsu ${id}`] })).toEqual([
      `filter.fields[0]: no change in the journal has a field with this name. Did you mean Status ${id}?`,
    ]);
    const to = (value: string) => ({ values: [{ field: moved.field, to: [value] }] });
    expect(await filtered(to(`Dnoe ${id}`))).toEqual([
      `filter.values[0].to[0]: no change in the journal has this value. Did you mean Done ${id}?`,
    ]);
    expect(await filtered({ values: [{ field: 'nope', added: ['a'], to: ['b'] }] })).toEqual([
      expect.stringMatching(/^filter.values\[0\].field: no change in the journal has a field with/),
    ]);
    const where = (tests: object, field: string = moved.field) => ({ where: [{ [field]: tests }] });
    const path = `filter.where["${moved.field}"]`;
    expect(await filtered(where({ in: [`Dnoe ${id}`] }))).toEqual([
      `${path}.in[0]: no change in the journal has this value. Did you mean Done ${id}?`,
    ]);
    expect(await filtered(where({ became: { above: 5 }, moved: 'later' }))).toEqual([
      `${path}.moved: \`${moved.field}\` is a text; \`later\` needs a date.`,
      `${path}.became.above: \`${moved.field}\` is a text; \`above\` needs a number.`,
    ]);
    expect(await filtered(where({ above: 5 }, `Statsu ${id}`))).toEqual([
      `filter.where: no change in the journal has the field "Statsu ${id}". Did you mean Status ${id}?`,
    ]);
    for (const known of [
      ...[{ fields: [moved.field, moved.name] }, to(moved.to), to('Open'), to('')],
      ...[where({ in: [moved.to], contains: ['x'] }), where({ not: { in: ['Open', ''] } }, moved.name)],
    ])
      expect(await filtered(known)).toEqual([]);
  });

  it('remove an endpoint with what waited; a dry run counts it and leaves it; its actions stay', async () => {
    const { endpoint } = await add();
    const { deliveries } = setting().stores;
    await deliveries.add([waits(endpoint, 'e1'), waits(endpoint, 'e2')]);
    await deliveries.addDead(waits(endpoint, 'e3'), { at: setting().now(), reason: 'no' });
    const counted = { waiting: { atLeast: 2, isExact: true }, dead: { atLeast: 1, isExact: true } };
    const remove = (dryRun: boolean) => ask('remove-endpoint', { endpoint, dryRun });
    expect(await remove(true)).toEqual({ endpoint, ...counted, dryRun: true });
    expect(await ask('endpoint', { endpoint })).toMatchObject(counted);
    expect(await remove(false)).toEqual({ endpoint, ...counted, dryRun: false });
    await expect(ask('endpoint', { endpoint })).rejects.toThrow(UNKNOWN);
    for (const dryRun of [true, false]) await expect(remove(dryRun)).rejects.toThrow(UNKNOWN);
    const { actions } = await ask('actions', { endpoint });
    expect(actions.map(({ operation, details }) => [operation, details])).toEqual([
      ['remove-endpoint', '2 queued, 1 dead letters'],
      ['add-endpoint', 'webhook'],
    ]);
  });

  it('rotate the secret of a webhook, and show none that was given', async () => {
    const { endpoint, secret: first } = await add();
    const isRotating = async () => (await ask('endpoint', { endpoint })).isRotating;
    expect(await isRotating()).toBe(false);
    const { secret = '' } = await ask('rotate-secret', { endpoint });
    expect(isSigningSecret(secret)).toBe(true);
    expect(secret).not.toBe(first);
    expect(await isRotating()).toBe(true);
    expect(JSON.stringify(await ask('actions', { endpoint }))).not.toContain(secret.slice(6, 20));
    expect(await ask('finish-rotation', { endpoint })).toEqual({ endpoint });
    expect(await isRotating()).toBe(false);
    const chat = name('chat');
    await ask('add-endpoint', { endpoint: chat, kind: 'slack', url: setting().receiver.url });
    expect(await ask('endpoint', { endpoint: chat })).not.toHaveProperty('isRotating');
    await expect(ask('finish-rotation', { endpoint })).rejects.toThrow('No rotation is in progress.');
    expect(await ask('rotate-secret', { endpoint, secret: first })).toEqual({ endpoint });
  });

  it('send a test event, and answer what came of it', async () => {
    const { endpoint } = await add();
    const attempt = await ask('test-endpoint', { endpoint });
    expect(attempt).toMatchObject({ endpoint, status: 200, events: [{ type: 'changewire.test' }] });
    expect(setting().receiver.got().join()).toContain(attempt.events[0]?.id);
    expect(await ask('attempts', { endpoint })).toEqual({ attempts: [attempt] });
    const { actions } = await ask('actions', { endpoint, limit: 1 });
    expect(actions).toMatchObject([{ operation: 'test-endpoint', details: 'answered 200' }]);
  });

  it('list all endpoints by name, page by page, each once', async () => {
    const added = [await add(), await add(), await add()].map(({ endpoint }) => endpoint);
    const pages = (await pagesOf(ask, 'endpoints', { limit: 2 })).map(({ endpoints }) => endpoints);
    expect(Math.max(...pages.map(({ length }) => length))).toBe(2);
    const found = pages.flat().map(({ name }) => name);
    expect(found).toEqual([...new Set(found)].toSorted());
    expect(found).toEqual(expect.arrayContaining(added));
    const status = await pagesOf(ask, 'status', { limit: 2 });
    expect(status.flatMap(({ endpoints }) => endpoints.map(({ name }) => name))).toEqual(found);
  });

  it('tell why the last attempt that failed did', async () => {
    const { endpoint } = await add();
    const at = setting().now() - 9_000;
    const attempt = { endpoint, at, took: 7, events: [{ id: 'e1', type: 'task.updated' }] };
    await setting().stores.deliveries.note([
      { ...attempt, status: 500, failure: 'answered 500', answer: 'no room' },
      { ...attempt, at: at + 1, status: 200 },
    ]);
    const failed = { failure: 'answered 500', status: 500, answer: 'no room' };
    const { lastFailure } = await ask('endpoint', { endpoint });
    expect(lastFailure).toEqual({ at: new Date(at).toISOString(), ...failed });
  });

  it('tell attempts, all, failed ones or those of one event, the newest first, page by page', async () => {
    const { endpoint } = await add();
    const at = setting().now() - 90_000;
    const all = Array.from({ length: 7 }, (_, index) => ({
      ...{ endpoint, at: at + index, took: index, status: index % 3 === 0 ? 500 : 200 },
      ...(index % 3 === 0 && { failure: 'answered 500' }),
      events: [`first${index}`, index % 2 === 0 ? 'even' : 'odd'].map(id => ({ id, type: 'task.updated' })),
    }));
    await setting().stores.deliveries.note(all);
    const told = async (more: object) => {
      const pages = await pagesOf(ask, 'attempts', { endpoint, limit: 2, ...more });
      for (const { attempts } of pages) expect(attempts.length).toBeLessThanOrEqual(2);
      return pages.flatMap(({ attempts }) => attempts.map(({ took }) => took));
    };
    expect(await told({})).toEqual([6, 5, 4, 3, 2, 1, 0]);
    expect(await told({ eventId: 'even' })).toEqual([6, 4, 2, 0]);
    expect(await told({ eventId: 'odd' })).toEqual([5, 3, 1]);
    expect(await told({ eventId: 'first3' })).toEqual([3]);
    expect(await told({ eventId: 'none' })).toEqual([]);
    expect(await told({ failed: true })).toEqual([6, 3, 0]);
    expect(await told({ failed: true, eventId: 'even' })).toEqual([6, 0]);
  });

  it('tell the names of records of the first events of attempts, where that is asked', async () => {
    const { endpoint } = await add();
    const [process] = setting().processes;
    const [at, projectId] = [setting().now(), name('p')];
    const committed = eventsOf(at, 3, { process, projectId });
    await commit(setting().stores, committed, { process, projectId, at });
    const ids = committed.map(({ id }) => id);
    const events = [ids[0], 'unknown', ids[1], ids[2]].map(id => ({ id: `${id}`, type: 'task.updated' }));
    // On a deployed stack the events are published, and the endpoint may get them meanwhile.
    const took = 12_345;
    await setting().stores.deliveries.note([{ endpoint, at, took, status: 200, events }]);
    const records = async (more: object) => {
      const { attempts } = await ask('attempts', { endpoint, ...more });
      const noted = attempts.filter(attempt => attempt.took === took);
      return noted.flatMap(attempt => attempt.events.map(({ record }) => record));
    };
    expect(await records({ names: true })).toEqual(['Acme', undefined, 'Acme', undefined]);
    expect(await records({})).toEqual(Array(4).fill(undefined));
  });

  it('send dead letters again, after a dry run that counts them', async () => {
    const { endpoint } = await add();
    const { deliveries } = setting().stores;
    const named = { project: { id: '1', name: 'Acme' }, task: { id: '2', name: 'Kickoff' } };
    const event = {
      ...{ specversion: '1.0', source: '/p', type: 'task.updated', time: '2026-11-21T09:00:00Z' },
      data: { process: { id: 'p' }, ...named },
    };
    for (const id of ['e1', 'e2', 'e3']) {
      const body = id === 'e1' ? JSON.stringify({ ...event, id }) : '{}';
      const letter = { ...waits(endpoint, id), body };
      await deliveries.addDead(letter, { at: setting().now(), reason: 'answered 500' });
    }
    const pages = await pagesOf(ask, 'dead-letters', { endpoint, limit: 2 });
    expect(pages.map(page => page.deadLetters.map(({ eventId }) => eventId))).toEqual([['e1', 'e2'], ['e3']]);
    const letters = pages.flatMap(page => page.deadLetters);
    expect(letters.map(({ record }) => record)).toEqual(['Acme › Kickoff', undefined, undefined]);
    expect(letters.map(({ reason }) => reason)).toEqual(Array(3).fill('answered 500'));
    // So that nothing is sent, wherever this is.
    await ask('pause-endpoint', { endpoint });
    const counted = { endpoint, deliveries: { atLeast: 3, isExact: true } };
    expect(await ask('resend-dead', { to: endpoint, dryRun: true })).toEqual({ ...counted, dryRun: true });
    expect((await ask('endpoint', { endpoint })).dead.atLeast).toBe(3);
    expect(await ask('resend-dead', { to: endpoint })).toEqual({ ...counted, dryRun: false });
    const after = { dead: { atLeast: 0 }, waiting: { atLeast: 3 } };
    expect(await ask('endpoint', { endpoint })).toMatchObject(after);
    expect(await ask('resend-dead', { to: endpoint })).toMatchObject({ deliveries: { atLeast: 0 } });
    expect(await did(endpoint)).toEqual(['resend-dead', 'pause-endpoint', 'add-endpoint']);
  });

  it('suggest the endpoint that a typo meant, and repeat nothing that was typed', async () => {
    const { endpoint } = await add();
    const typed = `${endpoint.slice(0, -1)}~`;
    const refused = await ask('pause-endpoint', { endpoint: typed }).then(() => '', String);
    expect(refused).toContain('There is no endpoint with this name. Did you mean crm-');
    expect(refused).not.toContain(typed);
  });
}
