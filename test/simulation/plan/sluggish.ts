import fc from 'fast-check';
import type { Plan } from '../plan.ts';

/** From the step `from` on, `steps` long, each page of the list of projects takes so many ms. */
export interface Sluggish {
  readonly ms: number;
  readonly from: number;
  readonly steps: number;
}

/** Below the time-out of a request; five pages then take longer than the overlap. */
const SLOW_MS = 26_000;
const PAGES = 5;

export const sluggish: fc.Arbitrary<Sluggish | undefined> = fc.oneof(
  { weight: 9, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.record({
      ms: fc.constant(SLOW_MS),
      from: fc.nat(12),
      steps: fc.integer({ min: 4, max: 12 }),
    }),
  },
);

/** Enough pages, and not so many that a run has no time for them. */
export function withPages(plan: Plan): Pick<Plan, 'workspace' | 'pageSize'> {
  const { workspace, pageSize } = plan;
  if (!plan.sluggish) return { workspace, pageSize };
  return {
    workspace: { ...workspace, projects: PAGES },
    pageSize: { ...pageSize, projects: 1 },
  };
}
