import { AsyncLocalStorage } from 'node:async_hooks';
import { DatabaseSync } from 'node:sqlite';
import type { Queue, Serve, Unsent } from '../../../functions/queue/queue.ts';
import { QUEUE_SCHEMA, recoverMessages } from '../../../functions/queue/sqlite.ts';
import { type LocalQueues, openQueues } from '../../../local/data/store.ts';
import type { ConsumedQueue, RunContext } from '../../../local/loops/consumer.ts';
import { consumersOf } from '../../../local/loops/delivering.ts';
import { between } from '../../../simulator/data/random.ts';
import type { Boundary, Strike } from '../faults.ts';
import { type Failing, Life, type Nature } from '../life.ts';
import type { Shared } from '../shared.ts';
import type { Handlers, QueueName, ReachedQueues, Serving } from './serving.ts';

const NAMES = ['events', 'deliveries', 'chat', 'drains'] as const;
/** How long it takes until a process that died is started again, in ms. */
const RESTART_MS = [500, 5_000] as const;
/** As in local/loops/consumer.ts. */
const MAX_NAP_MS = 20_000;
const DAY_MS = 86_400_000;

/** The run that calls. */
const calling = new AsyncLocalStorage<Life>();

/** The life of a process with several runs at once. Each has a life of its own, which makes the calls of the run; when one dies, all do. */
class ProcessLife extends Life {
  readonly #nature: Nature;
  readonly #runs: Life[];

  constructor(nature: Nature, onDeath: () => void) {
    const runs: Life[] = [];
    super(nature, () => {
      for (const run of runs) run.kill();
      onDeath();
    });
    this.#nature = nature;
    this.#runs = runs;
  }

  begin(strikes: readonly Strike[]): Life {
    const run = new Life(this.#nature, () => this.kill());
    run.expect(strikes);
    this.#runs.push(run);
    return run;
  }

  override call<Result>(boundary: Boundary, work: () => Result, failing: Failing<Result>): Promise<Result> {
    const run = calling.getStore();
    if (!run) return super.call(boundary, work, failing);
    return run.call(boundary, () => calling.run(run, work), failing);
  }
}

/** The queues in a SQLite file, and the process of one machine that serves them, with the consumers of `npm start`. It is started again
 *  whenever it dies. The file is no part of what a restore puts back. */
export class LocalServing implements Serving {
  readonly #shared: Shared;
  readonly #handlers: Handlers;
  readonly #file = new DatabaseSync(':memory:');
  readonly #runs: Record<QueueName, number> = { events: 0, deliveries: 0, chat: 0, drains: 0 };
  /** The queues as the present process has them, or had them when it died. */
  #queues: LocalQueues;

  constructor(shared: Shared, handlers: Handlers) {
    this.#shared = shared;
    this.#handlers = handlers;
    this.#file.exec(QUEUE_SCHEMA);
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
    const runs = new Map<string, Life>();
    const serve = (handler: Serve<RunContext>) => this.#served(life, runs, handler);
    const consumed = (name: QueueName, strikes: typeof plan.deliverer) =>
      this.#consumed(name, { life, runs, strikes });
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
        sleep: (ms, signal) => life.sleep(this.#untilShown(ms), signal),
        onFailure: error => void (error instanceof TypeError && fail(error)),
      },
    );
    for (const consumer of consumers) consumer.start();
  }

  /** Leaves out that a consumer looks now and then, in case the clock was set: here it is not. */
  #untilShown(ms: number): number {
    if (ms < MAX_NAP_MS) return ms;
    const { now } = this.#shared.scheduler;
    const next = NAMES.map(name => this.#queues[name].nextAfter(now) ?? Number.POSITIVE_INFINITY);
    return Math.max(ms, Math.min(...next, now + DAY_MS) - now);
  }

  /** A handler whose runs make their own calls. A run that hangs ends the process. */
  #served(life: ProcessLife, runs: ReadonlyMap<string, Life>, handler: Serve<RunContext>): Serve<RunContext> {
    return async (batch, context) => {
      const [first] = batch.messages;
      const run = runs.get(first?.id ?? '') as Life;
      const cutOff = this.#shared.scheduler.after(context.getRemainingTimeInMillis(), () => life.kill());
      try {
        return await calling.run(run, () => handler(batch, context));
      } finally {
        cutOff();
      }
    };
  }

  /** A queue as its consumer reaches it. */
  #consumed(
    name: QueueName,
    {
      life,
      runs,
      strikes,
    }: { life: ProcessLife; runs: Map<string, Life>; strikes: readonly (readonly Strike[])[] },
  ): ConsumedQueue {
    const queue = this.#queues[name];
    const runOf = ({ receipt }: { readonly receipt: string }) => runs.get(receipt) as Life;
    return {
      name,
      listen: listener => queue.listen(listener),
      nextAfter: now => queue.nextAfter(now),
      receive: async max => {
        if (life.isDead) return new Promise(() => {});
        const next = queue.nextAfter(Number.MIN_SAFE_INTEGER);
        if (next === undefined || next > this.#shared.scheduler.now) return [];
        const run = life.begin(strikes[this.#runs[name]++] ?? []);
        const messages = await reach(run, 'queue.receive', () => queue.receive(max));
        for (const { receipt } of messages) runs.set(receipt, run);
        return messages;
      },
      delete: async messages => {
        const [first] = messages;
        if (first) await reach(runOf(first), 'queue.delete', () => this.#delete(name, messages));
      },
      extend: (message, seconds) =>
        reach(runOf(message), 'queue.visibility', () => {
          if (this.#handlers.refuses(runOf(message), message.receipt)) throw fileError();
          return queue.extend(message, seconds);
        }),
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
  return life.call(boundary, called, (worked, fault) => {
    if (fault.startsWith('worked-then')) worked();
    throw fileError();
  });
}

const fileError = () => Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR' });
