import type { Clock, Random } from '../basics/clock.ts';
import type { LinkTemplates } from '../model/endpoint.ts';
import type { SecretStore } from '../model/secret.ts';
import type { BatchDependencies } from './deliver-batch.ts';
import { type Resolve, resolveBySystem } from './http/addresses.ts';
import { guardedAgent } from './http/guarded-agent.ts';
import { createPoster, type PosterOptions, TIMEOUT_MS } from './http/post.ts';
import { jobsOf } from './kinds.ts';
import { createSecrets } from './secrets.ts';

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
export type Sender = Pick<BatchDependencies, 'readSecret' | 'doubtSecret' | 'openPoster' | 'jobsOf'>;

export function senderOf(options: SenderOptions): Sender {
  const { allowLoopback, clock, random, linkTemplates, slowAfter } = options;
  const { resolve = resolveBySystem, timeout = TIMEOUT_MS, openAgent = guardedAgent } = options;
  const open = () => createPoster({ allowLoopback, resolve, timeout, slowAfter, clock, openAgent });
  const kept = options.keepsConnections ? { ...open(), close: async () => undefined } : undefined;
  return {
    ...createSecrets(options.secrets, clock, random),
    openPoster: () => kept ?? open(),
    jobsOf: (letters, endpoint) => jobsOf(letters, { endpoint, linkTemplates }),
  };
}
