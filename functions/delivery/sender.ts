import type { Clock, Random } from '../basics/clock.ts';
import type { Networks } from '../basics/networks.ts';
import { type Resolve, resolveBySystem } from '../basics/proxy.ts';
import type { EndpointSecret, EndpointSettings, LinkTemplates } from '../model/endpoint.ts';
import { readSecretIn, type SecretStore } from '../model/secret.ts';
import { mailSender, type SendBySes } from './email/send-mail.ts';
import { guardedAgent } from './http/guarded-agent.ts';
import { createPoster, MAIL_TIMEOUT_MS, type Poster, type PosterOptions, TIMEOUT_MS } from './http/post.ts';
import { type Jobs, jobsOf, openFlood, openWindow, type ReadDelivery, type Summary } from './kinds.ts';

export interface SenderOptions {
  readonly secrets: SecretStore;
  readonly linkTemplates?: LinkTemplates;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether receivers may be on this machine; these may then use http. */
  readonly allowLoopback: boolean;
  /** The networks of the configuration, in which private addresses and http are allowed. */
  readonly networks?: Networks | undefined;
  /** The proxy of the configuration, for endpoints outside of the networks. */
  readonly proxy?: string | undefined;
  /** ms for each request; by default 15 s, and 45 s for a mail. */
  readonly timeout?: number;
  /** ms until an endpoint counts as slow; 1 s by default. */
  readonly slowAfter?: number;
  readonly resolve?: Resolve;
  /** Keeps connections open for the next batch. Not on AWS, where a function is frozen between its runs. */
  readonly keepsConnections?: boolean;
  /** Sends mails by SES: on AWS only. */
  readonly sendBySes?: SendBySes;
  readonly openAgent?: PosterOptions['openAgent'];
}

export interface Sender extends EndpointSecrets {
  readonly openPoster: () => Poster;
  /** The requests that deliver these events. */
  readonly jobsOf: (deliveries: readonly ReadDelivery[], endpoint: EndpointSettings) => Jobs;
  readonly openFlood: (endpoint: EndpointSettings) => Summary;
  readonly openWindow: (endpoint: EndpointSettings) => Summary;
}

export function senderOf(options: SenderOptions): Sender {
  const { allowLoopback, networks, proxy, clock, random, linkTemplates, slowAfter, sendBySes } = options;
  const { resolve = resolveBySystem, timeout = TIMEOUT_MS, openAgent = guardedAgent } = options;
  const ways = { allowLoopback, networks, proxy, resolve, timeout, clock };
  const sendMail = mailSender({ ...ways, sendBySes });
  const mailTimeout = options.timeout ?? MAIL_TIMEOUT_MS;
  const open = () => createPoster({ ...ways, mailTimeout, slowAfter, sendMail, openAgent });
  const kept = options.keepsConnections ? { ...open(), close: async () => undefined } : undefined;
  return {
    ...createSecrets(options.secrets, clock, random),
    openPoster: () => kept ?? open(),
    jobsOf: (deliveries, endpoint) => jobsOf(deliveries, { endpoint, linkTemplates }),
    openFlood: endpoint => openFlood({ endpoint, linkTemplates }),
    openWindow: endpoint => openWindow({ endpoint, linkTemplates }),
  };
}

/** Parameter Store takes 40 reads a second for all of an account. The expiry is spread, so that secrets that
 *  were read together are not read together again. */
const KEPT_MS = 10 * 60_000;
const KEPT_JITTER_MS = 5 * 60_000;
/** For a secret that may be out of date: its receiver refused it, or it was just written, and the read may have
 *  returned the old one. */
const KEPT_IN_DOUBT_MS = 20_000;
const JUST_WRITTEN_MS = 60_000;

interface SecretReading {
  /** The revision of the secret in the endpoint's row: when it was last written, in ms since 1970. */
  readonly revision?: number | undefined;
  /** Called when the secret was read from its store, not from memory. */
  readonly onRead?: ((secret: EndpointSecret) => Promise<void>) | undefined;
}

/** Endpoints' secrets, as they are read for delivering. */
interface EndpointSecrets {
  readonly readSecret: (
    endpoint: Pick<EndpointSettings, 'name' | 'kind'>,
    reading?: SecretReading,
  ) => Promise<EndpointSecret>;
  /** Notes that the receiver refused a request, so that the secret may have changed. */
  readonly doubtSecret: (endpoint: string) => void;
}

interface Kept {
  readonly secret: EndpointSecret;
  readonly revision: number | undefined;
  readonly at: number;
  readonly until: number;
}

/** Caches each secret for 10 to 15 minutes, or until its revision changes; failures are not cached. A change that
 *  bypasses the operations takes effect after that time, or once the receiver refuses the old secret.
 *  @throws an error that names the endpoint, its secret and the remedy, never the secret's content */
export function createSecrets(store: SecretStore, clock: Clock, random: Random): EndpointSecrets {
  const kept = new Map<string, Kept>();
  return {
    async readSecret(endpoint, { revision, onRead } = {}) {
      const known = kept.get(endpoint.name);
      const at = clock();
      const isKept = known && known.at <= at && at < known.until;
      if (isKept && known.revision === revision) return known.secret;
      const secret = await readSecretIn(store, endpoint);
      const isNew = revision !== undefined && at - revision < JUST_WRITTEN_MS;
      const time = isNew ? KEPT_IN_DOUBT_MS : KEPT_MS + random() * KEPT_JITTER_MS;
      kept.set(endpoint.name, { secret, revision, at, until: at + time });
      await onRead?.(secret);
      return secret;
    },
    doubtSecret(name) {
      const known = kept.get(name);
      if (known) kept.set(name, { ...known, until: Math.min(known.until, known.at + KEPT_IN_DOUBT_MS) });
    },
  };
}
