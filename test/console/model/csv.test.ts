import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csv, fileName } from '../../../console/model/csv.ts';
import { hostileText } from '../../kit/console/events.ts';
import { expectLinear } from '../../kit/linear.ts';

/** As RFC 4180 has it. */
function parsed(text: string): string[][] {
  const rows: string[][] = [];
  let rest = text.replace(/^\uFEFF/, '');
  while (rest !== '') {
    const row: string[] = [];
    for (;;) {
      const [all = '', cell = ''] = /^"((?:[^"]|"")*)"/.exec(rest) ?? [];
      expect(all).not.toBe('');
      row.push(cell.replaceAll('""', '"'));
      rest = rest.slice(all.length);
      if (!rest.startsWith(',')) break;
      rest = rest.slice(1);
    }
    expect(rest.startsWith('\r\n')).toBe(true);
    rest = rest.slice(2);
    rows.push(row);
  }
  return rows;
}

describe('a table as CSV', () => {
  it('holds texts with commas, quotation marks and lines as they are, and numbers, also negative ones', () => {
    const names = ['1', '2', '3', '4', '5', '6', '7'];
    const rows = [['a, b', 'say "hi"', 'two\nlines', '', '-5', '+3.25', '-0,5']];
    expect(parsed(csv(names, rows))).toEqual([names, ...rows]);
  });

  it('begins with the mark by which a spreadsheet knows UTF-8', () => {
    expect(csv(['é'], [])).toBe('\uFEFF"é"\r\n');
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['  =1+1', "  '=1+1"],
    ['-2+3|cmd', "'-2+3|cmd"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "\t'=1"],
    ['＝1+1', "'＝1+1"],
    ['"=1', '"\'=1'],
    ['fine;=1+1', "fine;'=1+1"],
    ['fine\n=1+1', "fine\n'=1+1"],
    ['\u200B=1', "\u200B'=1"],
    ['fine;\t "\u200B=1;-x', "fine;\t \"\u200B'=1;'-x"],
  ])('makes no formula of %j', (given, expected) => {
    expect(parsed(csv(['a'], [[given]]))[1]).toEqual([expected]);
  });

  it.each([...';"='])('takes time in proportion to the length of the text: %j', character => {
    expectLinear(length => csv(['a'], [[character.repeat(length)]]));
    expectLinear(length => csv(['a'], [[`x${character.repeat(length)}x`]]));
  });

  it('has no cell that any spreadsheet takes for a formula, by whichever mark it separates cells', () => {
    const character = fc.constantFrom(...'=+-@";,\t\n\r \'x\0');
    const dangerous = fc.array(fc.oneof(hostileText, character)).map(parts => parts.join(''));
    fc.assert(
      fc.property(fc.array(fc.tuple(dangerous, dangerous), { minLength: 1, maxLength: 3 }), rows => {
        const text = csv(['a', 'b'], rows);
        expect(parsed(text).length).toBe(rows.length + 1);
        const number = /^[-+]?\d+([.,]\d+)?$/;
        const cells = [...parsed(text).flat(), ...text.split(/[;\t\r\n]/)];
        for (const cell of cells) {
          const begun = cell.replace(/^[\s"\p{Cc}\p{Cf}]+/u, '');
          const inner = begun.replace(/".*$/s, '');
          if (!number.test(inner)) expect(begun).not.toMatch(/^[=+\-@＝＋－＠]/);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("a file's name", () => {
  it('is of letters and digits, whatever it is made of', () => {
    expect(fileName(['launch', 'since', '2026-11-22'], 'csv')).toBe('launch-since-2026-11-22.csv');
    expect(fileName(['../../etc/passwd', 'Grünes Haus <b>'], 'json')).toBe('etc-passwd-Grünes-Haus-b.json');
    expect(fileName(['///'], 'csv')).toBe('changes.csv');
    fc.assert(
      fc.property(fc.array(hostileText), parts => {
        expect(fileName(parts, 'csv')).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}-]*\.csv$/u);
      }),
    );
  });
});
