import { type EndpointSettings, rateOf } from '../../../functions/model/endpoint.ts';
import type { Health } from '../../../functions/model/endpoint-row.ts';
import { Violation } from './violation.ts';

/** The most rows of batches that are sent at once (docs/performance.md). */
const MAX_BATCH_ROWS = 200;

/** A run that sends. */
interface Sender {
  readonly isDead: boolean;
}

/** Judges how fast endpoints are sent to: no two moments of a chat are booked within its interval, whoever books them; each message to it is
 *  sent in such a moment or later; a backlog goes on at the first rate after an attempt that failed; and one run at a time sends it. */
export class SlotsOracle {
  /** The booked moments, by name. */
  #booked = new Map<string, number[]>();
  /** Of these, those in which nothing was sent yet, by run and name. */
  #open = new WeakMap<object, Map<string, number[]>>();
  /** What each run last read of the health of endpoints, by name. */
  readonly #read = new WeakMap<object, Map<string, Health>>();
  #restores = 0;
  /** The runs that send rows now, with the number of their requests, by name. */
  readonly #senders = new Map<string, Map<Sender, number>>();
  /** How often the table had been restored when a run first sent rows. */
  readonly #begun = new WeakMap<Sender, number>();

  /** @returns what to call with the answer: ms from `now` to the booked moment, if there is one */
  books(run: object, name: string, interval: number, now: number): (wait: number | undefined) => void {
    const restores = this.#restores;
    return wait => {
      if (wait === undefined) return;
      const moment = now + wait;
      momentsOf(this.#open, run, name).push(moment);
      if (restores !== this.#restores) return;
      const all = this.#booked.get(name) ?? [];
      const near = all.find(other => Math.abs(other - moment) < interval);
      if (near !== undefined)
        throw new Violation(
          12,
          `${name} has the moments ${near} and ${moment}, less than ${interval} ms apart`,
        );
      this.#booked.set(name, [...all, moment]);
    };
  }

  /** A chat gets a message. */
  sends(run: object, name: string, now: number): void {
    const open = momentsOf(this.#open, run, name);
    const moment = open.findIndex(at => at <= now);
    if (moment < 0)
      throw new Violation(12, `${name} is sent a message at ${now}, for which no moment was booked`);
    open.splice(moment, 1);
  }

  reads(run: object, name: string, health: Health | undefined): void {
    const read = this.#read.get(run) ?? new Map<string, Health>();
    this.#read.set(run, read.set(name, health ?? {}));
  }

  /** A run takes up to `limit` rows of a backlog, to send them within a second. */
  takes(run: object, settings: EndpointSettings, limit: number): void {
    const health = this.#read.get(run)?.get(settings.name);
    // An operator may have paused it since the last batch. A probe looks twice.
    if (!health)
      throw new Violation(12, `a run sends rows to ${settings.name}, whose health it did not read before`);
    const { failures, failing } = health;
    if (!failing) this.#read.get(run)?.delete(settings.name);
    const rate = rateOf(settings);
    const most = Math.max(rate, Math.min(rate * (settings.batch ?? 1), MAX_BATCH_ROWS));
    // A run may have read the endpoint before its rate was set.
    if (failures && limit > most && settings.perSecond === undefined)
      throw new Violation(12, `${settings.name} failed, and is sent ${limit} events a second, not ${most}`);
  }

  /** A request with rows of a backlog begins. @returns what to call at its end */
  begins(run: Sender, name: string): () => void {
    const senders = this.#senders.get(name) ?? new Map<Sender, number>();
    this.#senders.set(name, senders);
    senders.set(run, (senders.get(run) ?? 0) + 1);
    this.#begun.set(run, this.#begun.get(run) ?? this.#restores);
    // A restored table does not know who sends the backlog.
    const living = [...senders.keys()].filter(
      each => !each.isDead && this.#begun.get(each) === this.#restores,
    );
    if (living.length > 1) throw new Violation(12, `two runs send the backlog of ${name} at the same time`);
    return () => {
      const left = (senders.get(run) ?? 1) - 1;
      if (left > 0) senders.set(run, left);
      else senders.delete(run);
    };
  }

  /** The table was restored. */
  restored(): void {
    this.#restores += 1;
    this.#booked = new Map();
  }
}

function momentsOf(of: WeakMap<object, Map<string, number[]>>, run: object, name: string): number[] {
  const byName = of.get(run) ?? new Map<string, number[]>();
  of.set(run, byName);
  const moments = byName.get(name) ?? [];
  byName.set(name, moments);
  return moments;
}
