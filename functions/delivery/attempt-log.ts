import type { Attempt } from '../model/delivery.ts';
import type { EndpointSecret, EndpointSettings } from '../model/endpoint.ts';
import { originOf } from '../model/secret.ts';
import type { Deliveries } from '../store/store.ts';
import type { Outcome } from './http/outcome.ts';
import type { Answer, NoAnswer } from './http/post.ts';
import { harmless } from './http/quote.ts';
import type { DeliveryPorts, Held } from './settler.ts';

type Dependencies = Pick<DeliveryPorts, 'clock' | 'log'> & { readonly deliveries: Pick<Deliveries, 'note'> };

/** An attempt, and what came of it. */
interface Made {
  /** In ms since 1970. */
  readonly began: number;
  readonly answer: Answer | NoAnswer;
  readonly outcome: Outcome;
  readonly secret: EndpointSecret;
}

/** An event that an attempt sent. */
interface Sent {
  readonly event: { readonly id: string; readonly type: string };
  /** Its delivery; absent for a test event. */
  readonly held?: Pick<Held, 'at'>;
}

/** Gathers the attempts of one run and writes them at its end: a table that is throttled then delays no
 *  delivery. */
export class AttemptLog {
  readonly #endpoint: Pick<EndpointSettings, 'name' | 'keepSuccesses'>;
  readonly #dependencies: Dependencies;
  readonly #attempts: Attempt[] = [];

  constructor(endpoint: Pick<EndpointSettings, 'name' | 'keepSuccesses'>, dependencies: Dependencies) {
    this.#endpoint = endpoint;
    this.#dependencies = dependencies;
  }

  /** Adds an attempt; a successful one is kept only if the endpoint's settings say so.
   *  @returns the attempt in the form in which it is kept */
  add(sent: readonly Sent[], made: Made): Attempt {
    const { name, keepSuccesses = true } = this.#endpoint;
    const attempt = attemptOf(name, sent, made, this.#dependencies.clock());
    if (keepSuccesses || attempt.failure !== undefined) this.#attempts.push(attempt);
    return attempt;
  }

  async write(): Promise<void> {
    if (this.#attempts.length === 0) return;
    try {
      await this.#dependencies.deliveries.note(this.#attempts);
    } catch (error) {
      this.#dependencies.log.warn('Attempts could not be written down; they were made all the same.', {
        endpoint: this.#endpoint.name,
        attempts: this.#attempts.length,
        error: String(error),
      });
    }
  }
}

function attemptOf(
  endpoint: string,
  sent: readonly Sent[],
  { began, answer, outcome, secret }: Made,
  now: number,
): Attempt {
  const answered = 'status' in answer ? answer : undefined;
  const text = answered?.body === undefined ? undefined : harmless(answered.body, secret);
  return {
    endpoint,
    at: began,
    events: sent.map(({ event: { id, type }, held }) => ({ id, type, ...(held && { at: held.at }) })),
    origin: originOf(secret),
    ...(answered && { status: answered.status }),
    ...(outcome.kind !== 'delivered' && { failure: outcome.reason }),
    took: now - began,
    ...(text !== undefined && { answer: text }),
  };
}
