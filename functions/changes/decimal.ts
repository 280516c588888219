const DECIMAL = /^\s*([+-])?(\d+)?(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?\s*$/;

/** A decimal number's one spelling, or undefined when the text is no decimal number. "1.0", "1.00", "+1" and "10e-1"
 *  share one. Digits are never turned into a float, so long numbers keep each of theirs. */
export function canonicalDecimal(text: string): string | undefined {
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const power = Number(exponent ?? 0) - fraction.length + (digits.length - significant.length);
  return `${sign === '-' ? '-' : ''}${significant}e${power}`;
}
