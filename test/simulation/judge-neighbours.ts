import { Violation } from './oracle/violation.ts';
import { SICKNESSES } from './plan/service.ts';
import type { Plan } from './plan.ts';
import { processIn } from './service-side.ts';
import type { World } from './world.ts';

/** What the passes of a message may need in all beside what their own requests take: calls of the table, and the begin and end of the run. */
const OWN_MS = 10_000;
const REQUEST_MS = 1_000;

/** Checks that one process whose requests fail, hang or take long delays no other of the same message beyond its own requests, and lets none of them
 *  fail. */
export async function checkNeighbours(world: World, { seed }: Plan): Promise<void> {
  const sick = world.processes[1]?.id;
  if (sick === undefined) return;
  const { service, pollers, scheduler } = world;
  const how = SICKNESSES[seed % SICKNESSES.length] ?? '500';
  service.edit({ edit: 'touch project', a: 0, b: 0, value: 0, by: [0], audit: false, touch: true });
  service.sicken(sick, how);
  service.exchanges.length = 0;
  const began = scheduler.now;
  const all = world.processes.map(({ id }) => id);
  const processes = seed % 3 === 0 ? all.toReversed() : all;
  const run = pollers.run({ mode: 'changes', budget: 900_000, strikes: [], processes });
  const ended = await world.done(run, 'a run with a sick process ends');
  service.heal();
  const report = ended && 'report' in ended ? ended.report : undefined;
  for (const processId of processes.filter(id => id !== sick)) {
    const polled = report?.processes.get(processId);
    const outcome = polled && ('report' in polled ? polled.report.outcome : polled.error.message);
    if (outcome !== 'completed')
      throw new Violation(12, `beside ${sick}, whose requests are ${how}, ${processId} ended as ${outcome}`);
  }
  checkDelays(world, sick, began);
}

/** Checks that the requests of the others were not put off but while one of the sick process was under way. */
function checkDelays({ service }: World, sick: string, began: number): void {
  const others = service.exchanges.filter(({ path }) => processIn(path) !== sick);
  const last = Math.max(began, ...others.map(({ until }) => until));
  const own = service.exchanges.filter(({ path }) => processIn(path) === sick);
  const idle = last - began - covered(own, began, last);
  const most = OWN_MS + REQUEST_MS * others.length;
  if (idle > most)
    throw new Violation(12, `a sick process, ${sick}, delayed others by ${idle} ms beyond its requests`);
}

interface Span {
  readonly since: number;
  readonly until: number;
}

/** How long at least one of these was under way between two times. */
function covered(spans: readonly Span[], from: number, to: number): number {
  let [sum, end] = [0, from];
  for (const { since, until } of spans.toSorted((one, other) => one.since - other.since)) {
    const [begin, last] = [Math.max(since, end), Math.min(until, to)];
    if (last <= begin) continue;
    sum += last - begin;
    end = last;
  }
  return sum;
}
