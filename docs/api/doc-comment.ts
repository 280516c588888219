/** A doc comment in its parts, each as Markdown. */
export interface Doc {
  readonly about: string;
  /** The default of an omitted property. */
  readonly default?: string | undefined;
  /** Its other tags, in order: parameters, result, errors. */
  readonly notes: readonly string[];
  /** Code that uses it. */
  readonly example?: string | undefined;
}

const TAG = /(?:^|\s)@(param|returns|throws|default|example)\b/;

export function parseDoc(comment: string): Doc {
  const [about = '', ...rest] = comment.split(TAG);
  const tags = rest.flatMap((tag, index) =>
    index % 2 === 0 ? [{ tag, text: (rest[index + 1] ?? '').trim() }] : [],
  );
  const textOf = (name: string) => tags.find(({ tag }) => tag === name)?.text;
  const standard = textOf('default');
  return {
    about: markdown(about.trim()),
    default: standard === undefined ? undefined : defaultOf(standard),
    notes: tags.flatMap(({ tag, text }) => noteOf(tag, text)),
    example: textOf('example'),
  };
}

/** A value, or, after a dash, words, as in the documentation of AWS's constructs. */
function defaultOf(text: string): string {
  return text.startsWith('- ') ? markdown(text.slice(2)) : `\`${text}\``;
}

function noteOf(tag: string, lines: string): string[] {
  const text = lines.replaceAll(/\s+/g, ' ');
  if (tag === 'returns') return [`Returns ${markdown(text)}`];
  if (tag === 'throws') return [`Throws ${markdown(text)}`];
  if (tag !== 'param') return [];
  const [, name = '', about = ''] = /^(\S+)\s+(?:- )?(.*)$/s.exec(text) ?? [undefined, text];
  return [`\`${name}\`: ${markdown(about)}`];
}

/** The text for a page in docs/: pages that it names are linked, and only code has tags. */
function markdown(text: string): string {
  return text
    .split('\n')
    .map(line =>
      /^ {4}/.test(line)
        ? line
        : line
            .split(/(`[^`]*`)/)
            .map(part)
            .join(''),
    )
    .join('\n');
}

function part(text: string): string {
  if (text.startsWith('`')) return text;
  return text
    .replaceAll(/\{@link (\S+?)(?:[ |]+([^}]*))?\}/g, (_, name: string, words = name) => `\`${words}\``)
    .replaceAll('<', '\\<')
    .replaceAll(/(?<![\w/])docs\/([\w-]+\.md)(#[\w-]+)?/g, '[$1]($1$2)');
}
