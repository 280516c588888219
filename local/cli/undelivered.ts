import { nearest } from '../../functions/basics/nearest.ts';
import { shown } from '../../functions/config/problems.ts';
import { UsageError } from '../basics/usage-error.ts';
import type { RunContext } from '../data/data-directory.ts';
import { queuedDelivery, type Store } from '../data/store.ts';
import { subscriberName } from '../sns/sns.ts';
import type { Output } from '../terminal/output.ts';

/** An endpoint or a subscription of a run. */
export interface Receiver {
  /** The name that people see. */
  readonly label: string;
  /** The name that its deliveries are stored under. */
  readonly kept: string;
}

/** The receivers whose dead letters are to be sent again, by the names that their deliveries are stored under.
 *  @throws UsageError for a name that no receiver has */
export function resendOf(names: readonly string[], receivers: readonly Receiver[]): ReadonlySet<string> {
  const labels = receivers.map(({ label }) => label);
  return new Set(
    names.flatMap(name => {
      const named = receivers.filter(({ label }) => label === name);
      return named.length > 0 ? named.map(({ kept }) => kept) : refuse(name, labels);
    }),
  );
}

function refuse(name: string, known: readonly string[]): never {
  const meant = nearest(name, known);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  const others = known.length === 0 ? 'no endpoints are set' : `known endpoints: ${known.join(', ')}`;
  throw new UsageError(`--resend: unknown endpoint ${shown(name)}; ${others}.${hint}`);
}

/** The undelivered events of a run's receivers. */
export interface Undelivered {
  /** Logs them. @returns whether everything was delivered, without new dead letters in this run */
  isEmpty(): Promise<boolean>;
}

interface Parts extends Pick<RunContext, 'directory'>, Pick<Store, 'deliveries'> {
  readonly output: Pick<Output, 'info' | 'warn'>;
  /** Receivers whose dead letters are sent again, by the names that their deliveries are stored under. */
  readonly resend: ReadonlySet<string>;
}

/** Logs the backlog of each receiver at a start. First, the dead letters of those in `resend` are requeued. */
export async function resumePending(
  { deliveries, output, resend, directory: { lasting } }: Parts,
  receivers: readonly Receiver[],
  now: number,
): Promise<Undelivered> {
  const formerDead = new Map<string, number>();
  for (const { kept, label } of receivers) {
    const info = (code: string, text: string) => output.info(`${label}: ${text}`, { code, endpoint: label });
    if (resend.has(kept)) {
      const count = await deliveries.requeue(kept, now);
      const resent = count === 0 ? 'no dead letters to resend' : `resending ${lettersOf(count)}`;
      info('endpoint.dead-letters-requeued', resent);
    }
    const { pending, oldest, dead } = await deliveries.counts(kept);
    if (oldest !== undefined) {
      const since = new Date(oldest).toISOString();
      info('endpoint.backlog-resumed', `resuming with ${undeliveredOf(pending)}, oldest ${since}`);
    }
    if (dead > 0)
      info('endpoint.dead-letters', `${lettersOf(dead)}; start with --resend ${label} to send them again`);
    formerDead.set(kept, dead);
  }
  const isDone = async ({ kept, label }: Receiver): Promise<boolean> => {
    const warn = (code: string, text: string) => output.warn(`${label}: ${text}`, { code, endpoint: label });
    const { pending, dead } = await deliveries.counts(kept);
    const made = dead - (formerDead.get(kept) ?? 0);
    if (pending > 0)
      warn(
        'endpoint.undelivered',
        `${undeliveredOf(pending)}, ${lasting ? 'kept for the next start' : 'not kept'}`,
      );
    if (made > 0)
      warn('endpoint.gave-up', `${gaveUpOn(made)}, ${lasting ? 'kept as dead letters' : 'not kept'}`);
    return pending === 0 && made === 0;
  };
  return {
    isEmpty: async () => {
      const done: boolean[] = [];
      for (const receiver of receivers) done.push(await isDone(receiver));
      return done.every(Boolean);
    },
  };
}

const undeliveredOf = (count: number): string => `${count} undelivered ${count === 1 ? 'event' : 'events'}`;
const gaveUpOn = (count: number): string => `gave up on ${count} ${count === 1 ? 'event' : 'events'}`;
const lettersOf = (count: number): string => `${count} dead ${count === 1 ? 'letter' : 'letters'}`;

/** How long deliveries wait from the first start without their endpoint: as long as a delivery is retried. */
const MAX_ABANDONED_MS = 3 * 24 * 3_600_000;
const NOT_SERVED = 'the endpoint is no longer configured';

/** Deliveries for endpoints that this run does not serve wait for three days, and each start reports
 *  them. Then they become dead letters, which expire, so that the file does not grow for ever.
 *  @param served what this run serves */
export async function reportAbandoned(
  {
    deliveries,
    endpoints,
    queues,
    output,
  }: Pick<Store, 'deliveries' | 'endpoints' | 'queues'> & {
    output: Pick<Output, 'warn'>;
  },
  served: readonly Receiver[],
  now: number,
): Promise<void> {
  const names = new Set(served.map(({ kept }) => kept));
  for (const name of await deliveries.endpoints()) {
    if (names.has(name)) continue;
    await keepInRows(name, { queues, deliveries });
    // The former run served it: this start removes its row.
    if (await endpoints.read(name)) await deliveries.waitSince(name, now);
    const death = { at: now, reason: NOT_SERVED };
    const { length: dead } = await deliveries.deadLetterBefore(name, now - MAX_ABANDONED_MS, death);
    const { pending } = await deliveries.counts(name);
    // A subscription that is no longer configured is unsubscribed, and needs nothing more.
    if (name.startsWith(subscriberName(''))) continue;
    const warn = (code: string, text: string) => output.warn(`${name}: ${text}`, { code, endpoint: name });
    if (dead > 0) warn('endpoint.gave-up', `${gaveUpOn(dead)}, kept as dead letters.`);
    if (pending > 0)
      warn('endpoint.backlog-abandoned', `${undeliveredOf(pending)}. Start with its URL again to send them.`);
  }
}

/** Makes rows of the messages for an endpoint that this run does not serve: the consumers drop messages for unknown
 *  endpoints. */
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
