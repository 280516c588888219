import type { JsonObject } from '../../basics/json.ts';
import type { KnownUsers } from '../../model/snapshot.ts';
import { ServiceError, ServiceStatusError } from '../../service/errors.ts';
import type { PassContext } from '../context/context.ts';

/** An id that is not known makes the list be read again, but not more often than this. */
const HOUR_MS = 60 * 60 * 1000;
/** Names may change: the list is read again after this time in any case. */
const DAY_MS = 24 * HOUR_MS;
/** After a failure. */
const RETRY_MS = 5 * 60 * 1000;
/** Names are worth no more of a pass's time than this. */
const USERS_TIMEOUT_MS = 10_000;
/** They must fit into one item of the table (400 KB). */
const MAX_BYTES = 380_000;
/** How many ids are remembered that no user has. */
const MAX_UNKNOWN_IDS = 100;

/** The users of the workspace, as this process knows them. Costs nothing until they are asked for, and then
 *  at most one walk over their list, or the look-up of one user, in each pass. */
export class Users {
  readonly #context: PassContext;
  #known: Promise<KnownUsers | undefined> | undefined;
  #hasAsked = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(context: PassContext) {
    this.#context = context;
  }

  /** The names of all users that are known, by id; undefined for a user without a name. `ids`: one list for
   *  each entry, the ids of which any may be a user's. An entry with none that is known is a reason to ask
   *  the service, at most hourly. */
  async among(ids: readonly (readonly string[])[]): Promise<ReadonlyMap<string, string | undefined>> {
    const mine = this.#turn.then(() => this.#among(ids));
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async #among(ids: readonly (readonly string[])[]): Promise<ReadonlyMap<string, string | undefined>> {
    const { snapshots, process } = this.#context;
    this.#known ??= snapshots.users(process);
    const known = await this.#known;
    const names = namesOf(known);
    if (this.#hasAsked) return names;
    const strange = ids.filter(each => each.length > 0 && !each.some(id => names.has(id)));
    const asked = await this.#ask(known, strange);
    if (!asked) return names;
    this.#known = Promise.resolve(asked);
    await snapshots.saveUsers(process, asked);
    return namesOf(asked);
  }

  /** What is known after one more question; undefined when there is no reason to ask now. */
  async #ask(
    known: KnownUsers | undefined,
    strange: readonly (readonly string[])[],
  ): Promise<KnownUsers | undefined> {
    if (known === undefined || this.#isOld(known, strange.length > 0)) {
      this.#hasAsked = true;
      return this.#readList(known);
    }
    const unknownIds = new Set(known.unknownIds);
    // Of a path or an address the last part is the likeliest.
    const [id] = strange.map(each => each.at(-1) as string).filter(each => !unknownIds.has(each));
    if (id === undefined || unknownIds.size >= MAX_UNKNOWN_IDS) return undefined;
    this.#hasAsked = true;
    return this.#lookUp(known, id);
  }

  #isOld({ askedAt }: KnownUsers, hasStrange: boolean): boolean {
    const age = this.#context.clock() - askedAt;
    return age >= DAY_MS || (age >= HOUR_MS && hasStrange);
  }

  async #readList(known: KnownUsers | undefined): Promise<KnownUsers> {
    const { service, clock, process, log, heartbeat, reports } = this.#context;
    const names: [id: string, name?: string][] = [];
    let bytes = 0;
    try {
      for await (const { items } of service.users({ ms: USERS_TIMEOUT_MS })) {
        for (const { id, fields, flaw } of items) {
          const name = nameOf(fields);
          const pair: [string, string?] = name === undefined ? [id] : [id, name];
          bytes += Buffer.byteLength(JSON.stringify(pair)) + 1;
          if (!flaw && bytes <= MAX_BYTES) names.push(pair);
        }
        await heartbeat.beat();
      }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const isDenied = error instanceof ServiceStatusError && [401, 403, 404].includes(error.status);
      const details = { ...process, code: 'users-unread', error: error.message };
      const message = 'The list of users cannot be read: events do not name users who are not known yet.';
      if (isDenied) reports.once('users-denied', message, details);
      else log.warn(message, details);
      const askedAt = isDenied ? clock() : clock() - HOUR_MS + RETRY_MS;
      return { names: known?.names ?? [], askedAt };
    }
    if (bytes > MAX_BYTES) {
      const message = 'There are more users than can be kept: events do not name the others.';
      reports.once('users-overfull', message, { kept: names.length });
    }
    return { names, askedAt: clock() };
  }

  /** Asks for one user (service-api.md §4 #5) who was not in the list, read within the hour: a new one, or
   *  not a user. */
  async #lookUp(known: KnownUsers, id: string): Promise<KnownUsers> {
    const { names, unknownIds = [] } = known;
    try {
      const found = await this.#context.service.user(id, { ms: USERS_TIMEOUT_MS });
      const name = nameOf(found.fields);
      if (found.id === id && !found.flaw)
        return { ...known, names: [...names, name === undefined ? [id] : [id, name]] };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
    return { ...known, unknownIds: [...unknownIds, id] };
  }
}

function namesOf(known: KnownUsers | undefined): ReadonlyMap<string, string | undefined> {
  return new Map(known?.names.map(([id, name]) => [id, name]));
}

/** The fields of a user are undocumented (service-api.md §2.4). */
function nameOf({ name, displayName, fullName, firstName, lastName }: JsonObject): string | undefined {
  const both = [firstName, lastName].filter(part => typeof part === 'string').join(' ');
  for (const text of [name, displayName, fullName, both]) {
    if (typeof text === 'string' && text.trim() !== '')
      return text.trim().slice(0, MAX_NAME_LENGTH).toWellFormed();
  }
  return undefined;
}

const MAX_NAME_LENGTH = 200;
