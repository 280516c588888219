import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QUEUES } from '../../../local/data/store.ts';
import { someEvents } from '../../kit/delivery/setting.ts';
import { Violation } from '../oracle/violation.ts';
import {
  type Answer,
  FAILING_MS,
  Machine,
  type Mishap,
  type ReceiverName,
  type Strike,
  SUBSCRIPTION,
  WEBHOOK,
} from './machine-side.ts';

export const MISHAPS: readonly Mishap[] = [
  ...([
    'killed before',
    'killed after',
    'fails',
    'fails for long',
    'answer lost',
    'reloaded',
    'paused',
    'blocked',
  ] as const),
  ...(['an hour back', 'an hour back while it rests', 'an hour back in a restart'] as const),
  'fails, then an hour back',
  ...(['an hour ahead', 'an hour ahead while it rests', 'corrected', 'corrected while it rests'] as const),
];
/** When a mishap may happen, in ms after the start. */
const MISHAPS_MS = 28_000;
/** How long the world goes on after that. */
const AFTERWARDS_MS = 82_000;
/** How long a delivery takes that needs no retry, after a commit or a restart: the feed reads each second. */
const SOON_MS = 3_000;
/** How long messages stay hidden that a full disk let neither be returned nor deleted: those of the router, then those of deliveries. */
const HIDDEN_MS = (QUEUES.events.visibility + QUEUES.deliveries.visibility) * 1_000;
/** How long the loops take to notice a mishap. A subscription reads its rows each 20 s in case the clock was set; an event whose handler failed
 *  is shown again after 5 s. */
const NOTICED_MS: Readonly<Partial<Record<Mishap, number>>> = {
  ...{ fails: 6_000, 'fails for long': FAILING_MS + HIDDEN_MS, 'fails, then an hour back': 27_000 },
  ...{ 'an hour back': 21_000, 'an hour back while it rests': 21_000 },
  ...{ 'an hour ahead': 21_000, 'an hour ahead while it rests': 21_000 },
};
/** The longest pauses after refused attempts, in ms. */
const RETRIES_MS: Readonly<Record<ReceiverName, readonly number[]>> = {
  [WEBHOOK]: [6_000, 36_000],
  [SUBSCRIPTION]: [20_000, 20_000],
};
const FIRST_PAUSES_MS = { [WEBHOOK]: 5_000, [SUBSCRIPTION]: 19_999 };
/** The longest time between two reads of a queue. */
const READ_EACH_MS = 20_000;
/** The delays of messages that another process sends. */
const DELAYS_MS = [80_000, 0] as const;
/** How long the webhook takes to answer the third event, in ms: longer than a stop waits. */
const SLOW_MS = 3_000;

/** When a receiver got an event that it accepts, when a run had its answer, and when it refused the event, in ms since 1970. */
interface Got {
  readonly taken: number[];
  readonly answered: number[];
  readonly refused: number[];
}

/** A message of another process. */
interface Sent {
  readonly seq: number;
  readonly at: number;
  readonly delay: number;
  receivedAt?: number;
}

/** Four events that are committed on one machine, for a webhook and a subscription, of which each refuses the second once; and messages of
 *  another process, one of them delayed. One call meets a mishap. */
class OneMachine {
  readonly machine: Machine;
  readonly #mishap: Mishap | undefined;
  readonly #events = someEvents(4);
  readonly #committed = new Map<string, number>();
  readonly #got = new Map<string, Got>();
  readonly #messages: Sent[] = [];
  #resumedAt: number | undefined;

  constructor(directory: string, strike: Strike | undefined) {
    this.#mishap = strike?.mishap;
    const receives = (receiver: ReceiverName, id: string) => this.#receives(receiver, id);
    this.machine = new Machine(directory, strike, { receives, judge: () => this.#check() });
  }

  /** @returns whether the mishap happened */
  async live(): Promise<boolean> {
    const { machine } = this;
    const { scheduler } = machine;
    const end = scheduler.now + MISHAPS_MS;
    const realTimers = machine.timers();
    try {
      machine.start();
      await scheduler.pass(1_500);
      this.#commit(0, 2);
      await this.#send(DELAYS_MS[0]);
      await scheduler.pass(2_500);
      this.#commit(2, 4);
      await scheduler.pass(8_000);
      await this.#send(DELAYS_MS[1]);
      await scheduler.pass(end - scheduler.now);
      if (this.#mishap === 'paused' && machine.struck) await this.#resume();
      if (machine.struck) await scheduler.pass(AFTERWARDS_MS);
      if (this.#mishap === 'fails for long') await scheduler.pass(HIDDEN_MS);
    } finally {
      realTimers();
    }
    if (this.#mishap && !machine.struck) return false;
    machine.judge(() => this.#checkEnd());
    if (machine.failure) throw machine.failure;
    return true;
  }

  async #resume(): Promise<void> {
    this.#resumedAt = this.machine.scheduler.now;
    await this.machine.resumes();
  }

  #commit(from: number, to: number): void {
    const events = this.#events.slice(from, to);
    this.machine.commits(events);
    for (const { id } of events) this.#committed.set(id, this.machine.scheduler.now);
  }

  async #send(delay: number): Promise<void> {
    await this.machine.wakes(delay / 1000);
    const [row] = this.machine.rows("SELECT max(seq) AS seq FROM message WHERE queue = 'drains'");
    this.#messages.push({ seq: Number(row?.seq), at: this.machine.scheduler.now, delay });
  }

  #gotOf(receiver: ReceiverName, id: string): Got {
    const key = `${receiver} ${id}`;
    const got = this.#got.get(key) ?? { taken: [], answered: [], refused: [] };
    this.#got.set(key, got);
    return got;
  }

  #receives(receiver: ReceiverName, id: string): Answer {
    const { scheduler } = this.machine;
    const { taken, answered, refused } = this.#gotOf(receiver, id);
    this.machine.judge(() => {
      if (receiver === WEBHOOK && this.#isPaused)
        throw new Violation(
          11,
          `${id} is sent ${scheduler.now - (this.machine.struck?.at ?? 0)} ms after a pause`,
        );
      // Of a clock that is set ahead, a message that is being sent is shown again.
      if (!this.#isAhead && !this.machine.keeps(receiver, id))
        throw new Violation(11, `${receiver} is sent ${id}, which no row has`);
    });
    const isRefused = id === this.#events[1]?.id && refused.length === 0;
    (isRefused ? refused : taken).push(scheduler.now);
    return {
      outcome: isRefused ? 'failed' : this.#isDead(receiver, id) ? 'refused' : 'delivered',
      late: receiver === WEBHOOK && id === this.#events[2]?.id ? SLOW_MS : 0,
      arrives: () => void (isRefused || answered.push(scheduler.now)),
    };
  }

  /** Whether the receiver refuses it for good, so that it becomes a dead letter. */
  #isDead(receiver: ReceiverName, id: string): boolean {
    return receiver === SUBSCRIPTION && id === this.#events[3]?.id;
  }

  /** Whether its answer takes long, or comes after one that does. */
  #isSlow(id: string): boolean {
    return this.#events.slice(2).some(event => event.id === id);
  }

  #hasAnswer(receiver: ReceiverName, id: string): boolean {
    return !this.#isDead(receiver, id) && this.#gotOf(receiver, id).answered.length > 0;
  }

  /** Each event that counts as published was accepted, or a row has it. */
  #check(): void {
    const { machine } = this;
    const events = this.#events.slice(0, machine.published * 2);
    for (const receiver of [WEBHOOK, SUBSCRIPTION] as const)
      for (const { id } of events)
        if (!this.#hasAnswer(receiver, id) && !machine.keeps(receiver, id))
          throw new Violation(11, `${id} counts as published, but neither ${receiver} nor a row has it`);
    for (const message of this.#messages) if (message.receivedAt === undefined) this.#look(message);
  }

  /** A message is not received before its time. */
  #look(message: Sent): void {
    const { machine } = this;
    const [row] = machine.rows('SELECT receives FROM message WHERE seq = ?', [message.seq]);
    if (row && Number(row.receives) === 0) return;
    message.receivedAt = machine.scheduler.now;
    const waited = message.receivedAt - message.at;
    const isRestart = this.#mishap === 'an hour back in a restart';
    // What another process sends right after a clock was set back may be taken for older; a start shows what lies too far ahead.
    const isOlder = this.#isBack && machine.struck && (isRestart || machine.struck.at <= message.at);
    if (waited < message.delay && !this.#isAhead && !isOlder)
      throw new Violation(12, `a message with a delay of ${message.delay} ms is received after ${waited} ms`);
  }

  /** What was read just before the pause may still be sent. */
  get #isPaused(): boolean {
    const { struck, scheduler } = this.machine;
    const isOver = this.#mishap !== 'paused' || this.#resumedAt !== undefined;
    return !isOver && struck !== undefined && scheduler.now > struck.at + 1_000;
  }

  get #isBack(): boolean {
    return this.#mishap?.includes('an hour back') === true;
  }

  get #isAhead(): boolean {
    return this.#mishap === 'blocked' || this.#mishap?.startsWith('an hour ahead') === true;
  }

  #checkEnd(): void {
    this.#check();
    const [left] = this.machine.rows('SELECT count(*) AS rows FROM pending');
    if (left?.rows !== 0) throw new Violation(11, `${left?.rows} rows of what was accepted stay`);
    for (const receiver of [WEBHOOK, SUBSCRIPTION] as const)
      for (const { id } of this.#events) this.#checkDelivered(receiver, id);
    for (const message of this.#messages) this.#checkReceived(message);
  }

  #checkReceived({ at, delay, receivedAt = Number.POSITIVE_INFINITY }: Sent): void {
    // By how far a clock was set back is known by its time at the last read.
    const more = this.#isBack && delay > 0 ? READ_EACH_MS : 0;
    const { struck } = this.machine;
    const isDue = this.#mishap?.startsWith('an hour ahead') && struck && struck.at > at;
    const latest = Math.max(isDue ? at : at + delay + more, this.#noticedAt) + SOON_MS;
    if (receivedAt > latest)
      throw new Violation(
        12,
        `a message with a delay of ${delay} ms is received after ${receivedAt - at} ms`,
      );
  }

  /** When the machine goes on after the mishap. */
  get #noticedAt(): number {
    const { struck } = this.machine;
    if (this.#resumedAt !== undefined) return this.#resumedAt;
    return struck && this.#mishap ? struck.at + (NOTICED_MS[this.#mishap] ?? 1_000) : 0;
  }

  /** @throws when it was late, early or too often */
  #checkDelivered(receiver: ReceiverName, id: string): void {
    this.#checkInTime(receiver, id);
    const { taken } = this.#gotOf(receiver, id);
    // A kill may repeat what the feed and the router had under way.
    const repeated = /^killed|restart|for long/.test(this.#mishap ?? '') && receiver === WEBHOOK ? 2 : 1;
    const most = 1 + (this.#mayRepeat(receiver) ? repeated : 0);
    if (taken.length > most) throw new Violation(11, `${receiver} gets ${id} ${taken.length} times`);
  }

  /** Whether an event that was accepted may be sent again, because that could not be written. A subscription's rows are removed later. */
  #mayRepeat(receiver: ReceiverName): boolean {
    const { what = '' } = this.machine.struck ?? {};
    const isNoted =
      receiver === SUBSCRIPTION && this.#mishap === 'fails' && /^(DELETE|SELECT|WITH)/.test(what);
    return !isNoted && /^killed|restart|^fails|^answer lost|^an hour ahead/.test(this.#mishap ?? '');
  }

  #checkInTime(receiver: ReceiverName, id: string): void {
    const { struck } = this.machine;
    const { answered, refused } = this.#gotOf(receiver, id);
    const isRestart = /^killed|reloaded|restart/.test(this.#mishap ?? '');
    const isLost =
      struck?.what === `POST ${receiver}` && ['fails', 'answer lost'].includes(this.#mishap ?? '');
    // A start makes everything due. What failed of a request is a refusal.
    const failures = [...refused, ...(isLost && struck ? [struck.at] : [])];
    const retries = failures
      .toSorted((one, other) => one - other)
      .map((at, index) =>
        isRestart && struck && at < struck.at ? 0 : at + (RETRIES_MS[receiver][index] ?? 0),
      );
    const late = this.#isSlow(id) ? SLOW_MS : 0;
    const latest = Math.max(this.#committed.get(id) ?? 0, this.#noticedAt, ...retries) + late + SOON_MS;
    const [first = Number.POSITIVE_INFINITY] = answered;
    if (first > latest) throw new Violation(1, `${receiver} gets ${id} ${first - latest} ms late`);
    const [refusedAt] = refused;
    const isKept = !this.#mishap || this.#mishap.startsWith('corrected');
    if (isKept && refusedAt !== undefined && first < refusedAt + (FIRST_PAUSES_MS[receiver] ?? 0))
      throw new Violation(12, `${receiver} gets ${id} again ${first - refusedAt} ms after it was refused`);
  }
}

/** Lives once for each call, which meets the mishap; with `step`, for some calls only. */
export async function surviveEach(mishap: Mishap, step: number, onDone: () => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'changewire-machine-'));
  try {
    for (let nth = 0; await survive(directory, { mishap, nth }); nth += step) onDone();
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function survive(directory: string, strike: Strike): Promise<boolean> {
  const world = new OneMachine(directory, strike);
  try {
    return await world.live();
  } catch (error) {
    const { what } = world.machine.struck ?? { what: '' };
    const where = `${JSON.stringify(strike)}: ${what.replaceAll(/\s+/g, ' ')}`;
    throw new Error(`${(error as Error).message}\n  ${where}`, { cause: error });
  }
}
