import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressOf, PAGES, pastedToken, readRoute, tokenIn } from '../../../console/model/routes.ts';
import { hostileText } from '../../kit/console/events.ts';

const READ_ONLY = 'read-only-abcdefghijklmnopqrstuvwxyz';

it.each([
  [`https://team.example.com/#token=${READ_ONLY}`, READ_ONLY],
  [' http://127.0.0.1:8322/#token=abcdefghijklmnopqrstuvwxyz_-0123\n', 'abcdefghijklmnopqrstuvwxyz_-0123'],
  ['abcdefghijklmnopqrstuvwxyz_-0123', 'abcdefghijklmnopqrstuvwxyz_-0123'],
  ['http://127.0.0.1:8322/#/now', undefined],
  ['npx changewire console', undefined],
])('the token in the pasted text %j', (text, token) => {
  expect(pastedToken(text)).toBe(token);
});

describe('a place in the address', () => {
  it('is read back as it was written, whatever identifiers hold', () => {
    const wellFormed = hostileText.map(text => text.toWellFormed()).filter(text => text !== '');
    fc.assert(
      fc.property(
        fc.constantFrom(...PAGES),
        fc.option(wellFormed, { nil: undefined }),
        wellFormed,
        (page, of, project) => {
          const address = addressOf(page, of, { project, task: undefined });
          expect(readRoute(address)).toEqual({ page, of, query: { project } });
        },
      ),
    );
  });

  it('is the first page without a name of a page, and unknown for a name that no page has', () => {
    for (const hash of ['', '#', '#/', '#now', '#//x']) expect(readRoute(hash).page).toBe('now');
    for (const hash of ['#/nowhere', '#/%E0%A4%A']) expect(readRoute(hash).page).toBe('unknown');
    expect(readRoute('#/event/%E0%A4%A').of).toBe('%E0%A4%A');
  });
});

describe('the token in the address', () => {
  it('is taken only from where changewire console puts it', () => {
    expect(tokenIn('#token=abcdefghijklmnopqrstuvwx-_')).toBe('abcdefghijklmnopqrstuvwx-_');
    for (const hash of [
      '',
      '#/now',
      '#token=',
      '#token=short',
      '#token=abcdefghijklmnopqrstuvwx&x=1',
      '#/now?token=abcdefghijklmnopqrst',
    ])
      expect(tokenIn(hash)).toBeUndefined();
  });
});
