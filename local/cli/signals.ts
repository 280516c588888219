export interface Interruptible {
  /** Called at the first signal, with its name. */
  onFirst(signal: NodeJS.Signals): void;
  /** Called when whoever waits loses patience. */
  onSecond(): void;
}

/** One Ctrl-C may come twice within moments: from the terminal, and from npm, which hands on its own. */
const ONE_KEY_STROKE = 300;

/**
 * Listens for Ctrl-C, for a polite kill, and for a terminal that closes, until the process ends.
 *
 * Linux and macOS send SIGINT, SIGTERM and SIGHUP for these. Windows knows Ctrl-C and a closed window, which Node tells as
 * SIGINT and SIGHUP; ten seconds after the latter it ends the process. It has no polite kill: whoever sends SIGTERM there, or
 * presses Ctrl-Break, kills, which loses nothing (docs/local.md).
 */
export function onInterrupt({ onFirst, onSecond }: Interruptible, clock: () => number = Date.now): void {
  let first: number | undefined;
  const listen = (signal: NodeJS.Signals) => {
    if (first === undefined) {
      first = clock();
      onFirst(signal);
    } else if (clock() - first > ONE_KEY_STROKE) onSecond();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, listen);
}
