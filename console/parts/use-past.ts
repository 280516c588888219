import { useEffect, useState } from 'preact/hooks';
import { type Past, pastOf } from '../model/preview.ts';
import { messageOf, NotAllowed } from '../state/api.ts';
import { useWorld } from '../state/use.ts';

/** The latest events, newest first, as far as they are loaded. */
export interface PastEvents {
  readonly past: readonly Past[];
  readonly isRead: boolean;
  readonly error: string | undefined;
}

export const MAX_PAST = 1_000;
const PAGE = 100;

export function usePast(): PastEvents {
  const { session } = useWorld();
  const [state, setState] = useState<PastEvents>({ past: [], isRead: false, error: undefined });
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const read = async () => {
      let past: readonly Past[] = [];
      let cursor: string | undefined;
      do {
        const from = cursor === undefined ? {} : { cursor };
        const page = await session.persist(
          () => session.ask({ operation: 'events', limit: PAGE, ...from }, signal),
          signal,
          error => error !== undefined && setState(known => ({ ...known, error })),
        );
        past = [...past, ...page.events.map(pastOf)].slice(0, MAX_PAST);
        cursor = page.cursor;
        const isRead = cursor === undefined || past.length >= MAX_PAST;
        setState({ past, isRead, error: undefined });
        if (isRead) return;
      } while (!signal.aborted);
    };
    read().catch((error: unknown) => {
      if (!signal.aborted && !(error instanceof NotAllowed))
        setState(known => ({ ...known, error: messageOf(error) }));
    });
    return () => ending.abort();
  }, [session]);
  return state;
}
