import { setTimeout as wait } from 'node:timers/promises';
import type { SNSClient } from '@aws-sdk/client-sns';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Clock, Sleep } from '../../functions/clock.ts';
import { createDeliver } from '../../functions/create-deliver.ts';
import { sqsQueues } from '../../functions/delivery/queues.ts';
import type { EndpointKind, EndpointSecret } from '../../functions/endpoints/endpoint.ts';
import type { EndpointStates } from '../../functions/snapshots/endpoint-states.ts';
import type { Log } from '../../functions/telemetry.ts';
import type { QueuedMessage } from '../sns/emulator.ts';
import { type EndpointDeadLetters, endpointDeadLetters } from './dead-letters.ts';
import { startPoller } from './poller.ts';
import { createEndpointQueues } from './queues.ts';
import { Spool } from './spool.ts';
import { SpoolFile } from './spool-file.ts';
import { returned, spooling, waitingOnlyIn } from './spooling.ts';

export interface EndpointOptions {
  readonly name: string;
  readonly kind: EndpointKind;
  readonly secret: EndpointSecret;
  readonly topicArn: string;
  readonly sns: SNSClient;
  /** A client of `useQueueUrlAsEndpoint: false`. */
  readonly sqs: SQSClient;
  /** Every message of a queue, without receiving it. */
  readonly look: (queueName: string) => Promise<readonly QueuedMessage[]>;
  readonly states: EndpointStates;
  /** Where undelivered messages and dead letters are kept. */
  readonly dataDirectory: string;
  readonly spoolPath: string;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: Log;
  readonly onTrouble: (error: unknown) => void;
}

/** An endpoint that is served from its queue. */
export interface ServedEndpoint {
  readonly spool: Pick<Spool, 'path' | 'size' | 'untried'>;
  readonly deadLetters: EndpointDeadLetters;
  /** Resolves when everything published so far is delivered or on disk. */
  secured(): Promise<void>;
  /** Takes nothing more. Resolves when what was under way is over, or soon after. */
  stop(): Promise<void>;
}

/** How often parked messages are looked through, in ms. */
const LOOK_EVERY = 250;
/** An attempt may take 15 s, and loses nothing when it is not waited for. */
const STOP_WITHIN = 1000;

/** Makes the endpoint's queues, puts into them what an earlier run left, and serves them. */
export async function startEndpoint(options: EndpointOptions): Promise<ServedEndpoint> {
  const { name, topicArn, sqs, look, dataDirectory, spoolPath, clock, sleep, onTrouble } = options;
  const queues = await createEndpointQueues(options, { name, topicArn });
  const spool = new Spool(new SpoolFile(spoolPath), clock());
  const deadLetters = endpointDeadLetters(dataDirectory, name, clock);
  const ours = { ...sqsQueues(sqs), moveToDeadLetters: deadLetters.move };
  const deliver = spooling({ spool, queues: ours, clock }, queuesOfDeliverer =>
    createDeliver({
      ...options,
      endpoints: [{ ...queues, name, kind: options.kind, secret: name }],
      readSecret: async () => JSON.stringify(options.secret),
      queues: queuesOfDeliverer,
      random: Math.random,
      allowLoopback: true,
      count: () => undefined,
    }),
  );
  const poller = startPoller({ ...queues, sqs, deliver, sleep, onTrouble });
  const stopping = new AbortController();
  const returning = returnDue({ ...options, queueUrl: queues.queueUrl, spool, signal: stopping.signal });
  return {
    spool,
    deadLetters,
    secured: () => spool.secure(async () => waitingOnlyIn(await look(name))),
    async stop() {
      stopping.abort();
      await Promise.race([Promise.all([poller.stop(), returning]), wait(STOP_WITHIN)]);
    },
  };
}

/** Puts parked messages back into the queue when they are due, until `signal` aborts. */
async function returnDue(
  parts: Pick<EndpointOptions, 'sqs' | 'clock' | 'sleep' | 'onTrouble'> & {
    queueUrl: string;
    spool: Spool;
    signal: AbortSignal;
  },
): Promise<void> {
  const { spool, sqs, queueUrl, clock, sleep, onTrouble, signal } = parts;
  const send = async (key: string): Promise<void> => {
    try {
      await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, ...returned(key) }));
    } catch (error) {
      spool.putBack(key);
      if (!signal.aborted) onTrouble(error);
    }
  };
  while (!signal.aborted) {
    for (const { key } of spool.takeDue(clock())) await send(key);
    await sleep(LOOK_EVERY, signal).catch(() => undefined);
  }
}
