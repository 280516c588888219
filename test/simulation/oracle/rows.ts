import type { DynamoDBRecord } from 'aws-lambda';
import { wakesAt } from '../../../functions/delivery/health.ts';
import type { EndpointRow, Health } from '../../../functions/model/endpoint-row.ts';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import { healthEventId } from '../../../functions/model/event-id.ts';
import type { WindowSettings } from '../../../functions/model/windows.ts';
import { decode } from '../../../functions/store/codec.ts';
import { Violation } from './violation.ts';

const [PENDING, DEAD] = ['PENDING#', 'DEAD#'];
const TICK_MS = 60_000;

/** The ids of an endpoint's pending deliveries and dead letters, by place. */
interface Rows {
  readonly pending: Map<string, string>;
  readonly dead: Map<string, string>;
  /** How many rows hold each. */
  readonly ids: Map<string, number>;
}

interface Wake {
  readonly settings: WindowSettings;
  readonly at: number | undefined;
}

/** Checks the rows of deliveries: a pending one is removed only once its endpoint has the event, or it is
 *  a dead letter (invariant 11). */
export class RowsOracle {
  readonly #rows = new Map<string, Rows>();
  /** By the endpoints' own rows: whether a tick has work for them, else their health, which says when one has. */
  readonly #busy = new Map<string, 'at work' | Health>();
  /** By health and settings: when a tick has work, as last computed from times that had all passed. */
  readonly #wakes = new WeakMap<Health, Wake>();
  /** The ids of the reports of each endpoint's health that are not yet sent. */
  readonly #reports = new Map<string, readonly string[]>();
  readonly #has: (endpoint: string, eventId: string) => boolean;
  readonly #lacksReport: (endpoint: string, eventId: string) => boolean;
  readonly #died: (endpoint: string, body: string) => void;
  readonly #settingsOf: (endpoint: string) => WindowSettings;

  /** `has`: whether the endpoint took the event; `died` is told of each dead letter. `lacksReport`: whether another endpoint lacks a report
   *  that left this one's row. */
  constructor(
    has: (endpoint: string, eventId: string) => boolean,
    died: (endpoint: string, body: string) => void,
    lacksReport: (endpoint: string, eventId: string) => boolean = () => false,
    settingsOf: (endpoint: string) => WindowSettings = () => ({}),
  ) {
    this.#settingsOf = settingsOf;
    this.#lacksReport = lacksReport;
    this.#has = has;
    this.#died = died;
  }

  /** Told of the records of one write: one command, whole. */
  wrote(records: readonly DynamoDBRecord[]): void {
    for (const record of records) this.#look(record);
    const ours = records.flatMap(record => {
      const { pk, sk } = record.dynamodb?.Keys ?? {};
      const [, endpoint] = /^ENDPOINT#(.*)$/.exec(pk?.S ?? '') ?? [];
      return endpoint === undefined ? [] : [{ endpoint, sk: sk?.S ?? '', record }];
    });
    for (const { endpoint, sk, record } of ours.filter(({ record }) => record.eventName !== 'REMOVE'))
      this.#put(endpoint, sk, record);
    for (const { endpoint, sk } of ours.filter(({ record }) => record.eventName === 'REMOVE'))
      this.#remove(endpoint, sk);
  }

  /** The table holds what it held at an earlier moment. @returns what went with it, by endpoint: events that waited */
  restored(records: readonly DynamoDBRecord[]): [endpoint: string, eventId: string][] {
    const before = [...this.#rows].flatMap(([endpoint, { pending }]) =>
      [...pending.values()].map((id): [string, string] => [endpoint, id]),
    );
    this.#rows.clear();
    this.#busy.clear();
    this.#reports.clear();
    this.wrote(records);
    return before.filter(([endpoint, id]) => !this.holds(endpoint, id));
  }

  /** Whether an event waits for the endpoint in a row, or is dead. */
  holds(endpoint: string, eventId: string): boolean {
    return (this.#of(endpoint).ids.get(eventId) ?? 0) > 0;
  }

  /** Whether a tick at this time would find nothing to do. */
  isQuiet(now: number): boolean {
    return [...this.#busy].every(([endpoint, busy]) => {
      if (busy === 'at work') return false;
      const at = this.#wakesAt(busy, now, this.#settingsOf(endpoint));
      return at === undefined || at > now + TICK_MS;
    });
  }

  /** Computed again once it is near: until then it moves only if a clock that was ahead wrote the health. */
  #wakesAt(health: Health, now: number, settings: WindowSettings): number | undefined {
    const known = this.#wakes.get(health);
    if (known?.settings === settings && (known.at === undefined || known.at > now + TICK_MS)) return known.at;
    const at = wakesAt(health, now, settings);
    const { since = 0, from = 0 } = health.window ?? {};
    if (Math.max(since, from) <= now) this.#wakes.set(health, { settings, at });
    return at;
  }

  /** Whether something waits for the endpoint that nobody may leave there. Of what `mayStay` names, only what the endpoint does not have counts. */
  isWaiting(endpoint: string, mayStay: (eventId: string) => boolean): boolean {
    const ids = this.#rows.get(endpoint)?.pending.values() ?? [];
    return Array.from(ids).some(id => !mayStay(id) || !this.#has(endpoint, id));
  }

  /** Whether the endpoint's own row mentions a backlog, or a job: then a run looks for its deliveries. */
  isMentioned(endpoint: string): boolean {
    const busy = this.#busy.get(endpoint) ?? {};
    return busy === 'at work' || busy.waiting !== undefined;
  }

  #look({ dynamodb }: DynamoDBRecord): void {
    const { pk, sk } = dynamodb?.Keys ?? {};
    if (pk?.S !== 'ENDPOINTS' || sk?.S === undefined) return;
    const { health = {}, ...row } = JSON.parse(dynamodb?.NewImage?.row?.S ?? '{}') as Partial<EndpointRow>;
    const open = health.reports?.open ?? [];
    const ids = open.map(({ version, depth }) => healthEventId(sk.S as string, version, depth));
    const lacking = this.#reports
      .get(sk.S)
      ?.find(id => !ids.includes(id) && this.#lacksReport(sk.S as string, id));
    if (lacking !== undefined)
      throw new Violation(11, `the report ${lacking} left its row, but reached no other endpoint`);
    this.#reports.set(sk.S, ids);
    const isAtWork = row.replay || row.snapshot || open.length > 0;
    this.#busy.set(sk.S, isAtWork ? 'at work' : health);
  }

  #put(endpoint: string, sk: string, { dynamodb }: DynamoDBRecord): void {
    const isPending = sk.startsWith(PENDING);
    if (!isPending && !sk.startsWith(DEAD)) return;
    const { pending, dead, ids } = this.#of(endpoint);
    const rows = isPending ? pending : dead;
    const place = sk.slice((isPending ? PENDING : DEAD).length);
    // An update of what stands there changes no body.
    if (rows.has(place)) return;
    const bytes = dynamodb?.NewImage?.body?.B;
    const body = decode(Buffer.from(bytes ?? '', 'base64')) as string;
    const id = idOf(body);
    rows.set(place, id);
    ids.set(id, (ids.get(id) ?? 0) + 1);
    if (!isPending) this.#died(endpoint, body);
  }

  #remove(endpoint: string, sk: string): void {
    const { pending, dead, ids } = this.#of(endpoint);
    const isPending = sk.startsWith(PENDING);
    if (!isPending && !sk.startsWith(DEAD)) return;
    const place = sk.slice((isPending ? PENDING : DEAD).length);
    const rows = isPending ? pending : dead;
    const id = rows.get(place);
    if (id === undefined) return;
    rows.delete(place);
    ids.set(id, (ids.get(id) ?? 0) - 1);
    if (!isPending || dead.has(place.replace(/^R/, '')) || this.#has(endpoint, id)) return;
    throw new Violation(11, `${id} waits no more for ${endpoint}, which never got it, and is not dead`);
  }

  #of(endpoint: string): Rows {
    const rows = this.#rows.get(endpoint) ?? { pending: new Map(), dead: new Map(), ids: new Map() };
    this.#rows.set(endpoint, rows);
    return rows;
  }
}

export function idOf(body: string): string {
  return (JSON.parse(body) as ChangeEvent).id;
}
