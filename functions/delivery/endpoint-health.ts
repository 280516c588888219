import type { Clock } from '../clock.ts';
import type { Failure } from '../endpoints/outcome.ts';
import type { Count, Log } from '../telemetry.ts';
import type { Deliveries } from './deliveries.ts';
import type { EndpointRow, EndpointRows, Health } from './endpoint-rows.ts';
import { afterFailure, afterSuccess, isTroubled, joined, stopped } from './health.ts';

/** So many failures in a row, and then something arrives: it was away, and is back. */
const AWAY = 3;

export interface HealthDependencies {
  readonly rows: EndpointRows;
  readonly deliveries: Pick<Deliveries, 'bringForward'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
}

/** What a run knows of its endpoint, and what it tells other runs by the endpoint's row. */
export class EndpointHealth {
  readonly #name: string;
  readonly #isConfigured: boolean;
  readonly #dependencies: HealthDependencies;
  #row: EndpointRow | undefined;

  /** @param row as it was just read: undefined of one of the configuration that has none yet */
  constructor(name: string, row: EndpointRow | undefined, dependencies: HealthDependencies) {
    this.#name = name;
    this.#isConfigured = row?.settings === undefined;
    this.#row = row;
    this.#dependencies = dependencies;
  }

  get now(): Health {
    return this.#row?.health ?? {};
  }

  /** Something arrived. What had waited for its own next try is tried at once, when the endpoint was away. */
  async succeeded(): Promise<void> {
    if (!isTroubled(this.now)) return;
    const { failing, failures } = this.now;
    await this.#change(afterSuccess);
    if (!failing && (failures?.count ?? 0) < AWAY) return;
    const { deliveries, clock, log } = this.#dependencies;
    log.info('An endpoint answers again: what waited for it is sent.', { endpoint: this.#name });
    await deliveries.bringForward(this.#name, clock());
  }

  async failed({ reason }: Failure, hold?: { readonly for?: number | undefined }): Promise<void> {
    const { clock, log, count } = this.#dependencies;
    const before = this.now;
    await this.#change(health => afterFailure(health, clock(), reason, hold));
    if (this.now.failing && !before.failing)
      log.warn('An endpoint fails: one probe at a time is sent, and the rest waits.', {
        endpoint: this.#name,
        reason,
      });
    if (this.now.stopped && !before.stopped) this.#tellStop(log, count);
  }

  /** It wants no more.
   *  @throws when that can't be written down */
  async gone({ reason }: Failure): Promise<void> {
    const { clock, log, count } = this.#dependencies;
    let isFirst = false;
    await this.#change(health => {
      isFirst = health.stopped === undefined;
      return isFirst ? stopped(health, clock(), reason) : undefined;
    });
    if (isFirst) this.#tellStop(log, count);
  }

  /** Deliveries were put into rows.
   *  @throws when that can't be written down: nobody would look for them */
  async joined(due: number, first: boolean): Promise<void> {
    await this.#change(health => joined(health, due, first));
  }

  /** Writes what becomes of the endpoint's health; `change` answers undefined to leave it. */
  async #change(change: (health: Health) => Health | undefined): Promise<void> {
    const name = this.#name;
    this.#row = await this.#dependencies.rows.change(name, row => {
      // It was removed meanwhile.
      if (!row && !this.#isConfigured) return undefined;
      const health = change(row?.health ?? {});
      return health && { name, ...row, health };
    });
  }

  #tellStop(log: Log, count: Count): void {
    const { reason = '' } = this.now.stopped ?? {};
    count('EndpointStopped', 1);
    log.error(
      `endpoint.stopped: ${this.#name} ${reason}. Its events wait in rows until an operator resumes it, for 30 days at most.`,
      { endpoint: this.#name, reason },
    );
  }
}
