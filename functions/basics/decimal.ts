/** The longest text that is read as a number. */
const MAX_LENGTH = 1_000;
const DECIMAL = /^([+-])?(\d+)?(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/;

/** A decimal number in one spelling, the same for "1.0", "1.00", "+1" and "10e-1"; undefined when the text is
 *  not a decimal number, or has more than 1,000 characters. It is never converted to a float, so that long
 *  numbers keep all their digits. */
export function canonicalDecimal(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const match = DECIMAL.exec(text.trim());
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.slice(0, lastNonZero(digits) + 1);
  if (significant === '') return '0';
  const power = Number(exponent ?? 0) - fraction.length + (digits.length - significant.length);
  return `${sign === '-' ? '-' : ''}${significant}e${power}`;
}

function lastNonZero(digits: string): number {
  let at = digits.length - 1;
  while (digits[at] === '0') at--;
  return at;
}

/** Less than 0 if the first is smaller, more than 0 if it is larger; both as `canonicalDecimal` spells them. */
export function compareDecimals(one: string, other: string): number {
  const [left, right] = [partsOf(one), partsOf(other)];
  if (left.sign !== right.sign) return left.sign - right.sign;
  if (left.magnitude !== right.magnitude) return left.sign * (left.magnitude - right.magnitude);
  if (left.digits === right.digits) return 0;
  return left.digits < right.digits ? -left.sign : left.sign;
}

/** The place of the first digit, with the digits from there on, which compare as texts. */
function partsOf(decimal: string): { sign: number; magnitude: number; digits: string } {
  if (decimal === '0') return { sign: 0, magnitude: 0, digits: '' };
  const sign = decimal.startsWith('-') ? -1 : 1;
  const [digits = '', power] = decimal.slice(sign < 0 ? 1 : 0).split('e');
  return { sign, magnitude: digits.length + Number(power), digits };
}
