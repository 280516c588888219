/** Texts with a special meaning in a chat, a renderer or JSON, or that look like other parts of a
 *  message. */
const TRAPS = [
  '<!channel> *now* :tada: `x`',
  '<https://evil.example|click> & <@U123> &amp;',
  '{{DATE(2026-01-01T00:00:00Z, SHORT)}} {{{TIME(',
  '[a](b) **b** ~s~ # - <at>x</at>',
  'a → b',
  'x, removed y: z',
  'Status: empty · task deleted',
  'and 3 more fields',
  '… and 2 more changes in 1 task are not shown',
  '"quoted\\"',
  'two\r\n lines\tand \u0000 \u001B[31m',
  '\u202Ereversed\u2066',
  'שלום עולם',
  '👩‍👩‍👧‍👦 e\u0301 🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '\uD800 lone \uDC00',
  '\u200B',
  '__proto__',
  '  spaces  ',
] as const;
const LONG = 'A long text that goes on and on, with <many> words & signs. '.repeat(14);

/** Numbers of long texts are multiples of this. */
export const TEXTS_APART = 4;

/** A text by number: a trap, several of them, or a long one that differs from others only at its end. */
export function textAt(number: number): string {
  const trap = TRAPS[number % TRAPS.length] as string;
  if (number % TEXTS_APART === 0) return `${LONG}${number}`;
  return number % TEXTS_APART === 1 ? trap : `${trap} ${number} ${TRAPS[(number * 7) % TRAPS.length]}`;
}

/** A name by number, seldom a long one. */
export function nameAt(number: number): string {
  return number % 7 === 0 ? textAt(number * TEXTS_APART) : textAt(number * TEXTS_APART + 1 + (number % 3));
}
