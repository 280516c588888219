import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Queue, Serve, Unsent } from '../../../functions/queue/queue.ts';
import { QUEUE_SCHEMA, recoverMessages } from '../../../functions/queue/sqlite.ts';
import { type LocalQueues, openQueues } from '../../../local/data/store.ts';
import type { ConsumedQueue } from '../../../local/loops/consumer.ts';
import { consumersOf } from '../../../local/loops/delivering.ts';
import { between } from '../../../simulator/data/random.ts';
import type { Boundary, Strike } from '../faults.ts';
import { calling, failingWith, type Life, ProcessLife } from '../life.ts';
import { Violation } from '../oracle/violation.ts';
import type { Shared } from '../shared.ts';
import { fileError } from '../storage/sqlite.ts';
import type { Handlers, QueueName, ReachedQueues, Serving } from './serving.ts';

const NAMES = ['events', 'deliveries', 'chat', 'drains'] as const;
/** How long it takes until a process that died is started again, in ms. */
const RESTART_MS = [500, 5_000] as const;
/** As in local/loops/consumer.ts. */
const MAX_NAP_MS = 20_000;
/** The longest nap here. */
const LONG_NAP_MS = 6 * 3_600_000;
/** How long it takes to find a queue empty, in ms. */
const LOOK_MS = [1, 100] as const;

/** The runs of one process. */
interface Served {
  readonly life: ProcessLife;
  /** By message. */
  readonly runs: Map<string, Life>;
  /** What one run at most may have at a time: each message, and the queue of events, which keeps its order. */
  readonly inHand: Set<string>;
}

/** The queues in a SQLite file, and the process of one machine that serves them, with the consumers of `npm start`. It is started again
 *  whenever it dies. The file is no part of what a restore puts back. */
export class LocalServing implements Serving {
  readonly #shared: Shared;
  readonly #handlers: Handlers;
  readonly #file = new DatabaseSync(':memory:');
  readonly #runs: Record<QueueName, number> = { events: 0, deliveries: 0, chat: 0, drains: 0 };
  #runIds = 0;
  /** When messages are shown: the first one of a queue, and the next one of all queues. */
  readonly #shown: { readonly first: StatementSync; readonly next: StatementSync };
  /** The queues as the present process has them, or had them when it died. */
  #queues: LocalQueues;

  constructor(shared: Shared, handlers: Handlers) {
    this.#shared = shared;
    this.#handlers = handlers;
    this.#file.exec(QUEUE_SCHEMA);
    this.#shown = {
      first: this.#file.prepare('SELECT min(shown_at) AS at FROM message WHERE queue = ?'),
      next: this.#file.prepare('SELECT min(shown_at) AS at FROM message WHERE shown_at > ?'),
    };
    this.#queues = openQueues(this.#file, () => shared.scheduler.now);
    shared.scheduler.after(0, () => this.#start());
  }

  get isIdle(): boolean {
    return NAMES.every(name => this.#queues[name].groups().length === 0);
  }

  get runs(): number {
    return this.#runs.deliveries;
  }

  take(body: string): void {
    void this.#queues.events.send([{ body }]);
  }

  reachedBy(life: Life): ReachedQueues {
    const reached = (name: QueueName): ReachedQueues[QueueName] => ({
      name,
      send: (...sent) => this.#send(life, name, sent),
    });
    return {
      ...{ events: reached('events'), deliveries: reached('deliveries') },
      ...{ chat: reached('chat'), drains: reached('drains') },
    };
  }

  /** Sends messages in one transaction: where one of them can't be written, none is. */
  async #send(life: Life, name: QueueName, sent: Parameters<Queue['send']>): Promise<Unsent> {
    const boundary = name === 'drains' ? 'queue.wake' : 'queue.route';
    try {
      return await reach(life, boundary, () => this.#queues[name].send(...sent));
    } catch (error) {
      return { indexes: [...sent[0].keys()], reason: String(error) };
    }
  }

  #start(): void {
    const { scheduler, nature, random, plan, fail } = this.#shared;
    const clock = () => scheduler.now;
    recoverMessages(this.#file, clock());
    this.#queues = openQueues(this.#file, clock);
    const life = new ProcessLife(nature, () => {
      scheduler.after(between(random, ...RESTART_MS), () => this.#start());
    });
    const served: Served = { life, runs: new Map(), inHand: new Set() };
    const serve = (handler: Serve) => this.#served(served, handler);
    const consumed = (name: QueueName, strikes: typeof plan.deliverer) =>
      this.#consumed(name, served, strikes);
    const consumers = consumersOf(
      {
        ...{ events: consumed('events', plan.router), deliveries: consumed('deliveries', plan.deliverer) },
        ...{ chat: consumed('chat', plan.deliverer), drains: consumed('drains', plan.deliverer) },
      },
      {
        route: serve(this.#handlers.route(life)),
        deliver: serve(this.#handlers.deliver(life, () => calling.getStore() ?? life)),
      },
      {
        clock,
        sleep: (ms, signal) => this.#nap(served, ms, signal),
        newId: () => `local-run-${++this.#runIds}`,
        onFailure: error => void (error instanceof TypeError && fail(error)),
      },
    );
    for (const consumer of consumers) consumer.start();
  }

  /** The nap of a consumer. It leaves out that the consumer looks now and then, in case the clock was set: here it is not. So a message that
   *  the consumer misses stays. */
  async #nap({ life, inHand }: Served, ms: number, signal: AbortSignal | undefined): Promise<void> {
    if (ms < MAX_NAP_MS) return life.sleep(ms, signal);
    const { scheduler, fail } = this.#shared;
    const began = scheduler.now;
    const next = Number(this.#shown.next.get(began)?.at ?? Number.POSITIVE_INFINITY);
    await life.sleep(Math.max(ms, Math.min(next, began + LONG_NAP_MS) - began), signal);
    if (scheduler.now < began + LONG_NAP_MS || inHand.size > 0) return;
    const missed = NAMES.find(name => this.#firstShown(name) <= began);
    if (missed) fail(new Violation(11, `no run receives a message of ${missed}, although none is under way`));
  }

  /** When the first message of a queue is shown, which may be past; infinite where it is empty. */
  #firstShown(name: QueueName): number {
    return Number(this.#shown.first.get(name)?.at ?? Number.POSITIVE_INFINITY);
  }

  /** A handler whose runs make their own calls. A run that hangs ends the process. */
  #served({ life, runs, inHand }: Served, handler: Serve): Serve {
    const { scheduler, fail } = this.#shared;
    return async (batch, context) => {
      const ids = batch.messages.map(({ id }) => id);
      const isEvents = batch.queue.name === 'events';
      const names = isEvents ? [...ids, batch.queue.name] : ids;
      const twice = names.find(name => inHand.has(name));
      if (twice !== undefined) fail(new Violation(11, `two runs at once have ${batch.queue.name} ${twice}`));
      for (const name of names) inHand.add(name);
      const run = runs.get(ids[0] ?? '') as Life;
      const cutOff = scheduler.after(context.getRemainingTimeInMillis(), () => life.kill());
      try {
        return await calling.run(run, () => handler(batch, context));
      } finally {
        cutOff();
        for (const name of names) inHand.delete(name);
      }
    };
  }

  /** A queue as its consumer reaches it. */
  #consumed(
    name: QueueName,
    { life, runs, inHand }: Served,
    strikes: readonly (readonly Strike[])[],
  ): ConsumedQueue {
    const queue = this.#queues[name];
    const runOf = ({ receipt }: { readonly receipt: string }) => runs.get(receipt) as Life;
    return {
      name,
      listen: listener => queue.listen(listener),
      nextAfter: now => queue.nextAfter(now),
      receive: async (max, isBusy) => {
        if (life.isDead) return new Promise(() => {});
        const { scheduler, random } = this.#shared;
        if (this.#firstShown(name) > scheduler.now) {
          await life.sleep(between(random, ...LOOK_MS));
          return [];
        }
        const run = life.begin(strikes[this.#runs[name]++] ?? []);
        const messages = await reach(run, 'queue.receive', () => queue.receive(max, isBusy));
        for (const { receipt } of messages) runs.set(receipt, run);
        return messages;
      },
      delete: async messages => {
        const [first] = messages;
        if (first) await reach(runOf(first), 'queue.delete', () => this.#delete(name, messages));
      },
      extend: async (message, seconds) => {
        await reach(runOf(message), 'queue.visibility', () => {
          if (this.#handlers.refuses(runOf(message), message.receipt)) throw fileError();
          // From now on its run leaves it to a later one.
          inHand.delete(message.receipt);
          return queue.extend(message, seconds);
        });
      },
    };
  }

  #delete(name: QueueName, messages: Parameters<Queue['delete']>[0]): Promise<void> {
    const { nature, random, plan, coverage } = this.#shared;
    if (nature.faulty && random() < plan.mess.undeleted) {
      coverage.add('queue', 'delete failed');
      throw fileError();
    }
    return this.#queues[name].delete(messages);
  }
}

/** Makes a call of the file, which is whole and synchronous. What fails is the disk, before a transaction or when it has ended. */
async function reach<Result>(life: Life, boundary: Boundary, work: () => Promise<Result>): Promise<Result> {
  const called = () => {
    const result = work();
    // The answer is read later: until then a refusal counts as handled.
    result.catch(() => {});
    return result;
  };
  return life.call(boundary, called, failingWith(fileError));
}
