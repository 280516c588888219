import type { RecordView, Run } from '../chat/chat-view.ts';

/** Data that no mail client makes a link of: an invisible word joiner breaks what looks like a host, an address or the
 *  beginning of a URL. */
export function inertText(text: string): string {
  return text.replace(
    /(?<=[\p{L}\p{N}_-])\.(?=[\p{L}\p{N}_-])|@|:(?=\/\/)|\bwww(?=\.)/giu,
    mark => `${mark}\u2060`,
  );
}

/** A record and its lines, as plain text. */
export function recordText({ heading, lines }: RecordView): string {
  return [`* ${runsText(heading)}`, ...lines.map(line => `    - ${runsText(line)}`)].join('\n');
}

/** The text, and below it what it links to. */
function runsText(runs: readonly Run[]): string {
  const links = runs.flatMap(({ link }) => link ?? []);
  return [inertText(runs.map(({ text }) => text).join('')), ...links].join('\n    ');
}
