import { nearest } from '../../functions/basics/nearest.ts';
import { shown } from '../../functions/config/problems.ts';
import { UsageError } from '../basics/usage-error.ts';
import type { RunContext } from '../data/data-directory.ts';
import { queuedDelivery, type Store } from '../data/store.ts';
import { subscriberName } from '../sns/sns.ts';
import type { Output } from '../terminal/output.ts';

/** An endpoint or a subscription of a run. */
export interface Receiver {
  /** The name in what people read. */
  readonly label: string;
  /** The name that its deliveries are kept under. */
  readonly kept: string;
}

/** The receivers whose dead letters are to be sent again, by the names that their deliveries are kept under.
 *  @throws UsageError for a name that no receiver has */
export function resendOf(names: readonly string[], receivers: readonly Receiver[]): ReadonlySet<string> {
  const labels = receivers.map(({ label }) => label);
  return new Set(
    names.map(name => receivers.find(({ label }) => label === name)?.kept ?? refuse(name, labels)),
  );
}

function refuse(name: string, known: readonly string[]): never {
  const meant = nearest(name, known);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  const others = known.length === 0 ? 'this start has no endpoint' : `this start has ${known.join(', ')}`;
  throw new UsageError(`--resend takes the name of an endpoint: ${others}, and no ${shown(name)}.${hint}`);
}

/** What the receivers of a run have yet to get. */
export interface Undelivered {
  /** Logs it. @returns true when there is nothing, and this run has made no dead letter */
  isNone(): Promise<boolean>;
}

interface Parts extends Pick<RunContext, 'directory'>, Pick<Store, 'deliveries'> {
  readonly output: Pick<Output, 'say' | 'warn'>;
  /** Those whose dead letters are sent again, by the names that their deliveries are kept under. */
  readonly resend: ReadonlySet<string>;
}

/** Logs at a start what each receiver has yet to get. The dead letters of those that `resend` names wait again first. */
export async function takeUp(
  { deliveries, output, resend, directory: { lasting } }: Parts,
  receivers: readonly Receiver[],
  now: number,
): Promise<Undelivered> {
  const formerDead = new Map<string, number>();
  for (const { kept, label } of receivers) {
    const say = (text: string) => output.say(`${label}: ${text}`, { endpoint: label });
    if (resend.has(kept)) {
      const count = await deliveries.requeue(kept, now);
      say(count === 0 ? 'has no dead letters to send again' : `sends its dead letters again: ${count}`);
    }
    const { pending, oldest, dead } = await deliveries.counts(kept);
    if (oldest !== undefined)
      say(`goes on with what is undelivered: ${pending}, since ${new Date(oldest).toISOString()}`);
    if (dead > 0) say(`has dead letters: ${dead}. --resend ${label} sends them again`);
    formerDead.set(kept, dead);
  }
  const isDone = async ({ kept, label }: Receiver): Promise<boolean> => {
    const warn = (text: string) => output.warn(`${label}: ${text}`, { endpoint: label });
    const { pending, dead } = await deliveries.counts(kept);
    const made = dead - (formerDead.get(kept) ?? 0);
    if (pending > 0) warn(`undelivered: ${pending}, ${lasting ? 'kept for the next start' : 'not kept'}`);
    if (made > 0) warn(`given up: ${made}, ${lasting ? 'kept as dead letters' : 'not kept'}`);
    return pending === 0 && made === 0;
  };
  return {
    isNone: async () => {
      const done: boolean[] = [];
      for (const receiver of receivers) done.push(await isDone(receiver));
      return done.every(Boolean);
    },
  };
}

/** How long deliveries wait for an endpoint that this run does not serve: as long as a delivery is tried. */
const KEPT_PENDING_MS = 3 * 24 * 3_600_000;
const NOT_ASKED_FOR = 'the endpoint was not asked for any more';

/** Deliveries for endpoints that this run does not serve wait for three days, and each start reports
 *  them. Then they become dead letters, which expire, so that the file does not grow for ever.
 *  @param served the names that deliveries are kept under and that this run serves */
export async function reportAbandoned(
  { deliveries, queues, output }: Pick<Store, 'deliveries' | 'queues'> & { output: Pick<Output, 'warn'> },
  served: ReadonlySet<string>,
  now: number,
): Promise<void> {
  for (const name of await deliveries.endpoints()) {
    if (served.has(name)) continue;
    await keepInRows(name, { queues, deliveries });
    await deliveries.deadLetterBefore(name, now - KEPT_PENDING_MS, { at: now, reason: NOT_ASKED_FOR });
    const { pending } = await deliveries.counts(name);
    // A subscription that is not asked for is unsubscribed, and needs nothing more.
    if (pending === 0 || name.startsWith(subscriberName(''))) continue;
    output.warn(`${name}: undelivered: ${pending}. Give its URL again, and they are sent.`, {
      endpoint: name,
    });
  }
}

/** Makes rows of the messages for an endpoint that this run does not serve: they would be dropped as those of an unknown endpoint.
 */
async function keepInRows(
  endpoint: string,
  { queues, deliveries }: Pick<Store, 'queues' | 'deliveries'>,
): Promise<void> {
  for (const queue of [queues.deliveries, queues.chat]) {
    const messages = queue.messagesOf(endpoint);
    if (messages.length === 0) continue;
    await deliveries.add(messages.map(message => queuedDelivery(endpoint, message)));
    await queue.delete(messages);
  }
}
