import { MAIL_TIMEOUT_MS } from '../../functions/delivery/http/post.ts';
import type { Operations } from '../../functions/operations/operations.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { recoverMessages } from '../../functions/queue/sqlite.ts';
import { failure } from '../basics/usage-error.ts';
import type { Plan } from './plan.ts';
import { type Beginning, type Machine, type Runtime, startRuntime } from './runtime.ts';

/** How long a reload waits for requests under way, in ms: the longest one may take, and the saving of its outcome. */
const ENDING_TIMEOUT_MS = MAIL_TIMEOUT_MS + 1_000;

/** The runtime of a run, which a reload exchanges: the next one starts when the former one has stopped. */
export class Exchange {
  readonly #machine: Machine;
  readonly #onBegun: Beginning['onBegun'];
  readonly #failing = Promise.withResolvers<never>();
  #plan: Plan;
  #runtime: Runtime;
  #operations: Promise<Operations>;
  readonly #stopping = new AbortController();

  /** @param onBegun called when a later runtime begins */
  constructor(machine: Machine, started: { plan: Plan; runtime: Runtime }, onBegun: Beginning['onBegun']) {
    this.#machine = machine;
    this.#plan = started.plan;
    this.#runtime = started.runtime;
    this.#onBegun = onBegun;
    this.#operations = Promise.resolve(started.runtime.operations);
    this.#failing.promise.catch(() => undefined);
  }

  get plan(): Plan {
    return this.#plan;
  }

  get runtime(): Runtime {
    return this.#runtime;
  }

  /** Rejects when no runtime could be started. */
  get failed(): Promise<never> {
    return this.#failing.promise;
  }

  /** The operations; while the runtime is exchanged, requests wait. */
  readonly operations: Operations = async (asked, caller) => (await this.#operations)(asked, caller);

  /** Stops everything as at the end of a run, and starts it by the next plan; if that fails, by the former one. */
  async swap(next: Plan): Promise<void> {
    const exchanged = Promise.withResolvers<Operations>();
    exchanged.promise.catch(() => undefined);
    this.#operations = exchanged.promise;
    // All parts have stopped even then: what one of them could not write is repeated.
    await this.#runtime.stop().catch(error => {
      const text = `Could not save the last deliveries: ${failure(error)}. They are sent again.`;
      this.#machine.output.warn(text, { code: 'run.stop-failed' });
    });
    await this.#ended();
    let refused: Refused | undefined;
    try {
      this.#runtime = await this.#restart(next).catch(error => {
        refused = new Refused(`${failure(error)}. The former configuration is used again.`);
        return this.#restart(this.#plan);
      });
    } catch (error) {
      exchanged.reject(error);
      this.#failing.reject(error);
      throw error;
    }
    exchanged.resolve(this.#runtime.operations);
    this.#runtime.watch();
    if (refused) throw refused;
    this.#plan = next;
  }

  /** From now on no runtime is started. */
  refuse(): void {
    this.#stopping.abort();
  }

  /** Waits for the former runtime's requests: all events of a run with an unfinished one would be sent again. */
  async #ended(): Promise<void> {
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, this.#stopping.signal]);
    const late = this.#machine.sleep(ENDING_TIMEOUT_MS, signal).catch(() => undefined);
    await Promise.race([this.#runtime.ended(), late]);
    ended.abort();
  }

  async #restart(plan: Plan): Promise<Runtime> {
    if (this.#stopping.signal.aborted) throw new Error('The run was stopped.');
    const { store, clock } = this.#machine;
    // Messages whose runs were cut off are received again at once.
    recoverMessages(store.database.file, clock());
    return startRuntime(this.#machine, plan, { resend: new Set(), onBegun: this.#onBegun });
  }
}
