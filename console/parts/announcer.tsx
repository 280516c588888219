import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChangeLine } from '../model/change-line.ts';
import type { Feed } from '../model/feed.ts';
import { lineText } from '../model/line-text.ts';

const EVERY_MS = 10_000;

/** Announces the number of new changes and the latest one to screen readers, at most every ten seconds. */
export function Announcer({ feed }: { readonly feed: Feed<ChangeLine> }) {
  const [text, setText] = useState('');
  const latest = useRef(feed);
  latest.current = feed;
  useEffect(() => {
    let announced = latest.current.arrived;
    const timer = setInterval(() => {
      const { arrived, lines } = latest.current;
      const [line] = lines;
      if (arrived === announced || !line) return;
      const count = arrived - announced;
      announced = arrived;
      setText(count === 1 ? lineText(line) : `${count} changes; the latest: ${lineText(line)}`);
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <p class="hidden" aria-live="polite">
      {text}
    </p>
  );
}
