/** What people see of one message in a channel, whatever the chat. */
export interface Shown {
  readonly title: string;
  /** Where the title leads. */
  readonly link: string | undefined;
  /** How many changes there are, and where. */
  readonly summary: string;
  /** The times between which it happened, as they stand there, to the second; none when it is not told. */
  readonly times: readonly string[];
  readonly paragraphs: readonly Paragraph[];
  /** What is said of the changes that are not shown. */
  readonly tail: string | undefined;
  /** What a notification says. */
  readonly notification: string;
  /** What a client says that shows no cards. */
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

/** Text as it can be seen: on one line, without what is invisible. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\u0085]+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}]|\p{Noncharacter_Code_Point}/gu, '')
    .replace(/ +/g, ' ')
    .trim();
}
