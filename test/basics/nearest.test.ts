import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearest } from '../../functions/basics/nearest.ts';

const NAMES = ['status', 'state', 'dueDate', 'assignee', 'id'];

describe('the nearest word', () => {
  it.each([
    ['assig', 'assignee'],
    ['stauts', 'status'],
    ['DUEDATE', 'dueDate'],
    ['stat', 'state'],
    ['ix', 'id'],
    ['colour', undefined],
    ['', undefined],
  ])('to %j is %j', (word, meant) => {
    expect(nearest(word, NAMES)).toBe(meant);
  });

  it('is the word itself, whatever letter of it is wrong', () => {
    const word = fc.stringMatching(/^[a-z]{6,12}$/);
    fc.assert(
      fc.property(word, fc.nat(), fc.constantFrom('', '#'), (meant, at, instead) => {
        const place = at % meant.length;
        const typed = meant.slice(0, place) + instead + meant.slice(place + 1);
        expect(nearest(typed, ['1234567', meant, ''])).toBe(meant);
      }),
    );
  });

  it('of a huge key is none, soon', () => {
    const key = 'status'.repeat(200_000);
    const begun = process.cpuUsage();
    expect(nearest(key, NAMES)).toBeUndefined();
    expect(process.cpuUsage(begun).user).toBeLessThan(1_000_000);
  });
});
