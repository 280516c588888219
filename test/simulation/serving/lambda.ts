import { Consumer } from '../consumer.ts';
import type { Life } from '../life.ts';
import { QueueModel } from '../models/queue.ts';
import type { Shared } from '../shared.ts';
import { ForgetfulQueue, sqsClient } from '../sqs.ts';
import type { Handlers, QueueName, ReachedQueues, Serving } from './serving.ts';

const ACCOUNT = 'arn:aws:sqs:eu-west-1:000000000000';
/** As deployed: infra/parts/serving.ts, infra/parts/queues.ts. */
const RUN_MS = 180_000;
const VISIBILITY_S = 1_080;
const DRAINS = { visibilityTimeout: 360, retention: 3_600 };
const ROUTE_MS = 60_000;
const MAX_RECEIVES = 1_000;

/** The queues in SQS, and Lambda's runs for them. */
export class LambdaServing implements Serving {
  readonly #shared: Shared;
  readonly #handlers: Handlers;
  readonly #queues: Readonly<Record<QueueName, ForgetfulQueue>>;
  readonly #router: Consumer;
  readonly #deliverers: readonly [Consumer, ...Consumer[]];

  constructor(shared: Shared, handlers: Handlers) {
    const { plan } = shared;
    this.#shared = shared;
    this.#handlers = handlers;
    const queueOf = (name: QueueName, more: Partial<typeof DRAINS> = {}) =>
      new ForgetfulQueue({ ...this.#optionsOf(name), ...more }, shared);
    const [events, deliveries, chat] = [queueOf('events'), queueOf('deliveries'), queueOf('chat')];
    const drains = queueOf('drains', DRAINS);
    this.#queues = { events, deliveries, chat, drains };
    this.#router = new Consumer(shared, {
      ...{ queue: events, name: 'route', size: 10, window: 0, limit: ROUTE_MS },
      strikes: plan.router,
      functionName: 'route',
      start: life => life.release.servedByLambda(handlers.route(life), this.#queueBeside(life)),
    });
    const start = (life: Life) =>
      life.release.servedByLambda(
        handlers.deliver(life, () => life),
        this.#queueBeside(life),
      );
    const webhooks = {
      queue: deliveries,
      size: 10,
      window: 0,
      limit: RUN_MS,
      functionName: 'deliver' as const,
      start,
    };
    this.#deliverers = [
      new Consumer(shared, { ...webhooks, name: 'deliver', strikes: plan.deliverer }),
      new Consumer(shared, { ...webhooks, name: 'deliver too', strikes: plan.deliverer.slice(1) }),
      new Consumer(shared, {
        ...{ queue: chat, size: 100, window: 5_000, limit: RUN_MS, name: 'deliver to chats' },
        ...{ functionName: 'deliver', start },
        strikes: plan.deliverer,
      }),
      new Consumer(shared, { ...webhooks, queue: drains, name: 'drain', strikes: plan.deliverer }),
    ];
  }

  get isIdle(): boolean {
    if (this.#router.isRunning || this.#deliverers.some(one => one.isRunning)) return false;
    return Object.values(this.#queues).every(queue => queue.size === 0);
  }

  get runs(): number {
    return this.#deliverers[0].runs;
  }

  take(body: string): void {
    this.#queues.events.send(body);
    this.#router.wake();
  }

  reachedBy(life: Life): ReachedQueues {
    const client = this.#client(life);
    const reached = (name: QueueName) => life.release.sqsQueue(client, this.#queues[name].url);
    return {
      ...{ events: reached('events'), deliveries: reached('deliveries') },
      ...{ chat: reached('chat'), drains: reached('drains') },
    };
  }

  #queueBeside(life: Life) {
    return life.release.sqsQueueBeside(this.#client(life), this.#queues.events.url);
  }

  #client(life: Life) {
    return sqsClient(life, Object.values(this.#queues), {
      sent: () => {
        for (const deliverer of this.#deliverers) deliverer.wake();
      },
      refuses: (_, messageId) => this.#handlers.refuses(life, messageId),
    });
  }

  #optionsOf(name: QueueName) {
    const { scheduler, random } = this.#shared;
    const plain = (name: string) => ({
      name,
      arn: `${ACCOUNT}:${name}`,
      url: `https://sqs.eu-west-1.amazonaws.com/000000000000/${name}`,
      clock: () => scheduler.now,
      random,
      visibilityTimeout: VISIBILITY_S,
    });
    const deadLetters = { queue: new QueueModel(plain(`${name}-unsettled`)), maxReceiveCount: MAX_RECEIVES };
    return { ...plain(name), deadLetters };
  }
}
