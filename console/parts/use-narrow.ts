import { useEffect, useState } from 'preact/hooks';

/** As in the style sheet. */
const NARROW = matchMedia('(max-width: 860px)');

/** Whether the window is as narrow as that of a phone. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const changed = () => setNarrow(NARROW.matches);
    NARROW.addEventListener('change', changed);
    return () => NARROW.removeEventListener('change', changed);
  }, []);
  return isNarrow;
}
