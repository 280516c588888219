import fc from 'fast-check';

/** From the step `from` on, `steps` long, the whole service asks for pauses of `seconds`, never answers, or refuses the credentials. */
export interface Outage {
  readonly from: number;
  readonly steps: number;
  readonly how: (typeof OUTAGES)[number];
  readonly seconds: number;
}

/** From the step `from` on, `steps` long, all requests about one of the other processes, chosen by remainder, fail, hang, or take long. */
export interface Sick {
  readonly process: number;
  readonly from: number;
  readonly steps: number;
  readonly how: (typeof SICKNESSES)[number];
}

export const OUTAGES = ['503', '429', 'hangs', 'refused'] as const;
export const SICKNESSES = ['500', '404', 'hangs', 'slow'] as const;

const [MINUTE_S, TEN_MINUTES_S] = [60, 600];

const outage: fc.Arbitrary<Outage> = fc.record({
  from: fc.integer({ min: 1, max: 20 }),
  steps: fc.integer({ min: 1, max: 6 }),
  how: fc.constantFrom(...OUTAGES),
  seconds: fc.constantFrom(45, 2 * MINUTE_S, 5 * MINUTE_S, TEN_MINUTES_S, 3 * TEN_MINUTES_S),
});

export const outages = fc.oneof(
  { weight: 5, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(outage, { minLength: 1, maxLength: 2, size: 'max' }) },
);

/** How many processes the workspace has beside the first one, and which of them is sick. */
export const neighbours = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ others: 0, sick: undefined }) },
  {
    weight: 1,
    arbitrary: fc.record({
      others: fc.constantFrom(1, 2),
      sick: fc.option(
        fc.record({
          process: fc.nat(1),
          from: fc.nat(15),
          steps: fc.integer({ min: 2, max: 10 }),
          how: fc.constantFrom(...SICKNESSES),
        }),
        { freq: 1, nil: undefined },
      ),
    }),
  },
);
