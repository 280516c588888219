import { zstdDecompressSync } from 'node:zlib';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProcessKey } from '../../functions/basics/process.ts';
import { auditEvents } from '../../functions/changes/process-events.ts';
import type { Attempt } from '../../functions/model/delivery.ts';
import { eraseEvent } from '../../functions/model/erase.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { deliveryOf } from '../../functions/operations/deliveries.ts';
import { workOffJobs } from '../../functions/operations/jobs.ts';
import { createOperations } from '../../functions/operations/operations.ts';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { Checker } from '../../functions/operations/verify/checker.ts';
import { type Change, changeOf } from '../../functions/operations/verify/facts.ts';
import { verifyProcess } from '../../functions/operations/verify/walk.ts';
import { openSqliteStore } from '../../functions/store/sqlite/store.ts';
import {
  AT,
  type OpenContext,
  openContext,
  PROCESSES,
  type Stores,
  storesOf,
} from '../kit/operations/context.ts';
import { type Content, contentOf, eventsBetween } from '../kit/operations/history.ts';
import { askOf } from '../kit/operations/setting.ts';
import { openTable } from '../kit/table.ts';

const PROCESS = PROCESSES[0] as ProcessKey;
const CRM = { name: 'crm', kind: 'webhook' } as const;
const DOWN = { ...CRM, name: 'down' } as const;
/** Stands in all contents of the erased project, and OTHER in those of the project beside it. */
const [TEXT, OTHER] = ['Zoë Quagga', 'Ann Other'];
const [ERASED, KEPT] = ['1001', '1002'];

/** A store, and a dump of its rows, each as a text with decoded values. */
type Dumped = Stores & { dump(): Promise<string[]> };

const STORES: readonly (readonly [string, () => Promise<Dumped>])[] = [
  [
    'a table',
    async () => {
      const table = await openTable();
      return {
        ...storesOf(table),
        close: () => void table.stop(),
        dump: async () => {
          const { Items = [] } = await table.client.send(
            new ScanCommand({ TableName: table.tableName, ConsistentRead: true }),
          );
          return Items.map(item =>
            Object.entries(item)
              .toSorted()
              .map(([, { S, N, B }]) => S ?? N ?? textOf(B))
              .join(' '),
          );
        },
      };
    },
  ],
  [
    'SQLite',
    async () => {
      const { feed: _, ...store } = openSqliteStore(':memory:');
      const { file } = store.database;
      const dump = async () => {
        const tables = file.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
        return tables.flatMap(({ name }) =>
          file
            .prepare(`SELECT * FROM "${name}"`)
            .all()
            .map(row => [name, ...Object.values(row).map(textOf)].join(' ')),
        );
      };
      return { ...store, dump };
    },
  ],
];

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? zstdDecompressSync(value).toString() : String(value);
}

describe.each(STORES)('over %s, erase', (_, open) => {
  let context: OpenContext & { dump(): Promise<string[]> };
  beforeEach(async () => {
    const stores = await open();
    context = { ...openContext(() => stores, [CRM, DOWN]), dump: stores.dump };
  });
  afterEach(() => context.close());

  const caller = { who: 'ann', isProven: true };
  const ask = () => askOf({ operations: createOperations(context), caller });
  const later = (ms: number) => {
    context.state.now += ms;
    return context.state.now;
  };
  /** Each slice ends after one step. */
  const slowly = () => {
    const clock = () => later(1_500);
    return askOf({ operations: createOperations({ ...context, clock }), caller });
  };
  const erase = async (more: object = {}, most = Number.POSITIVE_INFINITY, asks = ask()) => {
    const slices: AnswerOf<'erase'>[] = [];
    for (let cursor: string | undefined; slices.length < most; ) {
      const slice = await asks('erase', { project: ERASED, ...more, ...(cursor && { cursor }) });
      slices.push(slice);
      cursor = slice.cursor;
      if (cursor === undefined) break;
    }
    return slices;
  };
  const sumOf = (slices: readonly AnswerOf<'erase'>[]) => {
    const sum = { events: 0, deliveries: 0, deadLetters: 0, answers: 0 };
    for (const { erased } of slices)
      for (const kind of ['events', 'deliveries', 'deadLetters', 'answers'] as const)
        sum[kind] += erased[kind];
    return sum;
  };
  const withText = async (text: string) => (await context.dump()).filter(row => row.includes(text));
  const commit = async (projectId: string, after: Content | undefined): Promise<ChangeEvent[]> => {
    const at = later(1_000);
    const expected = await context.snapshots.load(PROCESS, projectId);
    const content = after && contentOf(after);
    const events = eventsBetween(PROCESS, projectId, [expected?.content, content], at);
    const result = await context.snapshots.commit(PROCESS, {
      ...{ projectId, expected, version: at, at, events },
      snapshot: content && { version: at, content, recordReadAt: at, tasksReadAt: at },
      ...(!content && { tombstone: { version: at, readAt: at } }),
    });
    expect(result).toBe('committed');
    return events;
  };
  const announce = async (entry: object, more: object = {}) => {
    const at = later(1_000);
    const { announced } = await context.snapshots.readState(PROCESS);
    const id = at.toString(16).padStart(32, '0');
    const read = { id, projects: [], tasks: [], users: [], entry, ...more };
    const events = auditEvents(PROCESS, [read as never], { version: at, at });
    const request = { events, version: at, at };
    const state = { baselined: true, baselinedAt: AT };
    const announcement = { announced, state, entries: [read.id], request };
    expect(await context.snapshots.announce(PROCESS, announcement)).toBe('committed');
    return events;
  };

  /** Writes of both projects to all that keeps contents; returns the events. */
  const fill = async () => {
    const all: ChangeEvent[] = [];
    for (const [id, text] of [
      [KEPT, OTHER],
      [ERASED, TEXT],
    ] as const) {
      const content = (value: string): Content => ({
        record: { id, name: `${text} Ltd`, note: `${value} of ${text}` },
        tasks: { t1: { name: `Call ${text}`, status: value }, t2: { name: `Visit ${text}` } },
      });
      all.push(...(await commit(id, content('To do'))), ...(await commit(id, content('Done'))));
      for (const [entry, more] of [
        [{ what: `${text} was edited`, projectId: Number(id) }, { projects: [id] }],
        [{ what: `${text} was read`, path: `/projects/${id}/tasks` }, {}],
        [{ what: `Called ${text}` }, { tasks: [{ id: 't1', projectId: id }] }],
      ] as const)
        all.push(...(await announce(entry, more)));
    }
    const { deliveries, state } = context;
    const live = (endpoint: string, event: ChangeEvent) => {
      const { replay: _, ...delivery } = deliveryOf(endpoint, event, state.now);
      return delivery;
    };
    await deliveries.add(all.map(event => live('crm', event)));
    for (const event of all) await deliveries.addDead(live('down', event), { at: state.now, reason: 'no' });
    const since = new Date(AT - 1).toISOString();
    await context.endpoints.change('former', () => ({ name: 'former', health: {} }));
    await deliveries.add(all.map(event => live('former', event)));
    for (const name of ['crm', 'down']) await ask()('snapshot', { to: name, process: PROCESS.processId });
    await ask()('replay', { to: 'down', since });
    await workOff();
    const attempt = (events: readonly ChangeEvent[], more: Partial<Attempt>): Attempt => ({
      ...{ endpoint: 'crm', at: later(1), took: 1, status: 200 },
      ...{ events, answer: `Thanks: ${JSON.stringify(events)}`, ...more },
    });
    await deliveries.note([
      ...all.map(event => attempt([event], {})),
      attempt(all, { endpoint: 'down', failure: 'answered 400', status: 400 }),
    ]);
    return all;
  };
  const workOff = async () => {
    const endpoints = [CRM, DOWN].map(endpoint =>
      context.endpoints.read(endpoint.name).then(row => ({ endpoint, row })),
    );
    await workOffJobs(context, (await Promise.all(endpoints)) as never, () => true);
  };
  const eventsIn = async (project: string) =>
    (await ask()('events', { project, order: 'oldest-first', limit: 100 })).events;

  it('finds deliveries that are given up between its slices', async () => {
    await fill();
    const { deliveries } = context;
    const asks = slowly();
    for (let cursor: string | undefined; ; ) {
      const slice = await asks('erase', { project: ERASED, ...(cursor && { cursor }) });
      const pending = await deliveries.pending('crm', 100);
      const next = pending.find(({ body }) => body.includes(TEXT));
      if (next) await deliveries.deadLetter('crm', next.place, { at: context.state.now, reason: 'no' });
      cursor = slice.cursor;
      if (cursor === undefined) break;
    }
    expect((await withText(TEXT)).filter(row => /^(pending|dead) |(PENDING|DEAD)#/.test(row))).toEqual([]);
  });

  it('leaves the contents only in the current snapshot, whatever the slices, also after a kill; a repetition finds nothing', async () => {
    const all = await fill();
    const thread = { channel: 'C1', ts: '1.0', usedAt: AT };
    const other = { ...PROCESS, projectId: '2002' };
    for (const project of [{ ...PROCESS, projectId: ERASED }, other])
      await context.deliveries.keepThread('down', project, thread);
    const ofText = all.filter(event => JSON.stringify(event).includes(TEXT));
    const rows = await withText(TEXT);
    const pending = rows.filter(row => /^pending |PENDING#/.test(row)).length;
    expect(pending).toBeGreaterThanOrEqual(3 * ofText.length);
    const counts = { events: ofText.length, deliveries: pending, deadLetters: ofText.length };
    const before = (await withText(OTHER)).filter(row => !row.includes('Thanks'));
    const answers = all.filter(event => ofText.includes(event) || event.type === 'audit.recorded').length + 1;
    expect(sumOf(await erase({ dryRun: true }, 99, slowly()))).toEqual({ ...counts, answers });
    expect((await withText(TEXT)).toSorted()).toEqual(rows.toSorted());
    expect(await context.deliveries.thread('down', { ...PROCESS, projectId: ERASED })).toEqual(thread);

    const killed = await erase({}, 3, slowly());
    expect(killed.at(-1)?.cursor).toBeDefined();
    const rest = await erase({}, 99, slowly());
    expect(rest.length).toBeGreaterThan(5);
    expect(sumOf([...killed, ...rest])).toEqual({ ...counts, answers });
    expect(rest.flatMap(({ delivered }) => delivered)).toEqual([
      { endpoint: 'crm', deliveries: ofText.filter(({ type }) => type !== 'audit.recorded').length },
    ]);
    expect(rest.every(({ isInService }) => isInService)).toBe(true);
    const [row, ...others] = await withText(TEXT);
    expect(row).toMatch(/^project |PROJECT#1001/);
    expect(others).toEqual([]);
    expect(await context.deliveries.thread('down', { ...PROCESS, projectId: ERASED })).toBeUndefined();
    expect(await context.deliveries.thread('down', other)).toEqual(thread);
    const after = (await withText(OTHER)).filter(each => !each.includes('Thanks'));
    expect(after.toSorted()).toEqual(before.toSorted());

    expect(sumOf(await erase())).toEqual({ events: 0, deliveries: 0, deadLetters: 0, answers: 0 });
    const { actions } = await ask()('actions', { process: PROCESS.processId });
    expect(new Set(actions.map(({ operation }) => operation))).toEqual(new Set(['erase']));
    expect(actions.at(-1)?.details).toMatch(
      /^project 1001, [1-9] events, 0 deliveries, 0 dead letters, 0 answers$/,
    );
  });

  it('erases more than one page of events, deliveries, dead letters and answers, each counted once', async () => {
    const all: ChangeEvent[] = [];
    for (let note = 0; note < 110; note += 1)
      all.push(...(await commit(ERASED, { record: { id: ERASED, note: `${TEXT} ${note}` }, tasks: {} })));
    const { deliveries, state } = context;
    await deliveries.add(all.map(event => deliveryOf('crm', event, state.now)));
    for (const event of all)
      await deliveries.addDead(deliveryOf('down', event, state.now), { at: state.now, reason: 'no' });
    const attempt = { endpoint: 'crm', took: 1, status: 200, answer: `Thanks: ${TEXT}` };
    await deliveries.note(all.map(event => ({ ...attempt, at: later(1), events: [event] })));
    const counts = { events: 110, deliveries: 110, deadLetters: 110, answers: 110 };
    expect(sumOf(await erase({ dryRun: true }))).toEqual(counts);
    const [slice] = await erase();
    expect(slice?.erased).toEqual(counts);
    expect(slice?.delivered).toEqual([{ endpoint: 'crm', deliveries: 110 }]);
    const [row, ...others] = await withText(TEXT);
    expect(row).toMatch(/^project |PROJECT#1001/);
    expect(others).toEqual([]);
  });

  it('erases the answers of an endpoint that was removed', async () => {
    const events = await commit(ERASED, { record: { id: ERASED }, tasks: {} });
    const endpoint = 'removed';
    await context.endpoints.change(endpoint, () => ({
      name: endpoint,
      settings: { ...CRM, name: endpoint },
      health: {},
    }));
    await context.deliveries.note([
      { endpoint, at: later(1), took: 1, status: 200, events, answer: `Thanks: ${TEXT}` },
    ]);
    await ask()('remove-endpoint', { endpoint });
    expect(sumOf(await erase())).toMatchObject({ answers: 1 });
    expect(await withText(TEXT)).toEqual([]);
  });

  it('also erases what was kept of a deleted project, once its deletion is committed', async () => {
    await fill();
    await erase();
    await commit(ERASED, undefined);
    expect(await withText(TEXT)).not.toEqual([]);
    const [slice] = await erase();
    expect(slice).toMatchObject({ isInService: false, erased: { events: 3, deliveries: 0 } });
    expect(await withText(TEXT)).toEqual([]);
  });

  it('keeps events as rows that are shown and traced, but not sent again, and verified', async () => {
    await fill();
    const before = await eventsIn(ERASED);
    await erase();
    const after = await eventsIn(ERASED);
    const withoutContents = (events: typeof after) =>
      events.map(({ event: { data: _, erased, ...event }, committedAt }) => ({ event, committedAt }));
    expect(withoutContents(after)).toEqual(withoutContents(before));
    expect(after.every(({ event }) => event.erased)).toBe(true);
    const eventId = String(after[0]?.event.id);
    const { event: traced } = await ask()('trace', { eventId });
    expect(traced).toMatchObject({ erased: true, type: 'project.created' });
    const resent = ask()('resend', { eventId, to: 'crm' });
    await expect(resent).rejects.toThrow('The contents of this event were erased.');

    const record = { id: ERASED, name: 'Ltd' };
    const [next] = await commit(ERASED, { record, tasks: { t1: { status: 'Late' } } });
    const since = new Date(AT - 1).toISOString();
    const kept = (await eventsIn(KEPT)).length;
    later(1);
    const { events } = await ask()('replay', { to: 'crm', since, dryRun: true });
    const all = await ask()('events', { limit: 100 });
    const left = all.events.filter(({ event }) => !event.erased);
    expect(events?.atLeast).toBe(left.length);
    expect(left.length).toBeGreaterThan(kept);
    expect(left.map(({ event }) => event.id)).toContain(next?.id);

    const verified = await verifyProcess(request => ask()('verify', request), { process: PROCESS.processId });
    expect(verified).toMatchObject({ mismatches: [], unsettled: 0 });
    expect(verified.records).toBeGreaterThan(4);
  });

  it('leaves nothing that verify finds missing, or different from an event that it read before', async () => {
    const early = { at: AT - 3_600_000, took: 1, events: [] };
    await context.deliveries.note([CRM, DOWN].map(({ name }) => ({ ...early, endpoint: name })));
    await fill();
    await erase();
    later(3_600_000);
    const { deliveries } = await ask()('verify', { process: PROCESS.processId, part: 'deliveries' });
    expect(deliveries).toMatchObject({ unknown: 0, missing: [] });
    const checker = new Checker();
    for (const name of ['a', 'b', 'c']) {
      const [event] = (await commit('1003', { record: { id: '1003', name }, tasks: {} })) as [ChangeEvent];
      checker.take(changeOf(name === 'b' ? eraseEvent(event) : event, new Set()) as Change);
    }
    expect(checker.gaps()).toEqual([]);
  });

  it('refuses a project that no process has or had, and one that several have, and says how to go on', async () => {
    const unknown = /^No process has a project with this id, .* specify a process/;
    await expect(erase({ project: 'nobody' })).rejects.toThrow(unknown);
    await expect(erase({ process: 'nobody' })).rejects.toThrow('There is no process with this id.');
    const nothing = erase({ project: 'nobody', process: PROCESS.processId }, 99, slowly());
    await expect(nothing).rejects.toThrow('Nothing is kept of a project with this id in this process.');
    const content = contentOf({ record: {}, tasks: {} });
    const [event] = eventsBetween(PROCESS, 'gone', [undefined, content], AT);
    await context.deliveries.addDead(deliveryOf('down', event as ChangeEvent, AT), { at: AT, reason: 'no' });
    const named = await erase({ project: 'gone', process: PROCESS.processId }, 99, slowly());
    expect(named.at(-1)).toMatchObject({ isInService: false });
    expect(sumOf(named).deadLetters).toBe(1);
    for (const process of PROCESSES)
      await context.snapshots.commit(process, {
        ...{ projectId: ERASED, expected: undefined, version: AT, at: AT, events: [] },
        snapshot: { version: AT, content, recordReadAt: AT, tasksReadAt: AT },
      });
    await expect(erase()).rejects.toThrow(
      'Several processes have a project with this id. Specify one: on boarding (eu), sales (us).',
    );
    expect(await erase({ process: 'sales' })).toMatchObject([{ workspace: 'us' }]);
  });
});
