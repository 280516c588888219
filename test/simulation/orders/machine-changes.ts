import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan } from '../../../local/cli/plan.ts';
import { QUEUES } from '../../../local/data/store.ts';
import { someEvents } from '../../kit/delivery/setting.ts';
import { Violation } from '../oracle/violation.ts';
import { type Command, Commands } from './machine-commands.ts';
import {
  type Answer,
  FAILING_MS,
  Machine,
  type ReceiverName,
  type Strike,
  SUBSCRIPTION,
  WEBHOOK,
} from './machine-side.ts';

/** What happens at a call of one machine, or in a reload. */
export type Change =
  | 'a reload whose service can not be read'
  | 'a reload whose secret can not be read'
  | 'a reload'
  | 'a failure in a reload'
  | 'failures in a reload'
  | 'a kill in a reload'
  | 'a restart without the webhook'
  | 'a reload without the webhook'
  | Command;

export const CHANGES: readonly Change[] = [
  'a reload',
  'a reload whose service can not be read',
  'a reload whose secret can not be read',
  'a failure in a reload',
  'failures in a reload',
  'a kill in a reload',
  'a restart without the webhook',
  'a reload without the webhook',
  'a pause by a command',
  'a resend of dead letters by a command',
  'a replay by a command',
  'a removal by a command',
];

const IN_RELOAD: Partial<Record<Change, Strike['mishap']>> = {
  'a failure in a reload': 'fails',
  'failures in a reload': 'fails for long',
  'a kill in a reload': 'killed after',
};
/** When the events are committed, in ms after the start. */
const [FIRST_MS, SECOND_MS] = [1_500, 3_000];
/** When something may happen, in ms after the start. */
const CHANGES_MS = 8_000;
const PAUSED_MS = 6_000;
/** Longer than messages for an unknown endpoint are kept. */
const WITHOUT_MS = 330_000;
/** The first retry is after 6 s at most, or a subscription's after 20 s. */
const SETTLED_MS = 25_000;
const SOON_MS = 3_000;
/** Longer than a stop waits. */
const SLOW_MS = 3_000;
const HIDDEN_MS = (QUEUES.events.visibility + QUEUES.deliveries.visibility) * 1_000;
/** When a command has an effect on what is under way, at the latest. */
const EFFECT_MS = 1_000;
const RECEIVERS = [WEBHOOK, SUBSCRIPTION] as const;

/** Four events that are committed on one machine, for a webhook that refuses the second once, and for a subscription; and a fifth at the
 *  end, which shows that everything runs once. */
class ChangedMachine {
  readonly #change: Change;
  readonly #machine: Machine;
  /** The last two are dead letters of the webhook before. */
  readonly #events = someEvents(7);
  readonly #commands: Commands;
  /** By receiver and event, when it was sent; and whether a run has the answer that it was accepted. */
  readonly #sent = new Map<string, number[]>();
  readonly #answered = new Set<string>();
  #isRefused = false;
  /** The events of the webhook while no configuration has it. */
  #kept: readonly string[] | undefined;
  #isMissing = false;
  #isReloaded = false;
  /** From when on nothing may be sent to the webhook. */
  #closedAt = Number.POSITIVE_INFINITY;
  #isChanged = false;

  constructor(directory: string, change: Change, nth: number) {
    this.#change = change;
    const mishap = IN_RELOAD[change];
    const meets = () => void this.#meets().catch(error => this.#machine.judge(() => raise(error)));
    const strike: Strike = mishap ? { mishap, nth, isInReload: true } : { mishap: 'met', nth, meets };
    const receives = (receiver: ReceiverName, id: string) => this.#receives(receiver, id);
    this.#machine = new Machine(directory, strike, { receives, judge: () => this.#check() });
    this.#commands = new Commands(this.#machine, directory);
  }

  get struck(): Machine['struck'] {
    return this.#machine.struck;
  }

  /** @returns whether there was such a call */
  async live(): Promise<boolean> {
    const machine = this.#machine;
    const { scheduler } = machine;
    const begin = scheduler.now;
    const until = (ms: number) => scheduler.pass(begin + ms - scheduler.now);
    const realTimers = machine.timers();
    try {
      await this.#commands.givesUp(this.#events.slice(5));
      if (this.#isRemoved) await this.#commands.adds();
      machine.start(this.#isRemoved ? { wanted: [] } : {});
      await until(FIRST_MS);
      machine.commits(this.#events.slice(0, 2));
      await until(SECOND_MS);
      machine.commits(this.#events.slice(2, 4));
      await until(CHANGES_MS);
      if (!machine.struck) return false;
      if (this.#change.endsWith('without the webhook')) await scheduler.pass(WITHOUT_MS);
      if (this.#change === 'failures in a reload') await scheduler.pass(FAILING_MS + HIDDEN_MS);
      await scheduler.pass(SETTLED_MS);
      machine.judge(() => this.#checkSettled());
      machine.commits(this.#events.slice(4, 5));
      await scheduler.pass(SOON_MS);
      machine.judge(() => this.#checkLast());
    } finally {
      realTimers();
    }
    if (machine.failure) throw machine.failure;
    return true;
  }

  get #isRemoved(): boolean {
    return this.#change === 'a removal by a command';
  }

  #ends(): void {
    this.#isChanged = true;
  }

  async #meets(): Promise<void> {
    const machine = this.#machine;
    const { plan } = machine;
    if (this.#change.endsWith('without the webhook')) return this.#leavesOut(plan);
    if (isCommand(this.#change)) return this.#carriesOut(this.#change);
    const isTaken = await machine.reloads(this.#next(plan));
    if (isTaken !== (this.#change === 'a reload'))
      throw new Violation(11, `the reload was ${isTaken ? '' : 'not '}taken up`);
    this.#ends();
  }

  async #carriesOut(command: Command): Promise<void> {
    const { scheduler } = this.#machine;
    if (this.#isRemoved) this.#kept = [];
    await this.#commands.carryOut(command);
    // A batch goes on after its first event has been answered.
    if (this.#isRemoved) this.#closedAt = scheduler.now + EFFECT_MS + SLOW_MS;
    if (command === 'a pause by a command') {
      this.#closedAt = scheduler.now + EFFECT_MS;
      await scheduler.sleep(PAUSED_MS);
      this.#closedAt = Number.POSITIVE_INFINITY;
      await this.#commands.resumes();
    }
    this.#ends();
  }

  #next(plan: Plan): Partial<Plan> {
    if (this.#change.includes('service'))
      return {
        open: async run => Promise.reject(new Error(`not read: ${(await plan.open(run)).description}`)),
      };
    const [webhook] = plan.wanted;
    if (!this.#change.includes('secret') || !webhook) return {};
    return { wanted: [webhook, { ...webhook, name: 'unreadable', secrets: [] }] };
  }

  /** Starts, or reloads, without the webhook, and after a while with it. */
  async #leavesOut({ wanted, receivers }: Plan): Promise<void> {
    const machine = this.#machine;
    const isReload = this.#change.startsWith('a reload');
    const without = { wanted: [], receivers: receivers.filter(({ kept }) => kept !== WEBHOOK) };
    this.#kept ??= this.#events.map(({ id }) => id).filter(id => machine.keeps(WEBHOOK, id));
    if (isReload) await machine.reloads(without);
    else machine.restarts(without);
    this.#isMissing = true;
    await machine.scheduler.sleep(WITHOUT_MS);
    this.#isMissing = false;
    if (isReload) await machine.reloads({ wanted, receivers });
    else machine.restarts({ wanted, receivers });
    this.#ends();
  }

  #receives(receiver: ReceiverName, id: string): Answer {
    const machine = this.#machine;
    const key = `${receiver} ${id}`;
    machine.judge(() => {
      if (receiver === WEBHOOK && machine.scheduler.now > this.#closedAt)
        throw new Violation(11, `${id} is sent to an endpoint that is paused or removed`);
      if (receiver === WEBHOOK && this.#isMissing)
        throw new Violation(11, `${id} is sent to an endpoint that is not configured`);
      if (!machine.keeps(receiver, id))
        throw new Violation(11, `${receiver} is sent ${id}, which no row has`);
    });
    if (
      IN_RELOAD[this.#change] &&
      receiver === SUBSCRIPTION &&
      id === this.#events[3]?.id &&
      !this.#isReloaded
    ) {
      this.#isReloaded = true;
      machine.scheduler.after(0, () => void machine.reloads().finally(() => this.#ends()));
    }
    const isRefused = !this.#isRefused && receiver === WEBHOOK && id === this.#events[1]?.id;
    if (isRefused) this.#isRefused = true;
    else this.#sent.set(key, [...(this.#sent.get(key) ?? []), machine.scheduler.now]);
    return {
      outcome: isRefused ? 'failed' : 'delivered',
      late: receiver === WEBHOOK && id === this.#events[2]?.id ? SLOW_MS : 0,
      arrives: () => void (isRefused || this.#answered.add(key)),
    };
  }

  /** Each event that counts as published was accepted, or a row has it. */
  #check(): void {
    const committed = this.#events.slice(0, 5).map(({ id }) => id);
    const published = committed.slice(0, this.#machine.published * 2);
    this.#checkKept(SUBSCRIPTION, published);
    this.#checkKept(WEBHOOK, this.#kept ?? published);
  }

  #checkKept(receiver: ReceiverName, ids: readonly string[]): void {
    const lost = ids.find(
      id => !this.#answered.has(`${receiver} ${id}`) && !this.#machine.keeps(receiver, id),
    );
    if (lost)
      throw new Violation(11, `${lost} counts as published, but neither ${receiver} nor a row has it`);
  }

  #checkSettled(): void {
    this.#check();
    if (!this.#isChanged && this.#change !== 'a kill in a reload')
      throw new Violation(11, 'the reload never ends');
    const { starts, open } = this.#machine;
    if (starts > 1 && /^a reload/.test(this.#change)) throw new Violation(11, 'a reload ends the process');
    if (open !== 1) throw new Violation(11, `${open} connections of one subscription are open`);
    const [left] = this.#machine.rows(
      'SELECT (SELECT count(*) FROM pending) + (SELECT count(*) FROM message WHERE receives > 0) AS rows',
    );
    if (left?.rows !== 0) throw new Violation(11, `${left?.rows} rows of what was accepted stay`);
    for (const receiver of RECEIVERS)
      for (const [index, { id }] of this.#events.slice(0, 4).entries()) this.#checkSent(receiver, id, index);
    this.#checkDead();
  }

  #checkDead(): void {
    const unsent = this.#events.slice(5).filter(({ id }) => !this.#sent.has(`${WEBHOOK} ${id}`));
    const left = this.#machine.rows('SELECT 1 FROM dead');
    const isResent = this.#change === 'a resend of dead letters by a command';
    if (unsent.length !== (isResent ? 0 : 2) || left.length !== (isResent || this.#isRemoved ? 0 : 2))
      throw new Violation(11, `${unsent.length} of 2 dead letters are not sent, ${left.length} are left`);
  }

  #checkSent(receiver: ReceiverName, id: string, index: number): void {
    const times = this.#sent.get(`${receiver} ${id}`)?.length ?? 0;
    const isLeftOut = receiver === WEBHOOK && this.#kept?.includes(id) === false;
    // An answer that takes longer than a stop is not waited for, and what comes after it neither.
    const isCutOff = receiver === WEBHOOK && index >= 2 && !isCommand(this.#change);
    const repeated = /failure|kill|restart/.test(this.#change) ? (receiver === WEBHOOK ? 2 : 1) : 0;
    const cutOff = isCutOff && (repeated === 0 || this.#change === 'failures in a reload') ? 1 : 0;
    const replayed = receiver === WEBHOOK && this.#change === 'a replay by a command' ? 1 : 0;
    const most = 1 + repeated + cutOff + replayed;
    if (times > most || (times === 0 && !isLeftOut))
      throw new Violation(11, `${receiver} gets ${id} ${times} times`);
  }

  #checkLast(): void {
    const id = this.#events[4]?.id;
    for (const receiver of RECEIVERS) {
      const times = this.#sent.get(`${receiver} ${id}`)?.length ?? 0;
      if (times !== (receiver === WEBHOOK && this.#isRemoved ? 0 : 1))
        throw new Violation(11, `${receiver} gets what is committed at the end ${times} times`);
    }
  }
}

function isCommand(change: Change): change is Command {
  return change.endsWith('by a command');
}

function raise(error: unknown): never {
  throw error;
}

/** Lives once for each call at which the change may happen; with `step`, for some calls only. */
export async function changeAtEach(change: Change, step: number, onDone: () => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'changewire-machine-'));
  // Not a file with a secret.
  mkdirSync(join(directory, 'unreadable.secret'));
  try {
    for (let nth = 0; await lives(new ChangedMachine(directory, change, nth), nth); nth += step) onDone();
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function lives(world: ChangedMachine, nth: number): Promise<boolean> {
  try {
    return await world.live();
  } catch (error) {
    const where = `call ${nth}: ${world.struck?.what.replaceAll(/\s+/g, ' ')}`;
    throw new Error(`${(error as Error).message}\n  ${where}`, { cause: error });
  }
}
