import fc from 'fast-check';

/** A deployment of today's release in place of the last one, or a rollback to it, while all goes on. */
export interface Rollout {
  /** The release of all processes at first. */
  readonly from: 'last' | 'today';
  /** Steps. From the first on a process is of either release, from the second on of the other one, from the third on again of either, and so
   *  on. */
  readonly turns: readonly number[];
}

export const rollout: fc.Arbitrary<Rollout | undefined> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.record({
      from: fc.constantFrom('last' as const, 'today' as const),
      turns: fc
        .array(fc.nat(16), { minLength: 1, maxLength: 4, size: 'max' })
        .map(turns => turns.toSorted((one, other) => one - other)),
    }),
  },
);
