import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { writeWhole } from '../../functions/basics/write-whole.ts';
import type { Filter } from './messages.ts';

const stored = z.array(
  z.strictObject({
    url: z.string(),
    name: z.string(),
    raw: z.boolean(),
    filter: z.record(z.string(), z.array(z.string()).readonly()).optional(),
    subscriptionArn: z.string(),
    token: z.string(),
  }),
);

/** A subscription's options; two with equal ones are the same subscription. */
export interface Asked {
  /** As in `URL.href`. */
  readonly url: string;
  readonly name: string;
  readonly raw: boolean;
  readonly filter?: Filter | undefined;
}

/** The identity of a subscription, as its receiver knows it. */
export interface Identity {
  readonly subscriptionArn: string;
  readonly token: string;
}

type Remembered = Asked & Identity;

/** Remembers confirmed subscriptions across restarts in `<directory>/subscriptions.json` (mode 0600: a URL can
 *  contain a secret). Each change is on disk when the call returns; failed writes throw the file system's error. */
export class SubscriptionMemory {
  readonly #file: string;
  /** The ARNs that were recalled or remembered since the start. */
  readonly #wanted = new Set<string>();
  #all: readonly Remembered[];

  /** @throws if the file is damaged, with the remedy */
  constructor(directory: string) {
    this.#file = join(directory, 'subscriptions.json');
    this.#all = read(this.#file);
  }

  /** The identity of a subscription with these options to this topic that was confirmed in an earlier run. */
  recall(topicArn: string, asked: Asked): Identity | undefined {
    const found = this.#all.find(
      one =>
        one.subscriptionArn.startsWith(`${topicArn}:`) && isDeepStrictEqual(essence(one), essence(asked)),
    );
    if (found === undefined) return undefined;
    const { subscriptionArn, token } = found;
    this.#wanted.add(subscriptionArn);
    return { subscriptionArn, token };
  }

  remember(asked: Asked, { subscriptionArn, token }: Identity): void {
    this.#wanted.add(subscriptionArn);
    const others = this.#all.filter(({ url, name }) => url !== asked.url && name !== asked.name);
    this.#replace([...others, { ...essence(asked), subscriptionArn, token }]);
  }

  forget(arn: string): void {
    this.#replace(this.#all.filter(({ subscriptionArn }) => subscriptionArn !== arn));
  }

  /** Forgets the subscriptions that were neither recalled nor remembered since the start. */
  forgetOthers(): void {
    this.#replace(this.#all.filter(({ subscriptionArn }) => this.#wanted.has(subscriptionArn)));
  }

  #replace(next: readonly Remembered[]): void {
    if (isDeepStrictEqual(next, this.#all)) return;
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    writeWhole(this.#file, `${JSON.stringify(next, null, 2)}\n`);
    this.#all = next;
  }
}

function essence({ url, name, raw, filter }: Asked): Asked {
  return { url, name, raw, ...(filter && { filter }) };
}

function read(file: string): Remembered[] {
  try {
    chmodSync(file, 0o600);
    return stored.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    if (code !== undefined) throw error;
    // Without the cause: a parser's message may quote the file, which contains secrets.
    throw new Error(`${file} is damaged. Delete it; every endpoint is then asked to confirm again.`);
  }
}
