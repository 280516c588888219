export interface Interruptible {
  /** Called at the first signal, with its name. */
  onFirst(signal: NodeJS.Signals): void;
  /** Called at the second signal: somebody does not want to wait. */
  onSecond(): void;
}

/** How long, in ms, a signal counts as the same key stroke: Ctrl-C may come twice, from the terminal and
 *  from npm, which passes on its own. */
const ONE_KEY_STROKE = 300;

/**
 * Listens for Ctrl-C, for a termination that lets the process end by itself, and for a terminal that
 * closes, until the process ends.
 *
 * Linux and macOS send SIGINT, SIGTERM and SIGHUP for these. On Windows Node reports Ctrl-C and a closed
 * window as SIGINT and SIGHUP; ten seconds after the latter Windows ends the process. It has nothing like
 * SIGTERM: sending that, or pressing Ctrl-Break, kills at once, which loses nothing (docs/local.md).
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
