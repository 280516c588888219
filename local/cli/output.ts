import type { ChangeEvent } from '../../functions/changes/event.ts';
import type { Log } from '../../functions/telemetry.ts';

export type Format = (event: ChangeEvent, options: { colour: boolean; width?: number }) => string;

/** Where the runner speaks: events, and everything else. */
export interface Output {
  event(event: ChangeEvent): void;
  /** One or more lines that are no event. */
  say(text: string): void;
  /** Said when something is wrong. */
  warn(text: string): void;
  /** What the handlers say: of it, what is wrong. */
  readonly log: Log;
}

export interface Terminal {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/**
 * With `json` each event is one line of JSON on stdout, and all else goes to stderr; else all is for people, on stdout, in
 * colour on a terminal unless NO_COLOR is set.
 */
export function createOutput(
  { stdout, stderr }: Terminal,
  options: { json: boolean; format: Format; noColour: boolean },
): Output {
  const words = options.json ? stderr : stdout;
  const colour = !options.noColour && words.isTTY === true;
  const paint = (code: number, text: string) => (colour ? `\u001B[${code}m${text}\u001B[0m` : text);
  const say = (text: string) => void words.write(`${text}\n`);
  const warn = (text: string) => say(paint(33, text));
  return {
    event: event => {
      // Of a file or a pipe there are no columns: what is for programs, or read later, is never cut.
      const width = stdout.isTTY ? stdout.columns : undefined;
      const text = options.json
        ? JSON.stringify(event)
        : options.format(event, { colour, ...(width !== undefined && { width }) });
      stdout.write(`${text}\n`);
    },
    say,
    warn,
    log: {
      info: () => undefined,
      warn: (message, details) => warn(`${message}${show(details)}`),
      error: (message, details) => warn(`${message}${show(details)}`),
    },
  };
}

/** Details that tell a person nothing new: there is one workspace, and the message says what the code says. */
const FOR_MACHINES = new Set(['code', 'workspace']);

function show(details: object | undefined): string {
  const parts = Object.entries(details ?? {}).filter(
    ([name, value]) => value !== undefined && !FOR_MACHINES.has(name),
  );
  if (parts.length === 0) return '';
  return ` (${parts.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ')})`;
}
