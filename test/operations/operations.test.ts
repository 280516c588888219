import { afterEach, describe, expect, it } from 'vitest';
import type { ProcessKey } from '../../functions/basics/process.ts';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import type { OperationsContext } from '../../functions/operations/context.ts';
import { createOperations } from '../../functions/operations/operations.ts';
import type { JournalRecord } from '../../functions/store/store.ts';
import { AT, commit, type OpenContext, openContext, PROCESSES, STORES } from '../kit/operations/context.ts';
import { eventsOf } from '../kit/operations/events.ts';
import { askOf } from '../kit/operations/setting.ts';

const CALLER = { who: 'ann', isProven: false };
const CRM = { endpoint: 'crm', kind: 'webhook', url: 'https://crm.example/' } as const;
const [PROCESS] = PROCESSES as [ProcessKey, ProcessKey];

describe.each(STORES)('over %s, the operations', (_, open) => {
  let context: OpenContext;
  afterEach(() => context.close());
  const opened = (more: Partial<OperationsContext> = {}, configured: readonly EndpointSettings[] = []) => {
    context = openContext(open, configured);
    return askOf({ operations: createOperations({ ...context, ...more }), caller: CALLER });
  };
  const committed = async () => {
    const [{ id = '' } = {}] = eventsOf(AT);
    await commit(context, eventsOf(AT), { at: AT });
    return id;
  };
  const dead = (eventId: string) => ({ endpoint: 'crm', eventId, at: AT, body: '{}', attributes: {} });

  it('answer what was done, with the secret that is shown once, though it can not be written down who did it', async () => {
    const told: unknown[] = [];
    const say = (...said: unknown[]) => void told.push(said);
    const note = () => Promise.reject(new Error('no room'));
    const ask = opened({
      actions: { note, list: async () => ({ actions: [], position: undefined }) },
      log: { info: say, warn: say, error: say },
    });
    expect((await ask('add-endpoint', CRM)).secret).toMatch(/^whsec_/);
    const action = { ...CALLER, operation: 'add-endpoint', subject: { endpoint: 'crm' }, details: 'webhook' };
    const unsaved = { code: 'actions.not-saved', ...action, at: AT, error: 'Error: no room' };
    expect(told).toEqual([[expect.any(String), unsaved]]);
  });

  it('write down nothing of what was refused, was only rehearsed, or had nothing to do', async () => {
    const ask = opened();
    await ask('add-endpoint', CRM);
    await ask('resend-dead', { to: 'crm' });
    await ask('cancel-replay', { to: 'crm' });
    await ask('remove-endpoint', { endpoint: 'crm', dryRun: true });
    await expect(ask('finish-rotation', { endpoint: 'crm' })).rejects.toThrow();
    await expect(ask('add-endpoint', CRM)).rejects.toThrow();
    const { actions } = await ask('actions', { endpoint: 'crm' });
    expect(actions.map(({ operation }) => operation)).toEqual(['add-endpoint']);
  });

  it('send a thousand dead letters again at once, and say that some are left', async () => {
    const ask = opened();
    await ask('add-endpoint', CRM);
    for (let index = 0; index < 1_003; index++)
      await context.deliveries.addDead(dead(`e${index}`), { at: AT, reason: 'no' });
    const many = { endpoint: 'crm', deliveries: { atLeast: 1_000, isExact: false } };
    expect(await ask('resend-dead', { to: 'crm', dryRun: true })).toEqual({ ...many, dryRun: true });
    expect(await ask('resend-dead', { to: 'crm' })).toEqual({ ...many, dryRun: false });
    const rest = { atLeast: 3, isExact: true };
    expect(await ask('resend-dead', { to: 'crm' })).toMatchObject({ deliveries: rest });
    expect(await context.deliveries.counts('crm')).toMatchObject({ pending: 1_003, dead: 0 });
  });

  it('look for the attempts of one event among a thousand at once, and go on behind them', async () => {
    const ask = opened();
    await ask('add-endpoint', CRM);
    const attempt = (at: number, id: string) => ({
      ...{ endpoint: 'crm', at, took: 1, events: [{ id, type: 'task.updated' }] },
    });
    const others = Array.from({ length: 1_200 }, (_, index) => attempt(AT + 1 + index, 'another'));
    await context.deliveries.note([attempt(AT, 'this'), ...others]);
    const first = await ask('attempts', { endpoint: 'crm', eventId: 'this' });
    expect(first.attempts).toEqual([]);
    const next = await ask('attempts', { endpoint: 'crm', eventId: 'this', cursor: first.cursor });
    expect(next).toMatchObject({ attempts: [{ events: [{ id: 'this' }] }] });
    expect(next).not.toHaveProperty('cursor');
  });

  it('do not look for the attempts of an event before it was committed', async () => {
    const ask = opened();
    await ask('add-endpoint', CRM);
    const id = await committed();
    const asked: unknown[] = [];
    const { attempts } = context.deliveries;
    context.deliveries.attempts = (name, limit, stretch) => {
      asked.push(stretch?.since);
      return attempts(name, limit, stretch);
    };
    await ask('attempts', { endpoint: 'crm', eventId: id });
    expect(asked).toEqual([AT]);
  });

  it('tell the attempts of each endpoint that wants an event, without other events, of many endpoints one each', async () => {
    const names = Array.from({ length: 201 }, (_, index) => `e${String(index).padStart(3, '0')}`);
    const configured = names.map(name => ({ name, kind: 'webhook' as const }));
    const ask = opened({}, configured);
    const id = await committed();
    const events = [{ id, type: 'task.updated' }];
    const attempt = { endpoint: 'e007', events: [...events, { id: 'p.1.2.0', type: 'task.updated' }] };
    await context.deliveries.note([5, 9, 7].map(took => ({ ...attempt, at: AT + took, took })));
    const { endpoints } = await ask('trace', { eventId: id });
    expect(endpoints.map(({ endpoint }) => endpoint)).toEqual(names);
    expect(endpoints[7]?.attempts).toMatchObject([{ took: 9, events }]);
  });

  it('take an event for published that an endpoint got through its filter, where nothing else tells', async () => {
    const ask = opened({}, [{ name: 'crm', kind: 'webhook' }]);
    const { find } = context.journal;
    context.journal.find = async eventId => {
      const found = await find(eventId);
      return found && { event: found.event, at: found.at };
    };
    const id = await committed();
    const isPublished = async () => (await ask('trace', { eventId: id })).published;
    expect(await isPublished()).toBe('unknown');
    await context.deliveries.add([dead(id)]);
    expect(await isPublished()).toBe('yes');
    context.journal.find = find;
    expect(await isPublished()).toBe(context.published ? 'not yet' : 'yes');
    context.published?.(1);
    expect(await isPublished()).toBe('yes');
  });

  it('ask for the workspace where two have a process of one identifier, and take it', async () => {
    const twice = ['eu', 'us'].map(workspace => ({ workspace, processId: PROCESS.processId }));
    const ask = opened({ processes: async () => twice });
    const asked = { process: PROCESS.processId, mode: 'changes' } as const;
    const several = 'Several workspaces have a process with this id. Specify one: eu or us.';
    await expect(ask('pass', asked)).rejects.toThrow(several);
    expect(await ask('pass', { ...asked, workspace: 'us' })).toMatchObject({ workspace: 'us' });
    expect((await ask('actions', { process: PROCESS.processId, workspace: 'us' })).actions).toHaveLength(1);
    expect((await ask('actions', { process: PROCESS.processId, workspace: 'eu' })).actions).toEqual([]);
    // What is only looked at may be that of both.
    expect((await ask('events', { process: PROCESS.processId })).events).toEqual([]);
  });

  it('hand a question to the doctor for the process that was meant', async () => {
    const ask = opened();
    expect(await ask('doctor', { process: PROCESS.processId })).toMatchObject({
      ...{ workspace: PROCESS.workspace, process: PROCESS.processId, findings: [] },
    });
  });

  it('count in a dry run of a replay what a thousand change records have', async () => {
    const [event] = eventsOf(AT - 1);
    if (!event) throw new Error('no event');
    const record: JournalRecord = { position: 'x', at: AT - 1, isOf: () => true, events: () => [event] };
    let read = 0;
    async function* search() {
      for (;;) {
        read++;
        yield record;
      }
    }
    const none = () => Promise.reject(new Error('nobody asks'));
    const journal = { search, read: none, find: none, replace: none };
    const ask = opened({ journal }, [{ name: 'crm', kind: 'webhook' }]);
    const since = new Date(AT - 9).toISOString();
    const { events } = await ask('replay', { to: 'crm', since, dryRun: true });
    expect(events).toEqual({ atLeast: 1_000, isExact: false });
    expect(read).toBe(1_000);
  });
});
