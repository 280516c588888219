import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Clock, Random, Sleep } from './clock.ts';
import { deliverBatch } from './delivery/deliver-batch.ts';
import type { ChatFormat } from './delivery/jobs.ts';
import type { Queues } from './delivery/queues.ts';
import type { LinkTemplates } from './endpoints/chat-links.ts';
import type { EndpointSettings } from './endpoints/endpoint.ts';
import { guardedAgent, type Resolve, resolveBySystem } from './endpoints/guarded-agent.ts';
import { createPoster, type PosterOptions, TIMEOUT_MS } from './endpoints/post.ts';
import { type RetryTiming, STANDARD_TIMING } from './endpoints/retries.ts';
import { createSecrets } from './endpoints/secrets.ts';
import { slackMessages } from './endpoints/slack.ts';
import { teamsMessages } from './endpoints/teams.ts';
import type { EndpointStates } from './snapshots/endpoint-states.ts';
import type { Count, Log } from './telemetry.ts';

/** What Lambda's context tells of the time that is left. */
export interface DeliverContext {
  getRemainingTimeInMillis(): number;
}

export type Deliver = (event: SQSEvent, context?: DeliverContext) => Promise<SQSBatchResponse>;

export interface DeliverDependencies {
  readonly endpoints: readonly EndpointSettings[];
  /** The text of a secret, by its name or ARN. */
  readonly readSecret: (secretId: string) => Promise<string>;
  readonly states: EndpointStates;
  readonly queues: Queues;
  /** Of the workspaces whose records chats link to. */
  readonly linkTemplates?: LinkTemplates;
  readonly clock: Clock;
  readonly random: Random;
  readonly sleep: Sleep;
  /** Whether receivers may be on this machine, and then by http too. */
  readonly allowLoopback: boolean;
  readonly log: Log;
  readonly count: Count;
  /** Whether the log quotes what endpoints answer. */
  readonly quotes?: boolean;
  /** ms for each request; 15 s by default. */
  readonly timeout?: number;
  /** By default that of Standard Webhooks, over three days. */
  readonly timing?: RetryTiming;
  readonly resolve?: Resolve;
  /** Opens what one batch's posts go through; see `PosterOptions`. */
  readonly openAgent?: PosterOptions['openAgent'];
}

/** The deliverer: messages of the endpoints' queues in, HTTP requests out. What it returns stays in its queue, and is shown
 *  again when the message's age, or the endpoint's answer, says so. */
export function createDeliver(dependencies: DeliverDependencies): Deliver {
  const {
    clock,
    log,
    resolve = resolveBySystem,
    timeout = TIMEOUT_MS,
    timing = STANDARD_TIMING,
  } = dependencies;
  const endpoints = new Map(dependencies.endpoints.map(endpoint => [endpoint.queueArn, endpoint]));
  const readSecret = createSecrets(dependencies.readSecret, clock);
  const { allowLoopback, quotes, openAgent = guardedAgent } = dependencies;
  const chatFormats = chatFormatsWith(dependencies.linkTemplates);
  const openPoster = () => createPoster({ allowLoopback, resolve, timeout, clock, quotes, openAgent });

  return async ({ Records }, context) => {
    const remaining = () => context?.getRemainingTimeInMillis() ?? Number.POSITIVE_INFINITY;
    const batch = { ...dependencies, timing, readSecret, openPoster, chatFormats, remaining };
    const groups = Map.groupBy(Records, ({ eventSourceARN }) => eventSourceARN);
    const again = await Promise.all(
      [...groups].map(([arn, records]) => {
        const endpoint = endpoints.get(arn);
        return endpoint ? deliverBatch(endpoint, records, batch) : unknownQueue(arn, records);
      }),
    );
    return { batchItemFailures: again.flat().map(itemIdentifier => ({ itemIdentifier })) };
  };

  function unknownQueue(arn: string, records: readonly SQSRecord[]): string[] {
    log.error(`No endpoint has the queue ${arn}; its messages stay there. Deploy again.`);
    return records.map(({ messageId }) => messageId);
  }
}

function chatFormatsWith(templates: LinkTemplates | undefined): Record<'slack' | 'teams', ChatFormat> {
  return {
    slack: events => slackMessages(events, templates),
    teams: events => teamsMessages(events, templates),
  };
}
