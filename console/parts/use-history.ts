import { useEffect, useState } from 'preact/hooks';
import type { RequestOf } from '../../functions/operations/protocol/requests.ts';
import { type Entry, entryOf } from '../model/history.ts';
import { messageOf, NotAllowed } from '../state/api.ts';
import { useWorld } from '../state/use.ts';

export interface HistoryRead {
  readonly entries: readonly Entry[];
  /** `all`: the end was reached. `cut`: there are more events than a page can hold. */
  readonly state: 'reading' | 'all' | 'cut';
  readonly error: string | undefined;
}

const MAX_COUNT = 10_000;
const MAX_CHARACTERS = 30_000_000;
const SHOWN_EVERY_MS = 700;
const NOTHING: HistoryRead = { entries: [], state: 'reading', error: undefined };

type Query = Omit<RequestOf<'events'>, 'operation' | 'cursor' | 'limit'>;

/** Reads all events that match the query, page by page, up to as many as a browser's page can hold. */
export function useHistory(query: Query): HistoryRead {
  const { session } = useWorld();
  const key = JSON.stringify(query);
  const [state, setState] = useState<{ key: string; read: HistoryRead }>({ key, read: NOTHING });
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    let read = NOTHING;
    let told = 0;
    const tell = (part: Partial<HistoryRead>) => {
      const next = { ...read, ...part };
      const isAlike = next.state === read.state && next.error === read.error;
      read = next;
      // Not after each page: everything that was read is added up anew each time it is shown.
      if (isAlike && Date.now() - told < SHOWN_EVERY_MS) return;
      told = Date.now();
      setState({ key, read });
    };
    const all = async () => {
      const asked = JSON.parse(key) as Query;
      let cursor: string | undefined;
      let characters = 0;
      do {
        const place = cursor === undefined ? {} : { cursor };
        const page = await session.persist(
          () => session.ask({ operation: 'events', limit: 100, ...asked, ...place }, signal),
          signal,
          error => tell({ error }),
        );
        characters += JSON.stringify(page.events).length;
        cursor = page.cursor;
        const entries = [...read.entries, ...page.events.map(entryOf)];
        const isFull = entries.length >= MAX_COUNT || characters > MAX_CHARACTERS;
        tell({ entries, state: cursor === undefined ? 'all' : isFull ? 'cut' : 'reading', error: undefined });
      } while (read.state === 'reading' && !signal.aborted);
    };
    tell({});
    all().catch((error: unknown) => {
      if (!signal.aborted && !(error instanceof NotAllowed)) tell({ error: messageOf(error) });
    });
    return () => ending.abort();
  }, [key, session]);
  return state.key === key ? state.read : NOTHING;
}
