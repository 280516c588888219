import { setTimeout as wait } from 'node:timers/promises';
import type { Clock, Sleep } from '../../functions/clock.ts';
import { createDeliver } from '../../functions/create-deliver.ts';
import type { LinkTemplates } from '../../functions/endpoints/chat-links.ts';
import type { EndpointKind, EndpointSecret } from '../../functions/endpoints/endpoint.ts';
import { type EndpointFilter, wants } from '../../functions/endpoints/filter.ts';
import type { EndpointStates } from '../../functions/snapshots/endpoint-states.ts';
import { Failures } from '../deliveries/failures.ts';
import type { LocalTopic } from '../deliveries/topic.ts';
import { LaneQueue } from './lane-queue.ts';
import { endpointLog } from './log.ts';

export interface EndpointOptions {
  readonly name: string;
  readonly kind: EndpointKind;
  readonly secret: EndpointSecret;
  /** Which events it gets; undefined: all. */
  readonly filter: EndpointFilter | undefined;
  readonly topic: LocalTopic;
  readonly states: EndpointStates;
  /** Of the workspaces whose records chats link to. */
  readonly linkTemplates: LinkTemplates;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** A line for people about this endpoint. */
  readonly say: (text: string) => void;
}

/** An endpoint that is served from its rows. */
export interface ServedEndpoint {
  /** Resolves when everything that is due has been tried; rejects when stopped. */
  tried(): Promise<void>;
  /** Takes nothing more. Resolves when what was under way is over, or soon after. */
  stop(): Promise<void>;
}

/** Invocations at once, and what one takes at most: as the event source of the stack has it. */
const INVOCATIONS = 2;
const BATCH = 10;
/** ms that one invocation may take, as on AWS. */
const TIME_LIMIT_MS = 120_000;
/** An attempt may take 15 s, and loses nothing when it is not waited for. */
const STOP_WITHIN_MS = 1000;

/** Serves an endpoint: what an earlier run left is tried at once. */
export async function startEndpoint(options: EndpointOptions): Promise<ServedEndpoint> {
  const { name, kind, topic, clock, sleep, say } = options;
  const failures = new Failures(say, clock);
  const log = endpointLog(say, failures, clock);
  const { filter = {} } = options;
  const lane = topic.open(name, (_, event) => event !== undefined && wants(filter, event));
  await topic.bringForward(name);
  const queue = new LaneQueue(lane, {
    clock,
    onArrival: ({ attempts }) => failures.arrived(attempts > 0),
    // What failed waits for its next try: but when the endpoint is there again, it is tried at once.
    onRecovery: () => topic.bringForward(name),
  });
  const { secret, states, linkTemplates } = options;
  const deliver = createDeliver({
    ...{ states, linkTemplates, clock, sleep },
    log,
    quotes: true,
    endpoints: [{ name, kind, secret: name, queueArn: name, queueUrl: name, deadLetterUrl: name }],
    readSecret: async () => JSON.stringify(secret),
    queues: queue,
    random: Math.random,
    allowLoopback: true,
    count: () => undefined,
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  const serve = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const batch = await lane.take(BATCH, signal);
        const until = clock() + TIME_LIMIT_MS;
        const context = { getRemainingTimeInMillis: () => until - clock() };
        if (batch.length > 0) await queue.settle(batch, records => deliver({ Records: records }, context));
      } catch (error) {
        if (signal.aborted) return;
        log.error('Its deliveries stand still', { error: String(error) });
        await sleep(1000, signal).catch(() => undefined);
      }
    }
  };
  const serving = Array.from({ length: INVOCATIONS }, serve);
  return {
    tried: () => lane.tried(signal),
    async stop() {
      failures.end();
      stopping.abort(new Error(`Endpoint ${name} is not served any more.`));
      await Promise.race([Promise.all(serving), wait(STOP_WITHIN_MS, undefined, { ref: false })]);
      await lane.flush();
    },
  };
}
