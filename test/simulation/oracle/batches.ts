import { idOf } from './rows.ts';
import { Violation } from './violation.ts';

/** Finds the messages of the queue that a body tells, which a channel took. `taken`: what it took in this
 *  run before.
 *  @throws Violation when it tells none of them */
export type Reader = (body: string, records: readonly InHand[], taken: readonly Taken[]) => readonly InHand[];

/** A message of the queue, or a row, that a run has in hand. */
export interface InHand {
  readonly messageId: string;
  readonly body: string;
  /** How often a message was received, by now. */
  readonly receives?: number;
  /** Only of a row: that of a replay, one with a failed attempt, or one that is due later. */
  readonly isReplay?: boolean;
  readonly isTried?: boolean;
  readonly isLater?: boolean;
  readonly due?: number;
}

export interface Taken {
  readonly body: string;
  readonly records: readonly InHand[];
}

/** Statuses after which a channel is asked for nothing for SLOWED_MS at least; after GONE, never again. */
const SLOW_DOWN = new Set([429, 502, 503, 504]);
const SLOWED_MS = 5000;
const GONE = 410;

/** Judges the runs of the deliver function for one chat by their input and output: a message that a run
 *  is done with was taken by the channel or is a dead letter, and one that it knows to be taken does not
 *  come again. */
export class BatchesOracle {
  readonly #name: string;
  readonly #read: Reader;
  readonly #isSafe: (body: string) => boolean;
  #records: readonly InHand[] = [];
  #taken: Taken[] = [];
  #known: Taken[] = [];
  #notBefore = 0;

  /** `isSafe`: whether the channel has the event of this body, or a row holds it. */
  constructor(name: string, read: Reader, isSafe: (body: string) => boolean) {
    this.#name = name;
    this.#read = read;
    this.#isSafe = isSafe;
  }

  /** A run begins with these messages of its queue, which may hand over one of them twice. */
  begin(records: readonly InHand[]): void {
    this.#records = [...new Map(records.map(record => [record.messageId, record])).values()];
    this.#taken = [];
    this.#known = [];
    this.#notBefore = 0;
  }

  /** The channel took a body at `now`, whether or not anybody will know. Returns what it told. */
  took(body: string, now: number): readonly InHand[] {
    if (now < this.#notBefore)
      throw new Violation(11, `${this.#name} said to wait, but was sent more: ${body}`);
    const records = this.#read(body, this.#records, this.#taken);
    this.#taken.push({ body, records });
    return records;
  }

  /** The channel's answer arrived at `now`. */
  heard(body: string, status: number, now: number): void {
    // Messages about two projects may look the same. They are sent one after the other, so it is the last
    // such one.
    const taken = this.#taken.findLast(one => one.body === body);
    if (status === 200 && taken) this.#known.push(taken);
    if (status === GONE) this.#notBefore = Number.POSITIVE_INFINITY;
    if (SLOW_DOWN.has(status)) this.#notBefore = Math.max(this.#notBefore, now + SLOWED_MS);
  }

  /** The run ended by itself: these messages are to come again. `isFree`: nothing went wrong in it, and it had time. */
  end(again: ReadonlySet<string>, isFree: boolean): void {
    const told = new Set(this.#taken.flatMap(({ records }) => records.map(({ body }) => body)));
    for (const { messageId, body } of this.#records) {
      if (isFree && again.has(messageId))
        throw new Violation(11, `${this.#name} was not told ${idOf(body)}, though nothing went wrong`);
      if (again.has(messageId) || told.has(body) || this.#isSafe(body)) continue;
      throw new Violation(1, `${this.#name} was never told ${idOf(body)}, but its message left the queue`);
    }
    // After trouble a message that was received before may stay, because a row of it could not be settled.
    for (const { records } of this.#known)
      this.#checkSettled(isFree ? records : records.filter(isFirstReceive), again);
  }

  /** A message settles all that it tells. */
  #checkSettled(records: readonly InHand[], again: ReadonlySet<string>): void {
    const left = records.filter(({ messageId }) => again.has(messageId));
    if (left.length === 0) return;
    const ids = left.map(({ body }) => idOf(body)).join(', ');
    throw new Violation(11, `${this.#name} took ${ids}, but they are tried again`);
  }
}

/** Whether a queue hands over a message for the first time: no run can have written a row of it before. */
function isFirstReceive({ receives }: InHand): boolean {
  return receives === 1;
}

/** Checks one run of the deliver function: a message leaves its queue exactly when the run heard that its
 *  endpoint took it, or when it stands in a row. */
export class SettlingOracle {
  readonly #records: readonly InHand[];
  readonly #isSafe: (body: string) => boolean;
  /** Bodies that the receiver took, and of which the run heard so. */
  readonly #taken = new Set<string>();

  /** `isSafe`: whether the endpoint has the event of this body, or a row holds it. */
  constructor(records: readonly InHand[], isSafe: (body: string) => boolean) {
    this.#records = records;
    this.#isSafe = isSafe;
  }

  took(body: string): void {
    this.#taken.add(body);
  }

  /** `staying`: the messages that are to come again. `isFree`: nothing went wrong in the run; else one may stay because a row of it
   *  could not be settled, or because it failed itself while a row of the same event was delivered. */
  ends(staying: ReadonlySet<string>, isFree: boolean): void {
    const bodies = Map.groupBy(this.#records, ({ body }) => body);
    for (const [body, records] of bodies) {
      const stay = records.filter(({ messageId }) => staying.has(messageId));
      // A queue may hand over one message, or one event, twice: the other may fail.
      if (isFree && stay.length === records.length && this.#taken.has(body))
        throw new Violation(11, `${idOf(body)} was delivered, but its message stays`);
      if (stay.length < records.length && !this.#isSafe(body))
        throw new Violation(1, `a message with ${idOf(body)} leaves the queue, but it was not delivered`);
    }
  }
}
