import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ACTIONS_KEPT_MS, ATTEMPTS_KEPT_MS, DELIVERIES_KEPT_MS } from '../../functions/store/limits.ts';

const TABLE = readFileSync(new URL('../../docs/design.md', import.meta.url), 'utf8');

it.each([
  ['PENDING', DELIVERIES_KEPT_MS],
  ['DEAD', DELIVERIES_KEPT_MS],
  ['ATTEMPT', ATTEMPTS_KEPT_MS],
  ['ACTION', ACTIONS_KEPT_MS],
])('keeps the rows %s for as many days as docs/design.md lists', (rows, ms) => {
  const told = TABLE.matchAll(new RegExp(`\`${rows}#[^\n]*expires (?:after )?(\\d+) days`, 'g'));
  const days = [...new Set([...told].map(([, number]) => Number(number)))];
  expect(days.map(number => number * 24 * 60 * 60 * 1000)).toEqual([ms]);
});
