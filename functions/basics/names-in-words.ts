/** `a, b or c`. `Intl.ListFormat` does the same, but takes 10 ms of each start. */
export function eitherOf(words: readonly string[]): string {
  const [last = '', ...others] = words.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`;
}

/** How many names are listed before the others are counted. */
const MAX_COUNT = 3;

/** Names as a part of a sentence: `Ann`, `Ann and Bob`, `Ann, Bob and Cem`; of more than three the first two:
 *  `Ann, Bob and 2 others`. */
export function namesInWords(names: readonly string[]): string {
  const isMany = names.length > MAX_COUNT;
  const listed = isMany ? names.slice(0, MAX_COUNT - 1) : names.slice(0, -1);
  const last = isMany ? `${names.length - listed.length} others` : (names.at(-1) ?? '');
  return listed.length === 0 ? last : `${listed.join(', ')} and ${last}`;
}
