import { assert } from '../basics/assert.ts';
import type { Clock } from '../basics/clock.ts';
import type { Log } from '../basics/telemetry.ts';
import type { EndpointSettings } from '../model/endpoint.ts';
import type { EndpointRow } from '../model/endpoint-row.ts';
import type { EndpointRows } from '../store/store.ts';

/** An endpoint, with its row as it was read. */
export interface Registered {
  readonly endpoint: EndpointSettings;
  readonly row: EndpointRow | undefined;
}

/** All endpoints: those of the configuration, which win, and those of rows. */
export interface Registry {
  /** The endpoint as it is now. */
  read(name: string): Promise<Registered | undefined>;
  /** All of them with their rows, as they were at most 10 s ago. */
  all(): Promise<readonly Registered[]>;
  /** The settings of all of them, as they were at most 10 s ago. Rows with a revision are read only when it changed. */
  settings(): Promise<readonly EndpointSettings[]>;
}

/** A change takes effect within 30 s: after this, and after the attempts that were under way. */
const KEPT_MS = 10_000;
/** All rows are read again after this time, even with the same revision: a restored table may reuse revisions. */
const REREAD_MS = 15 * 60_000;

/** @param keptMs how long settings and rows are cached; 10 s by default, 0 where reading costs nothing */
export function createRegistry(
  configured: readonly EndpointSettings[],
  rows: EndpointRows,
  clock: Clock,
  log?: Pick<Log, 'warn'>,
  keptMs = KEPT_MS,
): Registry {
  const byName = new Map(configured.map(endpoint => [endpoint.name, endpoint]));
  const overridden = new Set<string>();
  let known: Known | undefined;
  let kept: { readonly all: readonly Registered[]; readonly until: number } | undefined;
  return {
    async read(name) {
      const row = await rows.read(name);
      checkRow(name, row);
      const endpoint = byName.get(name);
      if (endpoint) return { endpoint, row: ofHealth(row) };
      return row?.settings && { endpoint: row.settings, row };
    },
    async all() {
      if (kept && clock() < kept.until) return kept.all;
      const until = clock() + keptMs;
      const all = await list();
      kept = { all, until };
      return all;
    },
    async settings() {
      const now = clock();
      if (known && now < known.checkedAt + keptMs) return known.settings;
      const revision = await rows.revision?.();
      if (known && revision !== undefined && revision === known.revision && now < known.readAt + REREAD_MS) {
        known = { ...known, checkedAt: now };
        return known.settings;
      }
      const settings = (await list()).map(({ endpoint }) => endpoint);
      known = { settings, revision, checkedAt: now, readAt: now };
      return settings;
    },
  };

  async function list(): Promise<Registered[]> {
    const listed = await rows.list();
    for (const row of listed) checkRow(row.name, row);
    const found = new Map(listed.map(row => [row.name, row]));
    assert(found.size === listed.length && byName.size === configured.length, 'registry.names-are-unique');
    for (const { name, settings } of found.values()) if (settings && byName.has(name)) logOverridden(name);
    const added = [...found.values()].flatMap(row =>
      row.settings && !byName.has(row.name) ? [{ endpoint: row.settings, row }] : [],
    );
    return [...configured.map(endpoint => ({ endpoint, row: ofHealth(found.get(endpoint.name)) })), ...added];
  }

  function logOverridden(name: string): void {
    if (overridden.has(name)) return;
    overridden.add(name);
    log?.warn(
      `Endpoint ${name} is in the configuration and was also added at runtime; the configured one is used. ` +
        'Remove the added one, or rename the configured one.',
      { code: 'endpoint.overridden', endpoint: name },
    );
  }
}

/** Checks that a row is that of the endpoint: events must not reach another one.
 *  @throws AssertionError */
function checkRow(name: string, row: EndpointRow | undefined): void {
  const isOfEndpoint = !row || (row.name === name && (row.settings?.name ?? name) === name);
  assert(isOfEndpoint, 'registry.row-is-of-endpoint');
}

/** The settings of all endpoints, as they were read. Times in ms since 1970. */
interface Known {
  readonly settings: readonly EndpointSettings[];
  readonly revision: string | undefined;
  /** When the revision was last compared. */
  readonly checkedAt: number;
  readonly readAt: number;
}

/** The row of a configured endpoint without its settings: those of the configuration count. */
function ofHealth(row: EndpointRow | undefined): EndpointRow | undefined {
  if (!row) return undefined;
  const { settings: _, ...rest } = row;
  return rest;
}
