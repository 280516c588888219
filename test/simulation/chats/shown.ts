/** What people see of one message in a channel, whatever the chat. */
export interface Shown {
  readonly title: string;
  /** How many changes there are, and where. */
  readonly summary: string;
  /** The times between which it happened, as they stand there, to the second; none when it is not told. */
  readonly times: readonly string[];
  readonly paragraphs: readonly Paragraph[];
  /** What is said of the changes that are not shown. */
  readonly tail: string | undefined;
  /** What a notification, or a client that shows no cards, says instead. */
  readonly instead: string;
}

/** One record: its heading and a line for each field. */
export interface Paragraph {
  readonly heading: string;
  readonly lines: readonly string[];
}

/** Text as it can be seen: on one line, without what is invisible. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\u0085]+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}]|\p{Noncharacter_Code_Point}/gu, '')
    .replace(/ +/g, ' ')
    .trim();
}
