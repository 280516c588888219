import type { Clock } from '../clock.ts';
import type { EndpointSecret } from '../endpoints/endpoint.ts';
import type { Outcome } from '../endpoints/outcome.ts';
import type { Answer, NoAnswer } from '../endpoints/post.ts';
import { harmless } from '../endpoints/quote.ts';
import type { Log } from '../telemetry.ts';
import type { Attempt, Deliveries } from './deliveries.ts';
import type { Letter } from './jobs.ts';

export interface AttemptLogDependencies {
  readonly deliveries: Pick<Deliveries, 'note'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether attempts that succeeded are kept, too; they are by default. */
  readonly keepsSuccesses?: boolean | undefined;
}

/** An attempt, and what came of it. */
export interface Made {
  /** In ms since 1970. */
  readonly began: number;
  readonly answer: Answer | NoAnswer;
  readonly outcome: Outcome;
  readonly secret: EndpointSecret;
}

/** The attempts of one run, written down together at its end: a table that has no room for them delays no delivery. */
export class AttemptLog {
  readonly #endpoint: string;
  readonly #dependencies: AttemptLogDependencies;
  readonly #attempts: Attempt[] = [];

  constructor(endpoint: string, dependencies: AttemptLogDependencies) {
    this.#endpoint = endpoint;
    this.#dependencies = dependencies;
  }

  add(letters: readonly Letter[], { began, answer, outcome, secret }: Made): void {
    const { clock, keepsSuccesses = true } = this.#dependencies;
    const isDelivered = outcome.kind === 'delivered';
    if (isDelivered && !keepsSuccesses) return;
    const answered = 'status' in answer ? answer : undefined;
    const text = answered?.body === undefined ? undefined : harmless(answered.body, secret);
    this.#attempts.push({
      endpoint: this.#endpoint,
      at: began,
      events: letters.map(({ event: { id, type } }) => ({ id, type })),
      ...(answered && { status: answered.status }),
      ...(!isDelivered && { failure: outcome.reason }),
      took: clock() - began,
      ...(text !== undefined && { answer: text }),
    });
  }

  async write(): Promise<void> {
    if (this.#attempts.length === 0) return;
    try {
      await this.#dependencies.deliveries.note(this.#attempts);
    } catch (error) {
      this.#dependencies.log.warn('Attempts could not be written down; they were made all the same.', {
        endpoint: this.#endpoint,
        attempts: this.#attempts.length,
        error: String(error),
      });
    }
  }
}
