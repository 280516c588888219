import { Violation } from './oracle/violation.ts';
import type { Plan } from './plan.ts';
import type { Receiver } from './receiver.ts';
import { PROCESS } from './shared.ts';
import type { World } from './world.ts';

/** Until no message to a chat counts towards a burst any more. */
const EMPTY_MS = 600_000;
/** From the commit, or the end of a window, to the endpoint: two ticks, and the time for which a chat waits for more. */
const DELIVERY_MS = 150_000;

/** Checks that, with all in order, a change reaches each endpoint of the configuration as soon as its settings allow. */
export async function checkArrivals(
  world: World,
  { unwelcome }: Plan,
  run: () => Promise<void>,
): Promise<void> {
  const { delivery, deliveries, commits, scheduler } = world;
  const { backend, history } = world.service;
  const [record] = backend.edit.projects(PROCESS);
  if (record === undefined) return;
  await world.resumeEndpoints({ all: true });
  await world.pass(EMPTY_MS);
  const before = commits.events.length;
  backend.edit.updateProject(PROCESS, String(record.id ?? record.projectId), { state: 'After all' });
  history.note();
  await run();
  const ids = commits.events.slice(before).map(({ id }) => id);
  // What a webhook refuses for ever holds up the rest.
  const names = delivery.configured.filter(kind => unwelcome === undefined || kind !== 'webhook');
  const committed = scheduler.now;
  for (const receiver of names.map(name => delivery.receivers.get(name) as Receiver)) {
    const lacking = () => ids.filter(id => !deliveries.has(receiver.name, id));
    let latest = 0;
    const isLate = () => {
      // The first of them may have begun a window in which the others wait.
      if (scheduler.now > latest) latest = receiver.opensAt(committed) + DELIVERY_MS;
      return scheduler.now > latest;
    };
    await world.until(() => isLate() || lacking().length === 0, 'the last change arrives');
    if (lacking().length > 0)
      throw new Violation(
        12,
        `${receiver.name} lacks ${lacking()} at ${new Date(scheduler.now).toISOString()}, with all in order`,
      );
  }
}
