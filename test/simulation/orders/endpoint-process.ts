import type { Sleep } from '../../../functions/basics/clock.ts';
import { wakeWaiting } from '../../../functions/delivery/queues.ts';
import { createRegistry } from '../../../functions/delivery/registry.ts';
import { createDeliver } from '../../../functions/handlers/create-deliver.ts';
import type { OperationsContext } from '../../../functions/operations/context.ts';
import { updateEndpoint } from '../../../functions/operations/endpoint-settings.ts';
import { pauseEndpoint, removeEndpoint, resumeEndpoint } from '../../../functions/operations/endpoints.ts';
import { workOffJobs } from '../../../functions/operations/jobs.ts';
import type { Message } from '../../../functions/queue/queue.ts';
import { batchOf, messageOf, SECRET } from '../../kit/delivery/setting.ts';
import { type Reply, VirtualAgent } from '../http.ts';
import { type Gate, Life, type Nature } from '../life.ts';
import { Violation } from '../oracle/violation.ts';
import type { Ports, Storage } from '../storage/storage.ts';
import { type JobParty, sourcesOf } from './endpoint-jobs.ts';

/** `deliver` has a message of the queue, which the endpoint accepts; `refused` and `slowed` one that it first answers 500, or 429 with a
 *  `Retry-After`. `drain` has a message that wakes it. `time`: 10 s pass at once; `late`: more than the time for which a drain has the
 *  backlog. `tick`: that wakes drains, and carries out jobs. The others are operations. */
export type EndpointParty =
  | ('deliver' | 'refused' | 'slowed' | 'drain')
  | ('time' | 'late')
  | ('pause' | 'resume' | 'remove' | 'update' | 'update log')
  | JobParty
  | 'tick';

export const NAME = 'crm';
export const TIME_PASSES = ' s pass';
const RUN_MS = 180_000;
const OPERATIONS = {
  ...{ pause: pauseEndpoint, resume: resumeEndpoint, remove: removeEndpoint },
  ...{ update: updateEndpoint, 'update log': updateEndpoint },
};
/** What updates change. */
export const UPDATES = { update: { perSecond: 2 }, 'update log': { keepSuccesses: false } };

/** What the processes share, and who watches them. */
export interface Surroundings {
  readonly nature: Nature;
  readonly storage: Storage;
  readonly reads: (run: string) => void;
  readonly wrote: (run: string) => void;
  readonly receive: (run: string, body: string) => Reply;
  readonly wakes: (at: number) => void;
  readonly fail: (error: unknown) => void;
}

/** A process that serves the endpoint in one run. */
export class EndpointProcess {
  readonly #around: Surroundings;
  readonly #run: string;
  readonly #sleep: Sleep;
  readonly #life: Life;
  readonly ports: Ports;

  /** @param gate where its calls wait for their turns; without one they take none, and its sleep takes time */
  constructor(around: Surroundings, run: string, gate?: Gate) {
    this.#around = around;
    this.#run = run;
    this.#sleep = gate ? async () => {} : ms => around.nature.scheduler.sleep(ms);
    this.#life = new Life(around.nature);
    let method = '';
    const hold: Gate['hold'] = gate
      ? (call, boundary, name) => gate.hold(call, boundary, `${method} ${name}`)
      : call => void call();
    this.#life.passThrough({ hold });
    this.ports = this.#portsOf(called => {
      method = called;
    });
  }

  /** Lets `ms` pass for all at once. */
  pass(ms: number): Promise<void> {
    const { scheduler } = this.#around.nature;
    return this.#life.call('table.read', () => scheduler.freeze(ms), never, `${ms / 1000}${TIME_PASSES}`);
  }

  /** @returns whether the message stays in the queue */
  async serve(message: Message): Promise<boolean> {
    const again = await this.#deliver()(batchOf([message]), this.#context());
    return again.includes(message.id);
  }

  async drain(): Promise<void> {
    const wake = messageOf('wake', 'wake', { wake: true, now: this.#clock() });
    await this.#deliver()(batchOf([wake], 'drains'), this.#context());
  }

  async operate(party: EndpointParty): Promise<void> {
    const operation = OPERATIONS[party as keyof typeof OPERATIONS] as (
      ...given: [OperationsContext, object]
    ) => Promise<unknown>;
    await operation(this.operations(), { endpoint: NAME, ...UPDATES[party as keyof typeof UPDATES] });
  }

  async tick(): Promise<void> {
    const registered = await createRegistry([], this.ports.rows, this.#clock).all();
    await wakeWaiting(registered, { queues: this.#queues, log: this.#log }, this.#clock());
    await workOffJobs(this.operations(), registered, () => true);
  }

  operations(): OperationsContext {
    const { rows, deliveries } = this.ports;
    return {
      ...sourcesOf(this.#run.replace(/\W/g, '')),
      configured: [],
      endpoints: rows,
      // What an answer shows concerns no other party.
      deliveries: {
        ...deliveries,
        counts: async () => ({ pending: 0, oldest: undefined, dead: 0 }),
        attempts: async () => [],
      },
      secrets: { remove: async () => {} },
      queues: this.#queues,
      clock: this.#clock,
      log: this.#log,
    } as unknown as OperationsContext;
  }

  #deliver() {
    const { rows, deliveries, slots } = this.ports;
    return createDeliver({
      ...{ rows, slots, queues: this.#queues, log: this.#log, clock: this.#clock },
      registry: createRegistry([], rows, this.#clock),
      // The log of attempts concerns no other party.
      deliveries: { ...deliveries, note: async () => {} },
      secrets: {
        nameOf: name => name,
        putting: () => '',
        read: async () => JSON.stringify({ url: `https://${NAME}.example/`, secrets: [SECRET] }),
      },
      random: () => 0,
      sleep: this.#sleep,
      allowLoopback: false,
      openAgent: () =>
        new VirtualAgent(
          this.#life,
          () => 'endpoint.post',
          ({ body }) => this.#around.receive(this.#run, body),
        ),
      count: () => {},
    });
  }

  readonly #clock = (): number => this.#around.nature.scheduler.wall;

  readonly #queues = {
    wake: async (_: unknown, seconds: number) => this.#around.wakes(this.#clock() + seconds * 1000),
  };

  readonly #log = {
    info: () => {},
    warn: () => {},
    error: (_: string, { code, error }: { code?: string; error?: string } = {}) => {
      if (code?.endsWith('failed')) this.#around.fail(new Violation(11, `${code}: ${error}`));
    },
  };

  #context() {
    const end = this.#clock() + RUN_MS;
    return { awsRequestId: this.#run, getRemainingTimeInMillis: () => end - this.#clock() };
  }

  /** @param called gets the name of each method that is called */
  #portsOf(called: (method: string) => void): Ports {
    const { storage, reads, wrote } = this.#around;
    const reaching = { life: this.#life, clock: this.#clock, sleep: this.#sleep };
    const ports = storage.reachedBy({ ...reaching, ran: () => wrote(this.#run) });
    const named = <Port extends object>(port: Port): Port =>
      Object.fromEntries(
        Object.keys(port).map(name => [
          name,
          (...given: unknown[]) => {
            called(name);
            if (name === 'read') reads(this.#run);
            return (Reflect.get(port, name) as (...given: unknown[]) => unknown)(...given);
          },
        ]),
      ) as Port;
    return { ...ports, rows: named(ports.rows), deliveries: named(ports.deliveries) };
  }
}

const never = (): never => {
  throw new Error('no call fails here');
};
