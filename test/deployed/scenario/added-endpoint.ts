import assert from 'node:assert/strict';
import type { EndpointSettings } from '../../../functions/endpoints/endpoint.ts';
import { HOSTS } from '../config.ts';
import { type Edits, lineOf } from '../edits.ts';
import type { EndpointOperator } from '../endpoint-operator.ts';
import type { WebhookReceiver } from '../receivers/webhook.ts';

/** Posts to one webhook at once: so far may one of them overtake others. */
const AT_ONCE = 10;

/** An endpoint that was added while all runs, and what its receiver was told since a moment. */
export class AddedEndpoint {
  readonly settings: EndpointSettings;
  readonly receiver: WebhookReceiver;
  readonly #operator: EndpointOperator;
  readonly #edits: Edits;
  readonly #host: string;
  #began = { told: 0, expected: 0 };

  constructor(name: 'added' | 'flaky', receiver: WebhookReceiver, operator: EndpointOperator, edits: Edits) {
    this.settings = { name, kind: 'webhook' };
    this.receiver = receiver;
    this.#operator = operator;
    this.#edits = edits;
    this.#host = HOSTS[name];
  }

  get name(): string {
    return this.settings.name;
  }

  add(): Promise<void> {
    const secret = { url: `https://${this.#host}/changewire`, secrets: [this.receiver.secret] };
    return this.#operator.add(this.settings, secret);
  }

  test = () => this.#operator.test(this.name, this.receiver.port);
  pause = () => this.#operator.pause(this.name);
  resume = () => this.#operator.resume(this.name);
  remove = () => this.#operator.remove(this.name);
  health = async () => (await this.#operator.row(this.name))?.health ?? {};
  /** How many deliveries wait in rows. */
  pending = () => this.#operator.pending(this.name);

  /** What is edited from now on is what counts below. */
  begin(): void {
    this.#began = { told: this.#told.length, expected: this.#edits.expected.length };
  }

  get #told() {
    return this.receiver.events.events;
  }

  /** How many events came since then. */
  get arrived(): number {
    return this.#told.length - this.#began.told;
  }

  /** How many are to come. */
  get awaited(): number {
    return this.#edits.expected.length - this.#began.expected;
  }

  /** Fails unless all that was edited since then came, and nothing else. */
  hasAll(): string {
    const lines = this.#told.slice(this.#began.told).map(lineOf).sort();
    const expected = this.#edits.expected.slice(this.#began.expected).sort();
    assert.deepEqual(lines, expected, `what ${this.name} was told`);
    return `${lines.length} events`;
  }

  /** Fails unless it came in the order of its commits, but for what was under way at the same time. */
  inOrder(): string {
    const order = this.#told.slice(this.#began.told).map(({ sequence }) => Number(sequence));
    order.forEach((sequence, place) => {
      const later = order.slice(place + AT_ONCE).filter(other => other < sequence).length;
      assert.equal(later, 0, `${this.name} got an event before ${later} older ones: ${order.join(' ')}`);
    });
    return `${order.length} events, ${this.receiver.events.repeated} of them twice`;
  }
}
