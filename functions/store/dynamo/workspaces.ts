import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { EMPTY_WORKSPACE, type WorkspaceRow } from '../../model/workspace-row.ts';
import { decode, encode, latestOf } from '../codec.ts';
import {
  completionPrefix,
  completionsKey,
  type Key,
  WORKSPACES,
  workspaceIn,
  workspaceRowKey,
} from '../keys.ts';
import type { Completions, WorkspaceRows } from '../store.ts';
import { asRead, IS_REVISION } from './conditions.ts';
import { numberIn } from './deliveries.ts';
import { getItem, type Item, queryItems, write } from './requests.ts';
import { type Table, waitAfter } from './table.ts';

/** Enough for this number of concurrent runs, because each time one of them succeeds. */
const MAX_TRIES = 50;
/** After this number of tries the waits stop growing: they are 400 ms at most. */
const GROWING_WAITS = 4;

/** The state that the runs of each workspace share, a row for each (design.md §6: `WORKSPACES`). When an
 *  answer is lost, the SDK repeats the write, which then fails: `decide` is called with the row that was
 *  just written. */
export function createWorkspaceRows(table: Table): WorkspaceRows {
  const recent = new Recent(table);
  return {
    all: async () => {
      const items = await Array.fromAsync(
        queryItems(table, WORKSPACES, undefined, { ConsistentRead: false }),
      );
      const byWorkspace = Map.groupBy(items, ({ sk }) => workspaceIn(sk.S));
      return new Map(
        [...byWorkspace].map(([name, own]) => {
          const row = own.find(item => item.row);
          return [name, { ...(row ? rowOf(row) : EMPTY_WORKSPACE), completions: completionsIn(own) }];
        }),
      );
    },
    async completions(workspace) {
      const items = await Array.fromAsync(queryItems(table, WORKSPACES, completionPrefix(workspace)));
      for (const item of items) recent.add(item);
      return completionsIn(items);
    },
    async complete(workspace, group, merge) {
      const key = completionsKey(workspace, group);
      await changed(table, recent, key, item => {
        const before = completionsIn(item ? [item] : []);
        const after = merge(before);
        // Compressed, the completions of 25 processes take one write unit instead of four.
        return after === before ? undefined : { completions: { B: encode(Object.fromEntries(after)) } };
      });
    },
    async change(name, decide) {
      let row = EMPTY_WORKSPACE;
      await changed(table, recent, workspaceRowKey(name), item => {
        const before = item ? rowOf(item) : EMPTY_WORKSPACE;
        const after = decide(before);
        row = after ?? before;
        return after && { row: { S: JSON.stringify(after) } };
      });
      return row;
    },
  };
}

/** An item that was read or written less than this time ago, in ms, is written without another read. */
const RECENT_MS = 5_000;

/** The items as this process last read or wrote them. */
class Recent {
  readonly #table: Table;
  readonly #items = new Map<string, { readonly item: Item; readonly at: number }>();

  constructor(table: Table) {
    this.#table = table;
  }

  add(item: Item): void {
    this.#items.set(item.sk.S, { item, at: this.#table.timing.clock() });
  }

  take(key: Key): Item | undefined {
    const found = this.#items.get(key.sk.S);
    this.#items.delete(key.sk.S);
    const age = found ? this.#table.timing.clock() - found.at : RECENT_MS;
    return age >= 0 && age < RECENT_MS ? found?.item : undefined;
  }
}

/** Writes the attributes that `decide` returns for an item, and retries if another write came first. A
 *  recent item is read again only if `decide` leaves it as it is, because that must rest on its current
 *  value. */
async function changed(
  table: Table,
  recent: Recent,
  key: Key,
  decide: (item: Item | undefined) => Record<string, AttributeValue> | undefined,
): Promise<void> {
  for (let tried = 1; ; ) {
    const known = recent.take(key);
    const item = known ?? (await getItem(table, key));
    const attributes = decide(item);
    if (attributes === undefined) {
      if (known) continue;
      if (item) recent.add(item);
      return;
    }
    const revision = item && numberIn(item, 'revision');
    const Item = { ...key, revision: { N: String((revision ?? 0) + 1) }, ...attributes };
    if (await write(table, { Put: { Item, ...asRead(IS_REVISION, revision) } })) return recent.add(Item);
    if (known) continue;
    if (tried === MAX_TRIES || !(await waitAfter(table, Math.min(tried, GROWING_WAITS))))
      throw new Error(
        `Could not write the row ${key.sk.S} of workspaces: other writes came first each time.`,
      );
    tried += 1;
  }
}

function rowOf({ row }: Item): WorkspaceRow {
  return JSON.parse(row?.S as string) as WorkspaceRow;
}

function completionsIn(items: readonly Item[]): Completions {
  return latestOf(items.flatMap(({ completions }) => (completions?.B ? decode(completions.B) : [])));
}
