import type { Queue, Serve } from '../../../functions/queue/queue.ts';
import type { Life } from '../life.ts';

export type QueueName = 'events' | 'deliveries' | 'chat' | 'drains';

/** The queues as one process reaches them. */
export type ReachedQueues = Readonly<Record<QueueName, Pick<Queue, 'name' | 'send'>>>;

/** The handlers of the queues. */
export interface Handlers {
  /** The router in a new process. */
  route(life: Life): Serve;
  /** The deliverer in a new process. `runOf` finds the life of the run that calls. */
  deliver(life: Life, runOf: () => Life): Serve;
  /** Whether the plan lets the run fail now to set when this message is shown again. */
  refuses(run: Life, messageId: string): boolean;
}

/** The queues of deliveries, and the processes that serve them. */
export interface Serving {
  /** Whether no run is under way and every queue is empty. */
  readonly isIdle: boolean;
  /** How many runs of the deliverer there were, including the present one. */
  readonly runs: number;
  /** Takes a message that the topic delivers. */
  take(body: string): void;
  reachedBy(life: Life): ReachedQueues;
}
