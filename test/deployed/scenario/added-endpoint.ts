import assert from 'node:assert/strict';
import { HOSTS } from '../config.ts';
import { type Edits, lineOf } from '../edits.ts';
import type { Operator } from '../operators.ts';
import type { WebhookReceiver } from '../receivers/webhook.ts';
import { until } from '../until.ts';
import { untilTold, type World } from '../world.ts';

/** Posts to one webhook at once: so far may one of them overtake others. */
const AT_ONCE = 10;

/** An endpoint that was added while all runs, and what its receiver was told since a moment. */
export class AddedEndpoint {
  readonly name: 'added' | 'flaky';
  readonly receiver: WebhookReceiver;
  readonly #operator: Operator;
  readonly #edits: Edits;
  #began = { told: 0, expected: 0 };

  constructor(name: 'added' | 'flaky', receiver: WebhookReceiver, operator: Operator, edits: Edits) {
    this.name = name;
    this.receiver = receiver;
    this.#operator = operator;
    this.#edits = edits;
  }

  async add(): Promise<void> {
    const url = `https://${HOSTS[this.name]}/changewire`;
    const [endpoint, secrets] = [this.name, [this.receiver.secret]];
    await this.#operator.ask({ operation: 'add-endpoint', endpoint, kind: 'webhook', url, secrets });
  }

  test = () => this.#operator.ask({ operation: 'test-endpoint', endpoint: this.name });
  pause = () => this.#operator.ask({ operation: 'pause-endpoint', endpoint: this.name });
  resume = () => this.#operator.ask({ operation: 'resume-endpoint', endpoint: this.name });
  remove = () => this.#operator.ask({ operation: 'remove-endpoint', endpoint: this.name });
  status = () => this.#operator.ask({ operation: 'endpoint', endpoint: this.name });
  /** How many deliveries wait in rows. */
  pending = async () => (await this.status()).waiting.atLeast;

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

/** Events of several commits, which all others were told. */
export async function editMuch(world: World, label: string): Promise<void> {
  for (const field of ['note', 'name', 'note']) {
    world.edits.updateEach(field, `${label}-${world.edits.expected.length}`);
    await untilTold(world, 60, 'start');
  }
}

/** Pauses the endpoint, and has much to tell it. */
export async function editPaused(world: World, endpoint: AddedEndpoint, label: string): Promise<void> {
  endpoint.begin();
  await endpoint.pause();
  await world.report.check(
    `it is paused: what is edited ${label} waits in rows, and none of it arrives`,
    async () => {
      await editMuch(world, label);
      await until(30, async () => assert.equal(await endpoint.pending(), endpoint.awaited));
      assert.equal(endpoint.arrived, 0);
      return `${endpoint.awaited} events wait`;
    },
  );
}

/** Waits until nothing is to be delivered out of these queues. */
export async function quiet(
  { aws, stack }: World,
  queues: readonly string[] = ['Events', 'Deliveries', 'Chat', 'Drains'],
): Promise<void> {
  await until(60, async () => {
    for (const name of queues)
      assert.equal(await aws.queueLength(stack.output(`${name}QueueUrl`)), 0, `${name} is not empty`);
  });
}
