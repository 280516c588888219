import { createHash } from 'node:crypto';
import type { Boundary } from '../faults.ts';
import type { Gate } from '../life.ts';

/** A call that waits for its turn. */
export interface Waiting {
  readonly boundary: Boundary;
  readonly name: string;
  readonly call: (fault?: string) => unknown;
}

/** A party with its calls that wait, and the answers that it got: what it does next depends on nothing else. */
export class Walker {
  readonly name: string;
  readonly waiting: Waiting[] = [];
  isUnderWay = true;
  readonly #answers: { readonly of: string; answer: string | undefined }[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** @param rename names a call better than its boundary does */
  gate(rename: (name: string) => string = name => name): Gate {
    return { hold: (call, boundary, name) => void this.waiting.push({ boundary, name: rename(name), call }) };
  }

  /** It makes no further call. */
  ends(): void {
    this.isUnderWay = false;
    this.waiting.length = 0;
  }

  /** Lets one of its calls have its effect. */
  take(waits: Waiting, text: string, fault?: string): void {
    this.waiting.splice(this.waiting.indexOf(waits), 1);
    const given = { of: text, answer: undefined as string | undefined };
    this.#answers.push(given);
    const note = (value: unknown) => {
      given.answer = digest(value instanceof Error ? String(value) : value);
    };
    const answer = waits.call(fault);
    if (answer instanceof Promise) answer.then(note, note);
    else note(answer);
  }

  get state(): unknown {
    return this.isUnderWay ? this.#answers : 'over';
  }
}

/** Whose turn it is, in orders that leave a party that could go on at most a number of times. */
export class Turns {
  #switches: number;
  #last: Walker | undefined;

  constructor(switches = Number.POSITIVE_INFINITY) {
    this.#switches = switches;
  }

  /** Those that may make the next call. */
  among(walkers: readonly Walker[]): readonly Walker[] {
    return this.#switches === 0 && this.#last?.waiting.length ? [this.#last] : walkers;
  }

  /** To be called before a call is taken. */
  take(walker: Walker): void {
    if (this.#last !== walker && this.#last?.waiting.length) this.#switches -= 1;
    this.#last = walker;
  }

  get state(): unknown {
    return Number.isFinite(this.#switches) ? [this.#switches, this.#last?.name] : [];
  }
}

/** A digest of data. */
export function digest(value: unknown): string {
  return createHash('sha1')
    .update(JSON.stringify(value, plain) ?? '')
    .digest('base64');
}

function plain(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const own = this[key];
  if (own instanceof Uint8Array) return Buffer.from(own).toString('latin1');
  if (own instanceof Map || own instanceof Set) return [...own];
  return value;
}
