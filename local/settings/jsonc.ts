import { getNodeValue, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

/** The text is no JSON. The message says where and what is wrong, and quotes nothing: the text may hold a secret. */
export class JsoncError extends Error {}

/** What is wrong, by the parser's name for it; of anything else only the place is told. */
const WRONG: Readonly<Record<string, string>> = {
  InvalidSymbol: 'keys and texts need double quotes',
  CommaExpected: 'a comma or a closing bracket is missing before it',
  ColonExpected: 'a colon is missing before it',
  PropertyNameExpected: 'a key in double quotes is expected',
  ValueExpected: 'a value is expected',
  CloseBraceExpected: 'a } is missing',
  CloseBracketExpected: 'a ] is missing',
  EndOfFileExpected: 'nothing more is expected',
  UnexpectedEndOfComment: 'the comment has no end',
  UnexpectedEndOfString: 'the text has no end on its line',
};

/** Reads JSON that may have comments and trailing commas. @throws JsoncError */
export function parseJsonc(text: string): unknown {
  const errors: ParseError[] = [];
  // Not `parse`, for which a key `__proto__` would be no key.
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (root && !first) return getNodeValue(root);
  const place = placeOf(text, first?.offset ?? 0);
  const wrong = first && WRONG[printParseErrorCode(first.error)];
  throw new JsoncError(`${place}${wrong === undefined ? '' : `: ${wrong}`}`);
}

/** Lines and columns count from 1. */
function placeOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}
