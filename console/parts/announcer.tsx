import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChangeLine } from '../model/change-line.ts';
import type { Feed } from '../model/feed.ts';
import { lineText } from '../model/line-text.ts';

const EVERY_MS = 10_000;

/** For people with a screen reader: announces how many changes came, and the last one, every ten seconds
 *  at most. */
export function Announcer({ feed }: { readonly feed: Feed<ChangeLine> }) {
  const [text, setText] = useState('');
  const latest = useRef(feed);
  latest.current = feed;
  useEffect(() => {
    let told = latest.current.arrived;
    const timer = setInterval(() => {
      const { arrived, lines } = latest.current;
      const [line] = lines;
      if (arrived === told || !line) return;
      const count = arrived - told;
      told = arrived;
      setText(count === 1 ? lineText(line) : `${count} changes; the last one: ${lineText(line)}`);
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <p class="hidden" aria-live="polite">
      {text}
    </p>
  );
}
