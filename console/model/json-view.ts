/** Indented JSON. Invisible characters, and those that change the direction of text, are escaped. */
export function prettyJson(value: unknown): string {
  return (JSON.stringify(value, null, 2) ?? '').replace(UNSEEN, escaped);
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

function escaped(character: string): string {
  if (character === '\n') return character;
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}

export interface Token {
  readonly kind: 'key' | 'text' | 'number' | 'word' | 'rest';
  readonly text: string;
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;
/** The longest JSON, in characters, that is coloured: a hundred thousand elements make a page slow. */
const MAX_CHARACTERS = 60_000;

/** The parts of indented JSON, for colours. Joined, they are the same text. */
export function jsonTokens(json: string): Token[] {
  if (json.length > MAX_CHARACTERS) return [{ kind: 'rest', text: json }];
  const tokens: Token[] = [];
  let end = 0;
  for (const match of json.matchAll(TOKEN)) {
    const [all, string, colon, number] = match;
    if (match.index > end) tokens.push({ kind: 'rest', text: json.slice(end, match.index) });
    if (string === undefined) tokens.push({ kind: number === undefined ? 'word' : 'number', text: all });
    else tokens.push({ kind: colon === undefined ? 'text' : 'key', text: string });
    if (colon !== undefined) tokens.push({ kind: 'rest', text: colon });
    end = match.index + all.length;
  }
  if (end < json.length) tokens.push({ kind: 'rest', text: json.slice(end) });
  return tokens;
}
