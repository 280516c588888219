import type { RecordView, Run } from '../chat/chat-view.ts';

/** A mail without its encodings. */
export interface Frame {
  readonly subject: string;
  /** Shown beside the subject in lists of mails. */
  readonly preview: string;
  readonly sections: readonly Section[];
  readonly left: string | undefined;
  readonly foot: string;
}

/** The part of a mail about one topic, as text and HTML show it. */
export interface Section {
  readonly title: string;
  readonly link: string | undefined;
  /** Who, where and when. */
  readonly context: readonly string[];
  readonly note: string | undefined;
  readonly records: readonly RecordView[];
  /** What is left out, in words. */
  readonly left: string | undefined;
}

export function mailText({ subject, sections, left, foot }: Frame): string {
  const parts = sections.map(section =>
    [
      inertText(section.title),
      ...(section.link === undefined ? [] : [section.link]),
      ...section.context.map(inertText),
      ...(section.note === undefined ? [] : ['', inertText(section.note)]),
      ...(section.records.length === 0 ? [] : ['', ...section.records.map(recordText)]),
      ...(section.left === undefined ? [] : ['', `… ${section.left}`]),
    ].join('\n'),
  );
  const rest = left === undefined ? [] : [`… ${left}`];
  return `${[inertText(subject), ...parts, ...rest, `-- \n${foot}`].join('\n\n')}\n`;
}

/** Data that no mail client makes a link of: an invisible word joiner breaks what looks like a host, an address or the
 *  beginning of a URL. */
export function inertText(text: string): string {
  return text.replace(
    /(?<=[\p{L}\p{N}_-])\.(?=[\p{L}\p{N}_-])|@|:(?=\/\/)|\bwww(?=\.)/giu,
    mark => `${mark}\u2060`,
  );
}

/** A record and its lines, as plain text. */
function recordText({ heading, lines }: RecordView): string {
  return [`* ${runsText(heading)}`, ...lines.map(line => `    - ${runsText(line)}`)].join('\n');
}

/** The text, and below it what it links to. */
function runsText(runs: readonly Run[]): string {
  const links = runs.flatMap(({ link }) => link ?? []);
  return [inertText(runs.map(({ text }) => text).join('')), ...links].join('\n    ');
}
