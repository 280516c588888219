import { showAbout } from '../../local/basics/duration.ts';
import type { Display } from './display.ts';

/** On a terminal, a relative time: `3 min ago`, `in 30 s`. In a file, which is read later, the time itself. */
export function when(time: string, { now, width }: Display): string {
  if (width === undefined) return time.replace(/\.\d+Z$/, 'Z');
  const ago = now - Date.parse(time);
  if (Math.abs(ago) < 1000) return 'now';
  return ago > 0 ? `${showAbout(ago)} ago` : `in ${showAbout(-ago)}`;
}

/** The same within a sentence: `in 30 s`, `at 2026-11-21T09:00:00Z`. */
export function at(time: string, display: Display): string {
  return display.width === undefined ? `at ${when(time, display)}` : when(time, display);
}

/** `for 3 min`; in a file, `since` and the time. */
export function since(time: string, display: Display): string {
  return display.width === undefined
    ? `since ${when(time, display)}`
    : `for ${showAbout(Math.max(0, display.now - Date.parse(time)))}`;
}

/** A duration in ms, as text. */
export function took(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms)} ms` : showAbout(ms);
}
