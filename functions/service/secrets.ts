const MOST_KEPT = 16;

/** Remembers what must never be printed, and hides it in texts that came from outside. */
export interface Secrets {
  add(secret: string): void;
  hide(text: string): string;
}

/** Secrets of one connection. Only the latest are kept: a connection lives for months and its tokens for minutes. */
export function createSecrets(): Secrets {
  const known = new Set<string>();
  return {
    add(secret) {
      for (const form of [secret, encodeURIComponent(secret)]) {
        known.delete(form);
        known.add(form);
      }
      for (const oldest of known) {
        if (known.size <= MOST_KEPT) break;
        known.delete(oldest);
      }
    },
    hide(text) {
      let hidden = text;
      for (const secret of known) hidden = hidden.replaceAll(secret, '[secret]');
      return hidden;
    },
  };
}
