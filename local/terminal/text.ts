const UNSAFE = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
const SHORT_ESCAPES = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Makes text from outside safe for a terminal: control characters (with ANSI's escape), line ends,
 *  direction overrides and lone surrogates are shown as escapes, so that data can neither move the cursor
 *  nor imitate other output. */
export function printable(text: string): string {
  return text.replaceAll(UNSAFE, character => SHORT_ESCAPES.get(character) ?? codeEscape(character));
}

/** The same for text of several lines, whose line ends stay. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** How many terminal columns a printable text takes. */
export function columns(text: string): number {
  let count = 0;
  for (const { segment } of graphemes.segment(text)) count += columnsOf(segment);
  return count;
}

function columnsOf(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}

/** The text cut to `width` columns, with an ellipsis where it was cut. Characters are never split. What follows the cut
 *  is not counted: a text of 1 MB takes as long as a short one. */
export function cut(text: string, width: number): string {
  // A UTF-16 code unit takes at most two columns, so a short text needs no counting.
  if (text.length * 2 <= width) return text;
  let count = 0;
  let end = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    count += columnsOf(segment);
    if (count > width) return `${text.slice(0, end).trimEnd()}…`;
    if (count < width) end = index + segment.length;
  }
  return text;
}

/** The text padded with blanks to `width` columns. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columns(text)));
}

function codeEscape(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
