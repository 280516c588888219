import { describe, expect, it } from 'vitest';
import { digest } from '../../../functions/pass/reading/digest.ts';

describe('a digest', () => {
  // Digests are kept in the table: another way to make them would have every project compared once more.
  it('is the same in every release: 16 characters that need no escaping', () => {
    expect(digest({ id: '7', name: 'Acme' })).toBe('vWdWQBR_YT7gviF7');
    expect(digest([])).toMatch(/^[\w-]{16}$/);
  });

  it('tells records apart whose keys come in another order', () => {
    expect(digest({ a: 1, b: 2 })).not.toBe(digest({ b: 2, a: 1 }));
  });
});
