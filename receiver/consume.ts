import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyRecords, RecordTypes, SentEvent } from './event.ts';
import { type Ask, isFinal, operationsOf, type Source } from './operations.ts';

/** What to consume, and how. */
export interface ConsumeOptions {
  /** The name of an endpoint of kind `pull`. */
  readonly endpoint: string;
  /** The run or the stack: `{ data: '.changewire' }` or `{ stack: 'Changewire', region: 'eu-central-1' }`. */
  readonly from: Source;
  /** The maximum number of events that are taken at once, from 1 to 100; 10 by default. */
  readonly limit?: number | undefined;
  /** How long the events that were taken at once may be processed, in s, up to 43,200; 60 by default. After that,
   *  another consumer gets those that are left. */
  readonly lease?: number | undefined;
  /** Ends the loop after the current event. */
  readonly signal?: AbortSignal | undefined;
  /** Called when a request got no answer, which by default emits a warning of the process. It is repeated, unless the
   *  loop ends by `break` or an error. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

interface Taken<Types extends RecordTypes> {
  readonly events: readonly { readonly event: SentEvent<Types>; readonly receipt: string }[];
}

const EMPTY_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** The rest of the lease with which no further event is begun. */
const LEASE_RESERVE_MS = 5_000;

/** The events of a pull endpoint, one after the other, without an end. An event counts as processed when the loop asks
 *  for the next one. A loop that ends by `break` or an error returns its event and those after it: another consumer
 *  gets them, or this one the next time. Each event comes at least once; those of a project in order, if each consumer
 *  processes its events within the lease.
 *
 *      for await (const event of consume({ endpoint: 'crm', from: { data: '.changewire' } })) await store(event);
 *
 *  @throws Error for a request that is refused, such as one for an endpoint that does not exist, and for a stack,
 *  package or permission that is missing */
export async function* consume<Types extends RecordTypes = AnyRecords>({
  endpoint,
  from,
  limit = 10,
  lease = 60,
  signal,
  onError = error =>
    process.emitWarning(`No answer for endpoint ${endpoint} from ${JSON.stringify(from)}: ${error}`),
}: ConsumeOptions): AsyncGenerator<SentEvent<Types>, void, undefined> {
  const ask = repeated(operationsOf(from), { signal, onError });
  while (!signal?.aborted) {
    const until = Date.now() + lease * 1000 - Math.min(LEASE_RESERVE_MS, lease * 500);
    const { events = [] } = (await ask<Taken<Types>>({ operation: 'take', endpoint, limit, lease })) ?? {};
    if (events.length === 0) await sleep(EMPTY_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    const receipts = events.map(({ receipt }) => receipt);
    let processed = 0;
    let isEnding = true;
    try {
      for (const { event } of events) {
        if (signal?.aborted || Date.now() > until) break;
        yield event;
        processed += 1;
      }
      isEnding = false;
    } finally {
      const [done, left] = [receipts.slice(0, processed), receipts.slice(processed)];
      // Repeated, they would hide the error that ends the loop for as long as no answer comes.
      if (done.length > 0) await ask({ operation: 'ack', endpoint, receipts: done }, isEnding);
      if (left.length > 0) await ask({ operation: 'nack', endpoint, receipts: left }, isEnding);
    }
  }
}

/** Repeats a request until it gets an answer, unless it `isLast`. Undefined without an answer. */
function repeated(ask: Ask, { signal, onError }: Required<Pick<ConsumeOptions, 'signal' | 'onError'>>) {
  return async <Answer>(request: object, isLast = false): Promise<Answer | undefined> => {
    for (let pause = EMPTY_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      try {
        return await ask<Answer>(request);
      } catch (error) {
        if (isFinal(error)) throw error;
        onError?.(error);
        if (isLast) return undefined;
        await sleep(pause, undefined, { signal }).catch(() => undefined);
        if (signal?.aborted) return undefined;
      }
    }
  };
}
