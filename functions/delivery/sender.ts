import type { Clock, Random } from '../basics/clock.ts';
import type { EndpointSettings, LinkTemplates } from '../model/endpoint.ts';
import type { SecretStore } from '../model/secret.ts';
import { type Resolve, resolveBySystem } from './http/addresses.ts';
import { guardedAgent } from './http/guarded-agent.ts';
import { createPoster, type Poster, type PosterOptions, TIMEOUT_MS } from './http/post.ts';
import { type Jobs, jobsOf, type ReadDelivery } from './kinds.ts';
import { createSecrets, type EndpointSecrets } from './secrets.ts';

export interface SenderOptions {
  /** Where endpoints' addresses and signing secrets are. */
  readonly secrets: SecretStore;
  /** Where chats link to, for the workspaces that have such templates. */
  readonly linkTemplates?: LinkTemplates;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether receivers may be on this machine; these may then use http. */
  readonly allowLoopback: boolean;
  /** ms for each request; 15 s by default. */
  readonly timeout?: number;
  /** ms until an endpoint counts as slow; 1 s by default. */
  readonly slowAfter?: number;
  readonly resolve?: Resolve;
  /** Keeps connections open for a moment after a batch, for the next one. Not on AWS, where a function is frozen between its runs. */
  readonly keepsConnections?: boolean;
  /** Opens what one batch's posts go through; see `PosterOptions`. */
  readonly openAgent?: PosterOptions['openAgent'];
}

/** What it takes to send deliveries: secrets, connections, and what requests are made of events. */
export interface Sender extends EndpointSecrets {
  readonly openPoster: () => Poster;
  /** The requests that deliver these events. */
  readonly jobsOf: (deliveries: readonly ReadDelivery[], endpoint: EndpointSettings) => Jobs;
}

export function senderOf(options: SenderOptions): Sender {
  const { allowLoopback, clock, random, linkTemplates, slowAfter } = options;
  const { resolve = resolveBySystem, timeout = TIMEOUT_MS, openAgent = guardedAgent } = options;
  const open = () => createPoster({ allowLoopback, resolve, timeout, slowAfter, clock, openAgent });
  const kept = options.keepsConnections ? { ...open(), close: async () => undefined } : undefined;
  return {
    ...createSecrets(options.secrets, clock, random),
    openPoster: () => kept ?? open(),
    jobsOf: (deliveries, endpoint) => jobsOf(deliveries, { endpoint, linkTemplates }),
  };
}
