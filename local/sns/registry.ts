import type { Subscription } from './subscription.ts';

/** A subscription, with the names by which it is found. */
export interface Entry {
  readonly arn: string;
  readonly name: string;
  readonly url: URL;
  readonly token: string;
  readonly subscription: Subscription;
}

/** A topic's subscriptions. */
export class Registry {
  readonly #entries = new Map<string, Entry>();

  all(): Subscription[] {
    return [...this.#entries.values()].map(({ subscription }) => subscription);
  }

  add(entry: Entry): void {
    this.#entries.set(entry.arn, entry);
  }

  /** @throws when the name can't be a file name, or when the name or the URL is taken */
  checkFree(url: URL, name: string): void {
    if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/.test(name)) {
      throw new Error(`Subscribe: the name "${name}" may have letters, digits, ".", "_" and "-" only.`);
    }
    for (const entry of this.#entries.values()) {
      if (entry.url.href === url.href) {
        throw new Error(`Subscribe: ${url.origin} is subscribed already, with this URL.`);
      }
      if (entry.name === name) throw new Error(`Subscribe: the name "${name}" is taken already.`);
    }
  }

  /** Confirms the subscription that has this token; resolves with its ARN, or undefined when none has it. */
  async confirm(token: string): Promise<string | undefined> {
    const entry = [...this.#entries.values()].find(candidate => candidate.token === token);
    entry?.subscription.confirm();
    return entry?.arn;
  }

  /** Ends the subscription; false when there is none. */
  async remove(arn: string): Promise<boolean> {
    const entry = this.#entries.get(arn);
    this.#entries.delete(arn);
    await entry?.subscription.end('unsubscribed');
    return entry !== undefined;
  }
}
