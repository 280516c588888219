import fc from 'fast-check';
import type { Step } from '../plan.ts';

/** The table is restored to what it was so many steps ago. */
export interface RestoreStep {
  readonly do: 'restore';
  readonly back: number;
  readonly how: (typeof RESTORES)[number];
  /** How many steps before this the publisher was switched off, where the stream is cut off. */
  readonly off: number;
}

/** Into the table itself; or into a new one, as DynamoDB does: its stream begins anew, and the old one
 *  was read to its end, or is cut off. */
const RESTORES = ['in place', 'new table, drained', 'new table, cut'] as const;

type Restore = Step & RestoreStep & { readonly after: number };

const restore: fc.Arbitrary<Restore> = fc.record({
  gap: fc.nat(60_000),
  do: fc.constant('restore' as const),
  after: fc.integer({ min: 3, max: 20 }),
  back: fc.integer({ min: 1, max: 10 }),
  how: fc.constantFrom(...RESTORES),
  off: fc.nat(4),
});

export const restores: fc.Arbitrary<Restore | undefined> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: restore },
);

export function withRestore(steps: readonly Step[], restored: Restore | undefined): Step[] {
  if (!restored) return [...steps];
  const { after, ...step } = restored;
  const index = Math.min(after, steps.length);
  return [...steps.slice(0, index), step, ...steps.slice(index)];
}
