import type { StatementSync } from 'node:sqlite';
import type { DynamoDBRecord } from 'aws-lambda';
import type { Mode, ProcessKey } from '../../../functions/basics/process.ts';
import { decodePart } from '../../../functions/model/event-id.ts';
import type { SavedState } from '../../../functions/model/process-state.ts';
import { encode } from '../../../functions/store/codec.ts';
import { attributesOf } from '../../../functions/store/dynamo/state.ts';
import {
  auditKey,
  completionsKey,
  deadKey,
  endpointRowKey,
  type Key,
  passKey,
  pendingKey,
  pendingPlace,
  placeOf,
  projectKey,
  recheckKey,
  seenKey,
  stateKey,
  TICK_KEY,
  timerKey,
  tombstoneKey,
  usersKey,
  workspaceRowKey,
} from '../../../functions/store/keys.ts';
import { STATE_ROWS, type StateRow } from '../../../functions/store/limits.ts';
import { type Database, openDatabase } from '../../../functions/store/sqlite/database.ts';
import { sqliteEndpointRows, sqliteSlots } from '../../../functions/store/sqlite/endpoints.ts';
import { PUBLISHER, sqliteJournal, sqliteJournalReader } from '../../../functions/store/sqlite/journal.ts';
import { sqliteProcessReader, sqliteRoster } from '../../../functions/store/sqlite/processes.ts';
import { DELIVERIES_SCHEMA, SNAPSHOTS_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { sqliteDeliveries, sqliteSnapshots } from '../../../functions/store/sqlite/store.ts';
import { sqliteTickClaims, sqliteTickProgresses } from '../../../functions/store/sqlite/tick.ts';
import { sqliteWorkspaceRows } from '../../../functions/store/sqlite/workspaces.ts';
import type { Boundary } from '../faults.ts';
import { failingWith } from '../life.ts';
import type { Item } from '../models/table.ts';
import { streamRecord } from '../models/table-stream.ts';
import { PROCESS, TABLE_NAME, WORKSPACE } from '../shared.ts';
import type { Expiring, Ports, Reaching, Storage, StorageCall } from './storage.ts';

const OF = { workspace: WORKSPACE, processId: PROCESS };

/** The key columns of each table whose rows the oracles see. */
const WATCHED = {
  state: ['process', 'name'],
  pass: ['process', 'mode'],
  project: ['process', 'id'],
  debt: ['process', 'id'],
  tombstone: ['process', 'id'],
  timer: ['process', 'at', 'id'],
  told_entry: ['process', 'id'],
  change: ['process', 'key'],
  workspace: ['name'],
  completion: ['workspace', 'group'],
  endpoint: ['name'],
  pending: ['endpoint', 'event_id', 'at', 'replay'],
  dead: ['endpoint', 'event_id', 'at'],
  tick: ['id'],
} as const;

/** What a call is over which boundary, by its name in the port. */
type Calls = Readonly<Record<string, readonly [Boundary, StorageCall?]>>;

const CALLS: Calls = {
  readState: ['table.read', 'rechecks'],
  takeLease: ['table.update', 'take lease'],
  saveProgress: ['table.update', 'save progress'],
  release: ['table.update', 'release'],
  abandon: ['table.update', 'abandon'],
  finish: ['table.transaction', 'finish'],
  announce: ['table.transaction', 'announce'],
  load: ['table.read', 'load'],
  commit: ['table.transaction', 'commit'],
  tombstone: ['table.read', 'load'],
  emittedEntries: ['table.read', 'with snapshot'],
  withSnapshot: ['table.read', 'with snapshot'],
  heads: ['table.read', 'heads'],
  timers: ['table.read', 'timers'],
  deleteTimer: ['table.update'],
  users: ['table.read', 'users'],
  saveUsers: ['table.update', 'save users'],
  writeRechecks: ['table.update', 'write recheck'],
  claim: ['table.update', 'claim'],
};
const WORKSPACE_CALLS: Calls = {
  all: ['table.read'],
  change: ['table.update', 'change shares'],
  completions: ['table.read', 'completions'],
  complete: ['table.update', 'complete'],
};
const READS = /^(due|find|nextDue|dead|findDead|counts|attempts|list|read|revision|search|ofAll|count)/;

/** The tables of what expires. */
const EXPIRING: Readonly<Record<Expiring, string>> = {
  change: 'change',
  tombstone: 'tombstone',
  entry: 'told_entry',
  delivery: 'pending',
  'dead letter': 'dead',
  attempt: 'attempt',
};

type Row = Record<string, unknown>;
type Table = keyof typeof WATCHED;
/** A row by its table and its key columns. */
type Place = readonly [Table, string | number, ...(string | number)[]];

/** A SQLite file in memory, as one machine uses it. Its calls are whole and synchronous; what fails is the file. */
export function sqliteStorage(): Storage {
  const database = openDatabase(':memory:', [SNAPSHOTS_SCHEMA, DELIVERIES_SCHEMA]);
  const mirror = new Mirror(database);
  return {
    get stream() {
      return mirror.stream;
    },
    items: () => mirror.items(),
    backup: () => {
      const items = [...mirror.items()];
      const rows = contentOf(database);
      return { items, restore: () => mirror.replace(() => setContent(database, rows)) };
    },
    isLocal: true,
    expire: now => {
      const journal = sqliteJournal(database);
      journal.moveTo(PUBLISHER, Number.MAX_SAFE_INTEGER);
      journal.expire(now, Number.MAX_SAFE_INTEGER);
      void sqliteDeliveries(database).expire(now);
      const count = (table: string) =>
        Number(database.file.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count);
      return new Map(Object.entries(EXPIRING).map(([kind, table]) => [kind as Expiring, count(table)]));
    },
    release: processId => void sqliteProcessReader(database).release({ ...OF, processId }),
    reachedBy: reaching => portsOf(database, reaching),
    readers: {
      snapshots: sqliteSnapshots(database),
      states: sqliteProcessReader(database),
      journal: sqliteJournalReader(database),
    },
  };
}

function portsOf(database: Database, reaching: Reaching): Ports {
  const { clock, refusesRow = () => false } = reaching;
  const reach = <Port extends object>(port: Port) => reached(port, reaching);
  const deliveries = sqliteDeliveries(database);
  const add: typeof deliveries.add = async rows => {
    if (rows.some(({ eventId }) => refusesRow(eventId))) throw fileError();
    return deliveries.add(rows);
  };
  const roster = reach(sqliteRoster(database, clock));
  const since = clock();
  const remember: Ports['remember'] = async processes => {
    await roster.remember(processes);
    return new Map(processes.map(each => [each, since]));
  };
  return {
    snapshots: reach(sqliteSnapshots(database)),
    rows: reach(sqliteEndpointRows(database)),
    deliveries: reach({ ...deliveries, add }),
    slots: reach(sqliteSlots(database)),
    journal: sqliteJournalReader(database),
    remember,
    claims: reach(sqliteTickClaims(database)),
    progress: reach(sqliteTickProgresses(database)),
    workspaces: reached(sqliteWorkspaceRows(database), reaching, WORKSPACE_CALLS),
  };
}

/** The port as one process reaches it: each call takes time and may meet a fault. */
function reached<Port extends object>(port: Port, { life, ran }: Reaching, calls: Calls = CALLS): Port {
  return new Proxy(port, {
    get(target, name: string) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      if (typeof method !== 'function') return method;
      if (name === 'until') return () => reached(port, { life, ran } as Reaching);
      const [boundary, call] = calls[name] ?? [READS.test(name) ? 'table.read' : 'table.update'];
      const once = <Result>(work: () => Result, of: unknown): Promise<Awaited<Result>> =>
        life.call(
          boundary,
          () => {
            const result = work();
            // The answer is read later: until then a refusal counts as handled.
            if (result instanceof Promise) result.catch(() => {});
            ran(call, true, (of as Partial<ProcessKey> | undefined)?.processId);
            return result;
          },
          failing,
          call,
        ) as Promise<Awaited<Result>>;
      if (name !== 'heads') return (...args: unknown[]) => once(() => method.apply(target, args), args[0]);
      return async function* (...args: unknown[]) {
        const pages = (method.apply(target, args) as AsyncIterable<unknown>)[Symbol.asyncIterator]();
        for (;;) {
          const { done, value } = await once(() => pages.next(), args[0]);
          if (done) return;
          yield value;
        }
      };
    },
  });
}

/** A disk that is full or fails, before the transaction or when it has ended. */
const failing = failingWith(() => fileError());

export const fileError = () => Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR' });

/** The rows of the file as items of the table, and their changes as records of its stream. */
class Mirror {
  readonly #database: Database;
  readonly #stream: DynamoDBRecord[] = [];
  readonly #items = new Map<string, Item>();
  /** By text: rows are updated often, but not their bodies. */
  readonly #bodies = new Map<string, Uint8Array>();
  readonly #isTouched: StatementSync;
  readonly #touched: StatementSync;
  readonly #forget: StatementSync;

  constructor(database: Database) {
    this.#database = database;
    const { file } = database;
    file.exec('CREATE TEMP TABLE touched (seq INTEGER PRIMARY KEY, place TEXT)');
    const triggers = Object.entries(WATCHED).flatMap(([table, columns]) => {
      const touch = (row: string) => `INSERT INTO touched (place) VALUES
        (json_array('${table}', ${columns.map(each => `${row}."${each}"`).join(', ')}));`;
      const trigger = (event: string, ...rows: readonly string[]) =>
        `CREATE TEMP TRIGGER ${table}_${event} AFTER ${event} ON main."${table}" BEGIN ${rows.map(touch).join('')} END;`;
      return [trigger('INSERT', 'NEW'), trigger('UPDATE', 'OLD', 'NEW'), trigger('DELETE', 'OLD')];
    });
    file.exec(triggers.join(''));
    this.#isTouched = file.prepare('SELECT 1 FROM touched LIMIT 1');
    this.#touched = file.prepare('SELECT place FROM touched GROUP BY place ORDER BY min(seq)');
    this.#forget = file.prepare('DELETE FROM touched');
  }

  get stream(): readonly DynamoDBRecord[] {
    this.#sync();
    return this.#stream;
  }

  items(): Iterable<Item> {
    this.#sync();
    return [...this.#items].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, item]) => item);
  }

  /** Replaces the content of the file, of which the stream has nothing. */
  replace(work: () => void): void {
    const { length } = this.#stream;
    work();
    this.#sync();
    this.#stream.length = length;
  }

  #sync(): void {
    if (!this.#isTouched.get()) return;
    const places = this.#touched.all() as { place: string }[];
    this.#forget.run();
    const rows = new Map<string, readonly [Key, ...Place]>();
    for (const { place } of places) {
      const [table, ...columns] = JSON.parse(place) as Place;
      const key = keyOf(table, columns);
      rows.set(JSON.stringify([key.pk.S, key.sk.S]), [key, table, ...columns]);
    }
    for (const [text, [key, ...place]] of rows) this.#note(text, key, place);
  }

  #note(text: string, key: Key, place: Place): void {
    const before = this.#items.get(text);
    const attributes = this.#read(...place);
    const after = attributes && { ...key, ...attributes };
    if (!before && !after) return;
    if (after) this.#items.set(text, after);
    else this.#items.delete(text);
    const at = { pk: key.pk.S, sk: key.sk.S };
    this.#stream.push(streamRecord(TABLE_NAME, this.#stream.length, at, before, after));
  }

  /** The item of this row without its key; undefined where there is none. */
  #read(
    table: Table,
    first: string | number,
    second?: string | number,
    third?: string | number,
  ): Item | undefined {
    const { sql } = this.#database;
    // Of the rows of a process, the first column is the process.
    const [of, id] = [first, second as string];
    let row: Row | undefined;
    switch (table) {
      case 'state':
        if (id !== 'users') return this.#stateRow(of, STATE_ROWS[id as keyof SavedState]);
        row = sql.get`SELECT value FROM state WHERE process = ${of} AND name = 'users'`;
        return row && { users: { S: String(row.value) } };
      case 'pass':
        return this.#stateRow(of, id as Mode);
      case 'project':
        row = sql.get`SELECT version, content FROM project WHERE process = ${of} AND id = ${id}`;
        return row && { version: { N: String(row.version) }, blob: { B: row.content as Uint8Array } };
      case 'debt':
        row = sql.get`SELECT cause, told FROM debt WHERE process = ${of} AND id = ${id}`;
        return row && { cause: { S: String(row.cause) }, told: { BOOL: row.told === 1 } };
      case 'tombstone':
        row = sql.get`SELECT version FROM tombstone WHERE process = ${of} AND id = ${id}`;
        return row && { version: { N: String(row.version) } };
      case 'timer':
        row = sql.get`SELECT 1 FROM timer WHERE process = ${of} AND at = ${Number(id)} AND id = ${third as string}`;
        return row && {};
      case 'told_entry':
        row = sql.get`SELECT key FROM told_entry WHERE process = ${of} AND id = ${id}`;
        return row && { change: { S: String(row.key) } };
      case 'change':
        row = sql.get`SELECT events FROM change WHERE process = ${of} AND key = ${id}`;
        return row && { events: { B: row.events as Uint8Array } };
      case 'workspace':
        row = sql.get`SELECT row FROM workspace WHERE name = ${first}`;
        return row && { row: { S: String(row.row) } };
      case 'completion':
        row = sql.get`SELECT completions FROM completion WHERE workspace = ${first} AND "group" = ${id}`;
        return row && { completions: { S: String(row.completions) } };
      case 'endpoint':
        row = sql.get`SELECT row FROM endpoint WHERE name = ${first}`;
        return row && { row: { S: String(row.row) } };
      case 'pending':
        row = sql.get`SELECT body FROM pending WHERE endpoint = ${first} AND event_id = ${second as string}`;
        return row && { body: { B: this.#encoded(String(row.body)) } };
      case 'dead':
        row = sql.get`SELECT body FROM dead WHERE endpoint = ${first} AND event_id = ${second as string}`;
        return row && { body: { B: this.#encoded(String(row.body)) } };
      case 'tick':
        row = sql.get`SELECT claimed_through AS time FROM tick`;
        return row && { claimedThrough: { N: String(row.time) } };
    }
  }

  #encoded(body: string): Uint8Array {
    const known = this.#bodies.get(body) ?? encode(body);
    this.#bodies.set(body, known);
    return known;
  }

  #stateRow(of: string | number, row: StateRow): Item | undefined {
    const { sql } = this.#database;
    const parts = sql.all`SELECT name, value FROM state WHERE process = ${of} AND name <> 'users'`
      .filter(({ name }) => STATE_ROWS[name as keyof SavedState] === row)
      .map(({ name, value }) => [name, JSON.parse(String(value))]);
    const pass = sql.get`SELECT owner, until, "window" FROM pass WHERE process = ${of} AND mode = ${row}`;
    if (parts.length === 0 && !pass) return undefined;
    const attributes = attributesOf(Object.fromEntries(parts) as Partial<SavedState>).get(row);
    return {
      ...(Object.fromEntries(attributes ?? []) as Item),
      ...(pass && pass.owner !== null && { leaseOwner: { S: String(pass.owner) } }),
      ...(pass && pass.until !== null && { leaseUntil: { N: String(pass.until) } }),
      ...(pass && pass.window !== null && { window: { S: String(pass.window) } }),
    };
  }
}

/** The key of the item that has this row. */
function keyOf(table: Table, columns: readonly (string | number)[]): Key {
  const [first = '', second = '', at = 0, replay = 0] = columns as [string, string, number, number];
  const of = ({ sk }: Key): Key => ({ pk: { S: first }, sk });
  switch (table) {
    case 'state':
      return of(second === 'users' ? usersKey(OF) : KEYS[STATE_ROWS[second as keyof SavedState]]);
    case 'pass':
      return of(passKey(OF, second as Mode));
    case 'project':
      return of(projectKey(OF, decodePart(second)));
    case 'debt':
      return of(recheckKey(OF, decodePart(second)));
    case 'tombstone':
      return of(tombstoneKey(OF, decodePart(second)));
    case 'timer':
      return of(timerKey(OF, { at: Number(second), projectId: decodePart(String(at)) }));
    case 'told_entry':
      return of(auditKey(OF, second));
    case 'change':
      return of({ ...stateKey(OF), sk: { S: second } });
    case 'workspace':
      return workspaceRowKey(first);
    case 'completion':
      return completionsKey(first, Number(second));
    case 'endpoint':
      return endpointRowKey(first);
    case 'pending':
      return pendingKey(first, pendingPlace(at, second, replay === 1));
    case 'dead':
      return deadKey(first, placeOf(at, second));
    case 'tick':
      return TICK_KEY;
  }
}

const KEYS: Readonly<Record<StateRow, Key>> = {
  rare: stateKey(OF),
  changes: passKey(OF, 'changes'),
  sweep: passKey(OF, 'sweep'),
  seen: seenKey(OF),
};

/** All rows of the file, by table. */
function contentOf({ file }: Database): Map<string, Row[]> {
  const tables = file.prepare(
    "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  const names = tables.all().map(({ name }) => String(name));
  return new Map(
    [...names, 'sqlite_sequence'].map(name => [name, file.prepare(`SELECT * FROM main."${name}"`).all()]),
  );
}

function setContent({ file }: Database, content: ReadonlyMap<string, readonly Row[]>): void {
  for (const [name, rows] of content) {
    file.exec(`DELETE FROM main."${name}"`);
    for (const row of rows) {
      const columns = Object.keys(row).map(each => `"${each}"`);
      file
        .prepare(
          `INSERT INTO main."${name}" (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
        )
        .run(...(Object.values(row) as never[]));
    }
  }
}
