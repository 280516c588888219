/** A term of a help text, such as an option. */
export interface Term {
  readonly term: string;
  readonly text: string;
}

/** A paragraph of a help text. */
export interface HelpBlock {
  /** Its heading, such as `Options`. */
  readonly title: string | undefined;
  /** Its lines in front of the terms, on one line. */
  readonly prose: string;
  readonly terms: readonly Term[];
}

/** A help text in its paragraphs. A term is indented by two spaces, and its text follows after two or more;
 *  the lines that continue this text are indented further. */
export function helpBlocks(help: string): HelpBlock[] {
  return help
    .trim()
    .split(/\n{2,}/)
    .map(block => {
      const lines = block.split('\n');
      const [first = ''] = lines;
      const hasTitle = lines.length > 1 && /^[A-Z][\w ]*:?$/.test(first);
      const terms: { term: string; text: string }[] = [];
      const prose: string[] = [];
      for (const line of hasTitle ? lines.slice(1) : lines) {
        const [, term, text = ''] = /^ {2}(\S.*?) {2,}(\S.*)$/.exec(line) ?? [];
        const last = terms.at(-1);
        if (term !== undefined) terms.push({ term, text });
        else if (last !== undefined && line.startsWith('   ')) last.text += ` ${line.trim()}`;
        else prose.push(line.trim());
      }
      return { title: hasTitle ? first.replace(/:$/, '') : undefined, prose: prose.join(' '), terms };
    });
}
