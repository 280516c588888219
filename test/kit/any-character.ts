import fc from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 };

/** Any character of Unicode, for texts: `fc.string({ unit: ANY_CHARACTER })`. fast-check's own, `binary`, has the same, and a table of all the
 *  million of them in each process. */
export const ANY_CHARACTER = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map(
    number => String.fromCodePoint(number < SURROGATES.from ? number : number + SURROGATES.count),
    numberOf,
  );

/** @throws for what is not one character: fast-check then does not take it for one */
function numberOf(text: unknown): number {
  const point = typeof text === 'string' && text.isWellFormed() ? text.codePointAt(0) : undefined;
  if (point === undefined || String.fromCodePoint(point) !== text) throw new Error('not one character');
  return point < SURROGATES.from ? point : point - SURROGATES.count;
}
