import { Coverage } from '../faults.ts';
import { Violation } from '../oracle/violation.ts';
import { virtualTimers } from '../scheduler.ts';
import type { DepthFirst } from './depth-first.ts';
import { TIME_PASSES } from './endpoint-process.ts';
import { EndpointSide, type EndpointWorld, MINUTE } from './endpoint-side.ts';
import { OrderFailed } from './passes.ts';
import { digest, Turns, Walker } from './walker.ts';

/** After the meeting, the rest is found by the ticks alone, as if all messages that wake a drain were lost; or by those messages alone, in
 *  time. */
const AFTERWARDS = ['ticks', 'wakes'] as const;
/** The first retry comes 5 s after a failure, and a hold that a 429 asks for ends after 7 s. */
const SOON_MS = 15_000;

/** Lives through one order of the calls, and judges its end. */
export async function meet(world: EndpointWorld, orders: DepthFirst): Promise<void> {
  const side = new EndpointSide(world, new Coverage());
  const realTimers = virtualTimers(side.scheduler);
  const steps: string[] = [];
  try {
    await side.prepare();
    const ways = await cross(side, world, orders, steps);
    if (ways === undefined) return;
    side.checkEnd();
    // After a failed probe, the next one is left to the ticks.
    const afterwards = AFTERWARDS.slice(0, isProbedAgain(world) ? 1 : undefined);
    const chosen = orders.choose(afterwards.length, () => `${ways} afterwards`);
    if (chosen === undefined) return;
    const by = afterwards[chosen] as (typeof AFTERWARDS)[number];
    steps.push(`the rest by ${by}`);
    await side.settle(by, by === 'wakes' ? SOON_MS : 4 * MINUTE);
  } catch (error) {
    throw new OrderFailed(`${(error as Error).message}\n${steps.map(step => `  ${step}`).join('\n')}`, {
      cause: error,
    });
  } finally {
    realTimers();
  }
}

function isProbedAgain({ isFailing, parties, answers }: EndpointWorld): boolean {
  return isFailing === true && (answers !== undefined || parties.includes('refused'));
}

/** @returns the state at the end; undefined when it came to a state that another order had reached. */
async function cross(
  side: EndpointSide,
  { parties, switches }: EndpointWorld,
  orders: DepthFirst,
  steps: string[],
): Promise<string | undefined> {
  const walkers = parties.map((party, index) => {
    const walker = new Walker(`${'ABC'[index]} (${party})`);
    void side.begin(index, walker).then(() => walker.ends(), side.fail);
    return walker;
  });
  const turns = new Turns(switches);
  const state = () => digest([side.state(), walkers.map(({ state }) => state), turns.state]);
  for (;;) {
    await side.rest();
    side.check();
    const callsOf = (walker: Walker) => walker.waiting.map(waits => ({ walker, waits }));
    // No other party notices a request to the receiver.
    const free = walkers.flatMap(callsOf).find(({ waits }) => waits.boundary === 'endpoint.post');
    const options = free ? [free] : turns.among(walkers).flatMap(callsOf);
    if (options.length === 0) {
      const stuck = walkers.find(({ isUnderWay }) => isUnderWay);
      if (stuck) throw new Violation(11, `${stuck.name} never ends`);
      return digest(side.state());
    }
    const chosen = orders.choose(options.length, state);
    if (chosen === undefined) return undefined;
    const { walker, waits } = options[chosen] as (typeof options)[number];
    const text = `${walker.name}: ${waits.name}`;
    // Time that passes is no other party.
    if (!waits.name.endsWith(TIME_PASSES)) turns.take(walker);
    steps.push(text);
    walker.take(waits, text);
  }
}
