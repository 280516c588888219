import * as z from 'zod';
import { Violation } from '../../simulation/oracle/violation.ts';

/** What people see of one message in a channel, whatever the chat. */
export interface Shown {
  readonly title: string;
  /** Where the title leads. */
  readonly link: string | undefined;
  /** How many changes there are, and where. */
  readonly summary: string;
  /** The times between which it happened, as shown, to the second; empty when they are not shown. */
  readonly times: readonly string[];
  readonly paragraphs: readonly Paragraph[];
  /** The text about the changes that are not shown. */
  readonly tail: string | undefined;
  /** The text of the notification. */
  readonly notification: string;
  /** The text in clients that can't show cards. */
  readonly instead?: string;
}

export interface Link {
  readonly text: string;
  readonly url: string;
}

/** One record: its heading and a line for each field. */
export interface Paragraph {
  readonly heading: string;
  /** Where the first words of the heading lead. */
  readonly link: Link | undefined;
  readonly lines: readonly string[];
}

/** Text as people see it: on one line, without invisible characters. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\u0085]+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}]|\p{Noncharacter_Code_Point}/gu, '')
    .replace(/ +/g, ' ')
    .trim();
}

/** Data on one line, without what moves a cursor or the text after it. */
export const single = z
  .string()
  .min(1)
  .refine(
    text => text.isWellFormed() && !/\p{Cc}|[\u202A-\u202E\u2066\u2067]/u.test(text),
    'not one clean line',
  );

/** @throws Violation where a chat would refuse the value, or show data as anything but text */
export function parsed<Value>(chat: string, schema: z.ZodType<Value>, value: unknown): Value {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new Violation(
    1,
    `${chat} does not show this: ${z.prettifyError(read.error)}\n${JSON.stringify(value)}`,
  );
}
