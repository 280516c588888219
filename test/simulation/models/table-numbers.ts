import { validation } from './table-errors.ts';

/** DynamoDB's numbers: 38 digits, 1E-130 to 9.9…E+125, of either sign. */
const DIGITS = 38;
const LARGEST = 125;
const SMALLEST = -130;

/** `coefficient` times ten to the power of `exponent`; no number has two forms. */
interface Decimal {
  readonly coefficient: bigint;
  readonly exponent: number;
}

/** The number as DynamoDB gives it back: `1.50` is `1.5`, `1e3` is `1000`.
 *  @throws a ValidationException when it is no number, or none that DynamoDB holds. */
export function canonical(text: string): string {
  return isSmallInteger(text) ? text : format(parse(text));
}

export function add(left: string, right: string): string {
  const [a, b] = [parse(left), parse(right)];
  const exponent = Math.min(a.exponent, b.exponent);
  const sum = scaled(a, exponent) + scaled(b, exponent);
  return format(checked(normal(sum, exponent)));
}

export function negative(text: string): string {
  const { coefficient, exponent } = parse(text);
  return format({ coefficient: -coefficient, exponent });
}

/** Below 0, 0, or above, as `left` is to `right`. */
export function compareNumbers(left: string, right: string): number {
  if (isSmallInteger(left) && isSmallInteger(right)) return Number(left) - Number(right);
  const [a, b] = [parse(left), parse(right)];
  const exponent = Math.min(a.exponent, b.exponent);
  const [x, y] = [scaled(a, exponent), scaled(b, exponent)];
  return x < y ? -1 : Number(x > y);
}

/** Whether a simple comparison is enough, as for nearly all of our numbers. */
function isSmallInteger(text: string): boolean {
  return /^(0|-?[1-9]\d{0,14})$/.test(text);
}

function parse(text: string): Decimal {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/.exec(text) ?? [];
  if (whole === '' && fraction === '')
    throw validation(`The parameter cannot be converted to a numeric value: ${text}`);
  const coefficient = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  return checked(normal(coefficient, Number(exponent) - fraction.length));
}

function normal(coefficient: bigint, exponent: number): Decimal {
  if (coefficient === 0n) return { coefficient, exponent: 0 };
  let [rest, power] = [coefficient, exponent];
  while (rest % 10n === 0n) {
    rest /= 10n;
    power++;
  }
  return { coefficient: rest, exponent: power };
}

function checked(decimal: Decimal): Decimal {
  if (decimal.coefficient === 0n) return decimal;
  const digits = String(decimal.coefficient).replace('-', '').length;
  const magnitude = decimal.exponent + digits - 1;
  if (magnitude > LARGEST)
    throw validation(
      'Number overflow. Attempting to store a number with magnitude larger than supported range',
    );
  if (magnitude < SMALLEST)
    throw validation(
      'Number underflow. Attempting to store a number with magnitude smaller than supported range',
    );
  if (digits > DIGITS) throw validation('Attempting to store more than 38 significant digits in a Number');
  return decimal;
}

function scaled({ coefficient, exponent }: Decimal, to: number): bigint {
  return coefficient * 10n ** BigInt(exponent - to);
}

function format({ coefficient, exponent }: Decimal): string {
  if (exponent >= 0) return String(coefficient * 10n ** BigInt(exponent));
  const sign = coefficient < 0n ? '-' : '';
  const digits = String(coefficient)
    .replace('-', '')
    .padStart(1 - exponent, '0');
  return `${sign}${digits.slice(0, exponent)}.${digits.slice(exponent)}`;
}
