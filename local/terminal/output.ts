import type { Clock } from '../../functions/basics/clock.ts';
import type { Log } from '../../functions/basics/telemetry.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { timeOfDay } from './print.ts';
import { printable, printableLines } from './text.ts';

export type Format = (event: ChangeEvent, options: { colour: boolean; width?: number }) => string;

/** How lines that are not events are written: as text for people, or as one JSON object per line. */
export type LogFormat = 'text' | 'json';

/** Where the runner writes: events, and everything else. */
export interface Output {
  event(event: ChangeEvent): void;
  /** One or more lines that are not events. `details` are for programs, which get them with the first line. */
  info(text: string, details?: object): void;
  /** For problems. */
  warn(text: string, details?: object): void;
  /** Whether the text goes to a terminal. Elsewhere it may be kept, and read by others. */
  readonly isTerminal: boolean;
  /** The log of the handlers. Only its warnings and errors are written. */
  readonly log: Log;
}

export interface Terminal {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export interface OutputOptions {
  /** Each event is one line of JSON on stdout, and everything else goes to stderr; otherwise all is on stdout. */
  readonly json: boolean;
  readonly log: LogFormat;
  readonly format: Format;
  readonly noColour: boolean;
  readonly clock: Clock;
  /** An IANA zone for the time of day; the machine's own by default. */
  readonly timeZone?: string;
}

/** Writes for people, in colour on a terminal unless NO_COLOR is set; or, with `log` json, for programs:
 *  each line is an object with time, level and message. Events are among these lines, as `event`, unless
 *  `json` sends them to stdout by themselves. Lines end with "\n" on every system. */
export function createOutput({ stdout, stderr }: Terminal, options: OutputOptions): Output {
  const words = options.json ? stderr : stdout;
  const colour = !options.noColour && words.isTTY === true;
  const lines = options.log === 'json' ? jsonLines(words, options.clock) : textLines(words, colour, options);
  const print = (event: ChangeEvent): void => {
    if (options.json) stdout.write(`${JSON.stringify(event)}\n`);
    else if (options.log === 'json') lines('info', 'Event published.', { code: 'event.published', event });
    else {
      // A file or a pipe has no columns: its lines are never cut.
      const width = stdout.isTTY ? stdout.columns : undefined;
      stdout.write(`${options.format(event, { colour, ...(width !== undefined && { width }) })}\n`);
    }
  };
  const shown = (level: 'warn' | 'error') => (message: string, details?: object) =>
    options.log === 'json' ? lines(level, message, details) : lines(level, `${message}${show(details)}`);
  return {
    event: print,
    info: (text, details) => lines('info', text, details),
    warn: (text, details) => lines('warn', text, details),
    isTerminal: words.isTTY === true && options.log === 'text',
    log: { info: () => undefined, warn: shown('warn'), error: shown('error') },
  };
}

type Lines = (level: 'info' | 'warn' | 'error', text: string, details?: object) => void;

/** Each begins with the time of day, as an event does. */
function textLines(
  to: NodeJS.WriteStream,
  colour: boolean,
  { clock, timeZone }: Pick<OutputOptions, 'clock' | 'timeZone'>,
): Lines {
  const paint = (code: number, text: string) => (colour ? `\u001B[${code}m${text}\u001B[0m` : text);
  // A warning is one line, because it may quote foreign text; information may have several.
  return (level, text) => {
    const time = timeOfDay(clock(), timeZone);
    const shown =
      level === 'info'
        ? printableLines(text).replaceAll(/\n(?=.)/g, `\n${' '.repeat(time.length + 2)}`)
        : paint(33, printable(text));
    to.write(`${paint(2, time)}  ${shown}\n`);
  };
}

/** `details` can't replace time, level or message. */
function jsonLines(to: NodeJS.WriteStream, clock: Clock): Lines {
  return (level, text, details) => {
    const time = new Date(clock()).toISOString();
    const [first = ''] = text.trim().split('\n');
    const ours = { time, level, message: level === 'info' ? first : text };
    to.write(`${JSON.stringify({ ...ours, ...details, ...ours })}\n`);
  };
}

/** Details that add nothing for a person: mostly there is one workspace, and the message has the meaning of the
 *  code. */
const FOR_MACHINES = new Set(['code', 'workspace']);

function show(details: object | undefined): string {
  const parts = Object.entries(details ?? {}).filter(
    ([name, value]) => value !== undefined && !FOR_MACHINES.has(name),
  );
  if (parts.length === 0) return '';
  return ` (${parts.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ')})`;
}
