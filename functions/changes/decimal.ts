const DECIMAL = /^\s*([+-])?(\d+)?(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?\s*$/;

/** A decimal number in one spelling, the same for "1.0", "1.00", "+1" and "10e-1"; undefined when the text is
 *  no decimal number. It is never converted to a float, so that long numbers keep all their digits. */
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
