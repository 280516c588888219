import { createTick, type TickPasses } from '../../functions/handlers/create-tick.ts';
import { scheduledIn } from '../../functions/schedule/scheduled.ts';
import type { Delivery } from './delivery.ts';
import type { Strike } from './faults.ts';
import { Life } from './life.ts';
import type { RowsOracle } from './oracle/rows.ts';
import type { Passes } from './passes.ts';
import type { Pollers } from './pollers.ts';
import type { Shared } from './shared.ts';

const MINUTE_MS = 60_000;
/** As deployed: infra/parts/tick.ts. */
const LIMIT_MS = 60_000;
/** The most minutes that may pass without a tick, and the longest time after which one may come a second
 *  time. */
const MISSED_MINUTES = 4;
const APART_MS = 50_000;

interface Ticked {
  readonly delivery: Delivery;
  readonly passes: Passes;
  readonly pollers: Pollers;
  readonly rows: RowsOracle;
}

/** What a tick has done for passes. */
interface Done {
  claimed: boolean;
  sent: boolean;
}

/** EventBridge's Scheduler, and the tick that it starts each minute, in a process of its own each time. */
export class Ticker {
  readonly #shared: Shared;
  readonly #with: Ticked;
  /** Whether it starts passes. If not, it only looks after endpoints, where that is needed. */
  isOn = false;
  /** No tick comes, whatever there is. */
  isPaused = false;
  #ticks = 0;
  #missing = 0;
  readonly #underWay = new Set<object>();

  constructor(shared: Shared, ticked: Ticked) {
    this.#shared = shared;
    this.#with = ticked;
    shared.scheduler.after(MINUTE_MS, () => this.#minute());
  }

  /** No tick is under way, which may still start something. */
  get isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  /** @returns what ends it, however it ends */
  #begins(): () => void {
    const tick = {};
    this.#underWay.add(tick);
    return () => void this.#underWay.delete(tick);
  }

  #minute(): void {
    const { scheduler, plan, nature, random, coverage } = this.#shared;
    scheduler.after(MINUTE_MS, () => this.#minute());
    const isOn = this.isOn && !this.isPaused;
    // Left out: thousands of ticks with nothing to do would show no more.
    if (!isOn && this.#with.rows.isQuiet(scheduler.now)) return;
    if (isOn && this.#isMissed()) return;
    this.#tick(isOn, plan.ticks[this.#ticks++] ?? []);
    if (!isOn || !nature.faulty || random() >= (plan.schedule?.mess.twice ?? 0)) return;
    const isApart = random() < 0.5;
    coverage.add('tick', isApart ? 'twice, a while apart' : 'twice at once');
    scheduler.after(isApart ? random() * APART_MS : 0, () => {
      if (!this.isPaused) this.#tick(isOn, []);
    });
  }

  #isMissed(): boolean {
    const { plan, nature, random, coverage } = this.#shared;
    if (!nature.faulty) return false;
    if (this.#missing === 0 && random() < (plan.schedule?.mess.missed ?? 0)) {
      this.#missing = 1 + Math.floor(random() * MISSED_MINUTES);
      if (this.#missing > 1) coverage.add('tick', 'missed for minutes');
    }
    if (this.#missing === 0) return false;
    this.#missing -= 1;
    return true;
  }

  #tick(isOn: boolean, strikes: readonly Strike[]): void {
    const { scheduler, clocks, nature, log, fail } = this.#shared;
    const { delivery } = this.#with;
    const done = { claimed: false, sent: false };
    const end = this.#begins();
    const life = new Life(nature, () => {
      this.#died(done);
      end();
    });
    life.expect(strikes);
    const deadline = scheduler.now + LIMIT_MS;
    const cutOff = scheduler.after(LIMIT_MS, () => life.kill());
    const { registry, queues, replays } = delivery.lookedAfterBy(life);
    const tick = createTick({
      ...{ registry, queues, replays, log, count: () => {} },
      // Endpoints are looked after by the deliverers' clock.
      clock: isOn ? clocks.of(0) : () => scheduler.now,
      ...(isOn && { passes: this.#passes(life, done) }),
    });
    // Its errors appear in Lambda's metrics only; the next tick makes up for it.
    void tick(() => deadline - scheduler.now)
      .catch(error => void (error instanceof TypeError && fail(error)))
      .finally(() => {
        cutOff();
        end();
      });
  }

  #died({ claimed, sent }: Done): void {
    if (claimed && !sent) this.#shared.coverage.add('tick', 'killed between claim and send');
  }

  /** What it does for passes, and what becomes of it. */
  #passes(life: Life, done: Done): TickPasses {
    const { scheduler, storage, wrote, coverage } = this.#shared;
    const ran = (isDone: boolean) => {
      done.claimed ||= isDone;
      if (!isDone) coverage.add('tick', 'claimed by another one');
    };
    const { claims, progress, remember } = storage.reachedBy({
      life,
      clock: () => scheduler.now,
      sleep: ms => life.sleep(ms),
      ran: (call, isDone) => {
        if (call === 'claim') ran(isDone);
        wrote();
      },
    });
    return {
      processes: scheduledIn([this.#with.pollers.settings]),
      ...{ claims, progress, remember },
      queue: this.#with.passes.portOf(life, () => {
        done.sent = true;
      }),
    };
  }
}
