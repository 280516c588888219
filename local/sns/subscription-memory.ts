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

/** What a receiver knows its subscription by. */
export interface Identity {
  readonly subscriptionArn: string;
  readonly token: string;
}

/** Remembers confirmed subscriptions from one start to the next, as SNS does. Each change is on disk when the call
 *  returns; it throws the file system's error when it can't be written. */
export interface SubscriptionMemory {
  /** The identity under which a subscription with these options to this topic was confirmed in an earlier
   *  run. */
  recall(topicArn: string, asked: Asked): Identity | undefined;
  remember(asked: Asked, identity: Identity): void;
  forget(subscriptionArn: string): void;
  /** Forgets the subscriptions that were neither recalled nor remembered since the start. */
  forgetOthers(): void;
}

type Remembered = Asked & Identity;

/** The memory in `<directory>/subscriptions.json` (mode 0600: a URL can hold a secret).
 *  @throws when the file is damaged, naming the remedy */
export function subscriptionMemory(directory: string): SubscriptionMemory {
  const file = join(directory, 'subscriptions.json');
  let all: readonly Remembered[] = read(file);
  const wanted = new Set<string>();
  const replace = (next: readonly Remembered[]): void => {
    if (isDeepStrictEqual(next, all)) return;
    write(file, next);
    all = next;
  };
  return {
    recall(topicArn, asked) {
      const isIt = (one: Remembered): boolean =>
        one.subscriptionArn.startsWith(`${topicArn}:`) && isDeepStrictEqual(essence(one), essence(asked));
      const found = all.find(isIt);
      if (found === undefined) return undefined;
      wanted.add(found.subscriptionArn);
      return { subscriptionArn: found.subscriptionArn, token: found.token };
    },
    remember(asked, { subscriptionArn, token }) {
      wanted.add(subscriptionArn);
      const others = all.filter(({ url, name }) => url !== asked.url && name !== asked.name);
      replace([...others, { ...essence(asked), subscriptionArn, token }]);
    },
    forget: arn => replace(all.filter(({ subscriptionArn }) => subscriptionArn !== arn)),
    forgetOthers: () => replace(all.filter(({ subscriptionArn }) => wanted.has(subscriptionArn))),
  };
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
    // Without the cause: a parser's message may quote the file, which holds secrets.
    throw new Error(`${file} is damaged. Delete it: every endpoint is then asked to confirm again.`);
  }
}

function write(file: string, all: readonly Remembered[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeWhole(file, `${JSON.stringify(all, null, 2)}\n`);
}
