import type { Clock } from '../../functions/basics/clock.ts';
import type { Output } from '../basics/output.ts';
import { Failures } from '../endpoints/failures.ts';
import type { WantedSubscription } from '../settings/wanted-subscriptions.ts';
import type { Notice } from '../sns/subscription.ts';

/** Reports what happens to the subscriptions, each by the name that people gave it. */
export function subscriptionTeller(
  output: Pick<Output, 'say' | 'warn'>,
  wanted: readonly Pick<WantedSubscription, 'name' | 'label'>[],
  clock: Clock,
): (notice: Notice) => void {
  const labels = new Map(wanted.map(({ name, label }) => [name, label]));
  const failures = new Map<string, Failures>();
  const failuresOf = (name: string, warn: (text: string) => void): Failures => {
    const known = failures.get(name) ?? new Failures(warn, clock);
    failures.set(name, known);
    return known;
  };
  return ({ kind, name, text, attempt }) => {
    const label = labels.get(name) ?? name;
    const about = { endpoint: label };
    const warn = (line: string) => output.warn(`${label}: ${line}`, about);
    if (kind === 'confirmed') return output.say(`${label}: ${text}`, about);
    if (attempt === undefined) return warn(text);
    const { eventId, attempts, failure, pause } = attempt;
    const told = failuresOf(name, warn);
    if (failure === undefined) told.arrived(attempts > 1);
    else if (pause === undefined) told.gaveUp({ eventId, ...failure });
    else told.failed({ eventId, ...failure, pause });
  };
}
