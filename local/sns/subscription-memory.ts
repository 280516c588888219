import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { writeWhole } from '../../functions/basics/write-whole.ts';

const stored = z.array(
  z.object({ url: z.string(), name: z.string(), subscriptionArn: z.string(), token: z.string() }),
);

/** Two with equal ones are the same subscription. Its filter and format may change, as on AWS. */
export interface Asked {
  /** As in `URL.href`. */
  readonly url: string;
  readonly name: string;
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

  /** The identity of this subscription to this topic, if it was confirmed in an earlier run. */
  recall(topicArn: string, { url, name }: Asked): Identity | undefined {
    const found = this.#all.find(
      one => one.subscriptionArn.startsWith(`${topicArn}:`) && one.url === url && one.name === name,
    );
    if (found === undefined) return undefined;
    const { subscriptionArn, token } = found;
    this.#wanted.add(subscriptionArn);
    return { subscriptionArn, token };
  }

  remember({ url, name }: Asked, { subscriptionArn, token }: Identity): void {
    this.#wanted.add(subscriptionArn);
    const others = this.#all.filter(one => one.url !== url && one.name !== name);
    this.#replace([...others, { url, name, subscriptionArn, token }]);
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
