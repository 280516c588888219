import { styleText } from 'node:util';
import { printable } from '../../local/terminal/text.ts';

export interface Display {
  readonly colour: boolean;
  /** The terminal's columns; undefined for a file or a pipe, where nothing is cut. */
  readonly width: number | undefined;
  /** ms since 1970. */
  readonly now: number;
  /** The options with which another command addresses the same run or stack, such as ` --data DIR`. */
  readonly place: string;
}

export type Style = Parameters<typeof styleText>[0];

export function paint({ colour }: Display, style: Style, text: string): string {
  return colour ? styleText(style, text, { validateStream: false }) : text;
}

/** A command to paste, for the same run or stack. */
export function hint(command: string, { place }: Pick<Display, 'place'>): string {
  return `npx changewire ${command}${place}`;
}

/** A text whose parts are escaped for a terminal. */
export function text(words: TemplateStringsArray, ...parts: readonly (string | number)[]): string {
  return words.reduce((line, word, index) => `${line}${printable(String(parts[index - 1] ?? ''))}${word}`);
}
