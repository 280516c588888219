import { styleText } from 'node:util';
import { printable } from '../../local/terminal/text.ts';

/** What is written on. */
export interface Paper {
  readonly colour: boolean;
  /** The terminal's columns; undefined for a file or a pipe, of which nothing is cut. */
  readonly width: number | undefined;
  /** ms since 1970. */
  readonly now: number;
}

export type Style = Parameters<typeof styleText>[0];

export function paint({ colour }: Paper, style: Style, text: string): string {
  return colour ? styleText(style, text, { validateStream: false }) : text;
}

/** A sentence with parts from outside, which can write nothing but text to a terminal. */
export function say(words: TemplateStringsArray, ...parts: readonly (string | number)[]): string {
  return words.reduce((text, word, index) => `${text}${printable(String(parts[index - 1] ?? ''))}${word}`);
}
