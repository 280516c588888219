import { expect, test } from 'vitest';
import { entriesOf } from '../../docs/api/entries.ts';
import { lacking } from '../../docs/api/lacking.ts';
import { apiPage } from '../../docs/api/page.ts';
import { ROOT, readDocument } from '../kit/docs/documents.ts';

const entries = entriesOf(ROOT);

test('docs/api.md tells what can be imported: `npm run schemas` makes it anew', () => {
  expect(entries.map(({ name }) => name)).toEqual(['changewire/cdk', 'changewire/events']);
  expect(readDocument('docs/api.md')).toBe(apiPage(entries));
});

test('what can be imported has doc comments, written types and defaults, and uses nothing that can not be imported', () => {
  expect(lacking(entries)).toEqual([]);
});
