import { useEffect, useState } from 'preact/hooks';
import type { RequestOf } from '../../functions/operations/protocol/requests.ts';
import { type Entry, entryOf } from '../model/history.ts';
import { messageOf, NotAllowed } from '../state/api.ts';
import { useWorld } from '../state/use.ts';

export interface HistoryRead {
  readonly entries: readonly Entry[];
  /** `all`: complete. `cut`: too many events for a page. */
  readonly state: 'reading' | 'all' | 'cut';
  readonly error: string | undefined;
}

const MAX_ENTRIES = 10_000;
const MAX_CHARACTERS = 30_000_000;
const RENDER_INTERVAL_MS = 700;
const NOTHING: HistoryRead = { entries: [], state: 'reading', error: undefined };

type Query = Omit<RequestOf<'events'>, 'operation' | 'cursor' | 'limit'>;

/** Reads all events that match the query, page by page, up to a limit; again in each round. */
export function useHistory(query: Query, round = 0): HistoryRead {
  const { session } = useWorld();
  const key = JSON.stringify([query, round]);
  const [state, setState] = useState<{ key: string; read: HistoryRead }>({ key, read: NOTHING });
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    let read = NOTHING;
    let renderedAt = 0;
    const update = (part: Partial<HistoryRead>) => {
      const next = { ...read, ...part };
      const isFirst = read.entries.length === 0 && next.entries.length > 0;
      const isSameState = next.state === read.state && next.error === read.error;
      read = next;
      // Not after each page, because each rendering adds up all entries again.
      if (isSameState && !isFirst && Date.now() - renderedAt < RENDER_INTERVAL_MS) return;
      renderedAt = Date.now();
      setState({ key, read });
    };
    const all = async () => {
      const [asked] = JSON.parse(key) as [Query, number];
      let cursor: string | undefined;
      let characters = 0;
      do {
        const place = cursor === undefined ? {} : { cursor };
        const page = await session.persist(
          () => session.ask({ operation: 'events', limit: 100, ...asked, ...place }, signal),
          signal,
          error => update({ error }),
        );
        characters += JSON.stringify(page.events).length;
        cursor = page.cursor;
        const entries = [...read.entries, ...page.events.map(entryOf)];
        const isFull = entries.length >= MAX_ENTRIES || characters > MAX_CHARACTERS;
        update({
          entries,
          state: cursor === undefined ? 'all' : isFull ? 'cut' : 'reading',
          error: undefined,
        });
      } while (read.state === 'reading' && !signal.aborted);
    };
    update({});
    all().catch((error: unknown) => {
      if (!signal.aborted && !(error instanceof NotAllowed)) update({ error: messageOf(error) });
    });
    return () => ending.abort();
  }, [key, session]);
  return state.key === key ? state.read : NOTHING;
}
