import { Duration } from 'aws-cdk-lib';
import type { EndpointKind } from '../functions/endpoints/endpoint.ts';

/** Of one run of the deliver function. A chat takes a message a second, and a batch may name up to 100 projects; what a run
 *  can't do in its time it hands back. */
export const DELIVER_TIMEOUT = Duration.minutes(3);

export interface Batching {
  readonly size: number;
  /** How long Lambda waits for a batch to fill. */
  readonly window: Duration;
  /** Runs at once, of this endpoint alone: a receiver that hangs can't take the account's whole concurrency. */
  readonly concurrency: number;
}

const WEBHOOK: Batching = { size: 10, window: Duration.seconds(0), concurrency: 10 };

/** A chat takes one message per second. What more of it there is to do should come in one batch, where the changes of a
 *  project become one message, and not in runs that wait for each other; 2 is Lambda's least. */
const CHAT: Batching = { size: 100, window: Duration.seconds(5), concurrency: 2 };

/** How events of a kind of endpoint reach the deliver function. */
export function batching(kind: EndpointKind): Batching {
  return kind === 'webhook' ? WEBHOOK : CHAT;
}
