import type { Tick, TickPasses } from '../../functions/handlers/create-tick.ts';
import { hasJob } from '../../functions/operations/jobs.ts';
import type { ScheduledProcess } from '../../functions/schedule/scheduled.ts';
import { type Ticker as LocalTicker, periodOf, startTicker } from '../../local/loops/ticker.ts';
import { between } from '../../simulator/data/random.ts';
import type { Delivery } from './delivery.ts';
import type { Strike } from './faults.ts';
import { Life, ProcessLife } from './life.ts';
import type { PassesOracle } from './oracle/passes.ts';
import type { RowsOracle } from './oracle/rows.ts';
import { Violation } from './oracle/violation.ts';
import type { Passes } from './passes.ts';
import { areClose } from './plan/clocks.ts';
import type { Pollers } from './pollers.ts';
import { type Release, today } from './releases/release.ts';
import type { Shared } from './shared.ts';

const MINUTE_MS = 60_000;
/** As deployed: infra/parts/tick.ts. */
const LIMIT_MS = 60_000;
/** The most minutes that may pass without a tick, and the longest time after which one may come a second
 *  time. */
const MISSED_MINUTES = 4;
const APART_MS = 50_000;
/** How long it takes until a process of one machine that died is started again, in ms. */
const RESTART_MS = [500, 5_000] as const;
/** By how much the age of a pass may be wrong: it is told in whole seconds, by one of two clocks. */
const SLACK_MS = 5_000;
/** How much older than its interval the last idle pass may be that a tick goes by, though the process's own rows say more. */
const IDLE_MS = 2 * MINUTE_MS;

interface Ticked {
  readonly delivery: Delivery;
  readonly passes: Passes;
  readonly pollers: Pollers;
  readonly paces: PassesOracle;
  readonly rows: RowsOracle;
}

/** What a tick has done for passes. */
interface Done {
  claimed: boolean;
  sent: boolean;
}

/** The process of one machine that ticks. */
interface Ticking {
  readonly isOn: boolean;
  readonly ticker: LocalTicker;
}

/** What ticks. On AWS, EventBridge's Scheduler starts a process for each minute's tick. On one machine it is the ticker of `npm start`, in a
 *  process that is started again when it dies. */
export class Ticker {
  readonly #shared: Shared;
  readonly #with: Ticked;
  /** Whether it starts passes. If not, it only looks after endpoints, where that is needed. */
  isOn = false;
  /** No tick comes, whatever there is. */
  isPaused = false;
  #ticks = 0;
  #missing = 0;
  #ticking: Ticking | undefined;
  readonly #underWay = new Set<object>();

  constructor(shared: Shared, ticked: Ticked) {
    this.#shared = shared;
    this.#with = ticked;
    shared.scheduler.after(MINUTE_MS, () => this.#minute());
  }

  /** Whether ticks are to start passes now. */
  get #isStarting(): boolean {
    return this.isOn && !this.isPaused;
  }

  /** Whether a tick would do something. All others are left out: thousands of ticks with nothing to do would show no more. */
  get #isNeeded(): boolean {
    return this.#isStarting || !this.#with.rows.isQuiet(this.#shared.scheduler.now);
  }

  #processesOf(release: Release): ScheduledProcess[] {
    return release.scheduledIn([this.#with.pollers.settingsOf(release)]);
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
    const { scheduler, plan, storage } = this.#shared;
    scheduler.after(MINUTE_MS, () => this.#minute());
    if (!this.#isNeeded) return;
    if (storage.isLocal) {
      this.#start();
      return;
    }
    const isOn = this.#isStarting;
    if (isOn && this.#isMissed(MINUTE_MS)) return;
    this.#tick(isOn, plan.ticks[this.#ticks++] ?? []);
    if (isOn) this.#again(MINUTE_MS, () => this.#tick(isOn, []));
  }

  /** Has a tick come twice, now and then. @param period ms from one tick to the next */
  #again(period: number, tick: () => void): void {
    const { scheduler, plan, nature, random, coverage } = this.#shared;
    if (!nature.faulty || random() >= ((plan.schedule?.mess.twice ?? 0) * period) / MINUTE_MS) return;
    const isApart = random() < 0.5;
    coverage.add('tick', isApart ? 'twice, a while apart' : 'twice at once');
    scheduler.after(isApart ? random() * APART_MS : 0, () => {
      if (!this.isPaused) tick();
    });
  }

  #isMissed(period: number): boolean {
    const { plan, nature, random, coverage } = this.#shared;
    if (!nature.faulty) return false;
    if (this.#missing === 0 && random() < ((plan.schedule?.mess.missed ?? 0) * period) / MINUTE_MS) {
      this.#missing = 1 + Math.floor((random() * MISSED_MINUTES * MINUTE_MS) / period);
      if (this.#missing > 1) coverage.add('tick', 'missed for minutes');
    }
    if (this.#missing === 0) return false;
    this.#missing -= 1;
    return true;
  }

  /** A tick in a process of its own. Its errors appear in Lambda's metrics only; the next tick makes up for it. */
  #tick(isOn: boolean, strikes: readonly Strike[]): void {
    const { scheduler, nature, releases, fail } = this.#shared;
    const begin = (died: () => void) => {
      const life = new Life(nature, died, releases.draw('tick'));
      life.expect(strikes);
      return life;
    };
    const deadline = scheduler.now + LIMIT_MS;
    const remaining = () => deadline - scheduler.now;
    void this.#tickOf(begin, { isOn }, remaining).catch(
      error => void (error instanceof TypeError && fail(error)),
    );
  }

  /** Starts the process of one machine, unless it runs. */
  #start(): void {
    const isOn = this.#isStarting;
    if (this.#ticking?.isOn === isOn) return;
    this.#stop();
    const { scheduler, clocks, nature, plan, random, storage, fail } = this.#shared;
    const period = isOn ? periodOf(this.#processesOf(today)) : MINUTE_MS;
    const process = new ProcessLife(nature, () => {
      if (this.#ticking === ticking) this.#ticking = undefined;
      scheduler.after(between(random, ...RESTART_MS), () => {
        if (this.#isNeeded) this.#start();
      });
    });
    const { rows } = storage.reachedBy({
      ...{ life: process, clock: () => scheduler.now, sleep: ms => process.sleep(ms), ran: () => {} },
    });
    const ticker = startTicker({
      ...{ period, clock: clocks.of(0), sleep: (ms, signal) => process.sleep(ms, signal) },
      tick: async remaining => {
        // The first tick comes before there is a ticker to stop.
        await process.sleep(0);
        // Without passes to start, the looks between two ticks would show no more: the next minute starts another process.
        if (!isOn || !this.#isStarting) this.#stop();
        if (isOn !== this.#isStarting) return;
        if (isOn && this.#isMissed(period)) return;
        if (isOn) this.#again(period, () => ticker.now());
        const begin = (died: () => void) => process.begin(plan.ticks[this.#ticks++] ?? [], died);
        await this.#tickOf(begin, { isOn, period }, remaining, life => process.ends(life));
      },
      hasJobs: async () => (await rows.list()).some(hasJob),
      isChanged: () => false,
      onChange: async () => {},
      onFailure: error => void (error instanceof TypeError && fail(error)),
    });
    const ticking = { isOn, ticker };
    this.#ticking = ticking;
  }

  #stop(): void {
    void this.#ticking?.ticker.stop();
    this.#ticking = undefined;
  }

  /** @param begin begins the life of the tick, and is told what to do when it dies */
  async #tickOf(
    begin: (died: () => void) => Life,
    how: { readonly isOn: boolean; readonly period?: number },
    remaining?: () => number,
    ended: (life: Life) => void = () => {},
  ): Promise<void> {
    const done = { claimed: false, sent: false };
    const end = this.#begins();
    const life = begin(() => {
      this.#died(done);
      end();
    });
    const cutOff = this.#shared.scheduler.after(LIMIT_MS, () => life.kill());
    try {
      await this.#tickIn(life, { ...how, done })(remaining);
    } finally {
      cutOff();
      ended(life);
      end();
    }
  }

  #tickIn(
    life: Life,
    { isOn, done, period }: { readonly isOn: boolean; readonly done: Done; readonly period?: number },
  ): Tick {
    const { scheduler, clocks, log } = this.#shared;
    const { paces } = this.#with;
    const oldest = paces.oldestPass;
    const count = ({ OldestPassAge: age }: { readonly OldestPassAge?: number }) => {
      if (isOn && life.struck === 0 && age !== undefined)
        this.#checkAge(age * 1_000, Math.max(0, clocks.of(0)() - oldest));
    };
    const { registry, queues, jobs } = this.#with.delivery.lookedAfterBy(life);
    return life.release.createTick({
      // The last release calls them `replays`.
      ...{ registry, queues, jobs, replays: jobs, log, period, count },
      // Endpoints are looked after by the deliverers' clock.
      clock: isOn ? clocks.of(0) : () => scheduler.now,
      ...(isOn && { passes: this.#passes(life, done) }),
    });
  }

  /** Checks the age of the oldest pass, as a tick tells it: alarms watch it. `most` is by what stood in the table when the tick began. */
  #checkAge(age: number, most: number): void {
    const { plan, fail } = this.#shared;
    // A tick may read what stood in the table a second before: then a pass that has just ended does not count yet, and the one before it
    // may be of any age, as behind a restore.
    if (most < SLACK_MS) return;
    const untold = (plan.schedule?.changes.slowest ?? 0) + IDLE_MS;
    if (age <= most + untold + SLACK_MS || !areClose(plan)) return;
    fail(new Violation(6, `a tick takes the oldest pass for ${age} ms old, where it is ${most} ms at most`));
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
    const { claims, progress, remember, workspaces } = storage.reachedBy({
      life,
      clock: () => scheduler.now,
      sleep: ms => life.sleep(ms),
      ran: (call, isDone) => {
        if (call === 'claim') ran(isDone);
        wrote();
      },
    });
    return {
      processes: this.#processesOf(life.release),
      ...{ claims, progress, remember, rows: workspaces },
      queue: this.#with.passes.portOf(life, () => {
        done.sent = true;
      }),
    };
  }
}
