import { type Boundary, Coverage, FAULTS, type Strike } from '../faults.ts';
import { checkDelivered } from '../judge.ts';
import type { Plan } from '../plan.ts';
import { run } from '../run.ts';
import { smallEdit, smallPlan, WALK } from '../small-plan.ts';
import type { World } from '../world.ts';

/** The calls of the loops that route and deliver on one machine. */
const BOUNDARIES = [
  ...(['queue.receive', 'queue.route', 'queue.delete', 'queue.visibility', 'queue.wake'] as const),
  ...(['table.read', 'table.update', 'table.transaction', 'endpoint.post'] as const),
] satisfies readonly Boundary[];
/** Only of several messages some can fail, and only DynamoDB refuses a write because of another one. */
const IMPOSSIBLE = new Set(['some-fail', 'conflicting', 'cancelled', 'worked-then-throttled']);
const REFUSED: Strike = { boundary: 'endpoint.post', fault: '500', nth: 0, times: 1 };

/** How long a delivery takes after the plan, in ms, whichever fault it met: a tick may have to find it, and a second retry comes two minutes
 *  later. A message that a dead process had received must not stay hidden for its time. */
const SOON_MS = 180_000;
/** A call that hangs ends with its run. */
const STUCK_MS = 600_000;

async function checkSoonDelivered(world: World, { fault }: Strike): Promise<void> {
  // Only an operator resumes it.
  if (fault === '410') return checkDelivered(world);
  await world.pass(fault === 'stuck' ? STUCK_MS : SOON_MS);
  world.deliveries.checkAllArrived(['http', ...world.delivery.configured], world.lost);
  await checkDelivered(world);
}

/** Who meets the fault, and in which of its runs. */
export type Runs = 'router' | 'deliverer';

/** Delivers one event on one machine, once for each fault that one call of the loops can meet: a kill before and after it, and each way to
 *  fail. The calls of a run are counted until the fault meets none.
 *  @param by whose calls meet the faults
 *  @param isRefused the endpoint refuses the first attempt, so that the delivery goes through a row
 *  @returns the number of faults that were met
 *  @throws naming the fault, when the delivery was lost or its row is wrong */
export async function deliverUnderEachFault(
  by: readonly Runs[],
  isRefused: boolean,
  onDone: () => void = () => {},
): Promise<number> {
  let met = 0;
  /** Gives the call with this number each fault. @returns whether there is one */
  const meets = async (by: Runs, number: number, boundary: Boundary, nth: number): Promise<boolean> => {
    for (const fault of FAULTS[boundary].filter(each => !IMPOSSIBLE.has(each))) {
      const strike = { boundary, fault, nth, times: 1 };
      if (!(await isMetBy(planOf(isRefused, by, number, strike), strike))) return false;
      met += 1;
      onDone();
    }
    return true;
  };
  for (const one of by)
    for (let number = 0, isRun = true; isRun; number += 1) {
      isRun = false;
      for (const boundary of BOUNDARIES)
        for (let nth = 0; await meets(one, number, boundary, nth); nth += 1) isRun = true;
    }
  return met;
}

async function isMetBy(plan: Plan, strike: Strike): Promise<boolean> {
  const coverage = new Coverage();
  const count = () =>
    coverage.rows.find(([boundary, fault]) => boundary === strike.boundary && fault === strike.fault)?.[2] ??
    0;
  try {
    await run(plan, coverage, world => checkSoonDelivered(world, strike));
    const others = [...plan.router, ...plan.deliverer].flat().filter(each => each !== strike);
    const same = others.filter(each => each.boundary === strike.boundary && each.fault === strike.fault);
    return count() > same.length;
  } catch (error) {
    throw new Error(
      `${(error as Error).message}\n  ${JSON.stringify(plan.router)} ${JSON.stringify(plan.deliverer)}`,
      { cause: error },
    );
  }
}

function planOf(isRefused: boolean, by: Runs, number: number, strike: Strike): Plan {
  const struck = [...Array.from({ length: number }, () => []), [strike]];
  const deliverer = by === 'deliverer' ? struck : [];
  const first = isRefused ? [[REFUSED, ...(deliverer[0] ?? [])], ...deliverer.slice(1)] : deliverer;
  const plan = smallPlan('sqlite', [
    { ...WALK, do: 'run', gap: 0, mode: 'sweep' },
    { ...smallEdit('update project'), do: 'edit', gap: 600_000 },
    { ...WALK, do: 'run', gap: 1_000, mode: 'changes' },
    { do: 'wait', gap: 60_000 },
  ]);
  return { ...plan, together: true, router: by === 'router' ? struck : [], deliverer: first };
}
