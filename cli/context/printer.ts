import { printableLines } from '../../local/terminal/text.ts';
import type { Place } from '../connect/connection.ts';
import type { Display } from '../show/display.ts';
import type { World } from './world.ts';

/** The output of a command: text, or JSON lines with `--json`. */
export interface Printer {
  readonly json: boolean;
  /** The current width, colours and time. */
  display(): Display;
  /** Writes one answer, as text or as one line of JSON. */
  answer(answer: object, format: (display: Display) => string): void;
  /** Writes several answers, as one text or as one line of JSON each. */
  answers(answers: readonly object[], format: (display: Display) => string): void;
  /** Writes a message to stderr. */
  note(text: string): void;
}

function optionsOf({ stack, region, data }: Place): string {
  const given = Object.entries({ stack, region, data }).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => ` --${name} ${quoted(value as string)}`).join('');
}

/** For a shell. */
function quoted(value: string): string {
  return /^[\w./:@-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

/** A printer that uses colour on a terminal, unless NO_COLOR is set or `colour` is false. */
export function createPrinter(
  { stdout, stderr, env, clock }: Pick<World, 'stdout' | 'stderr' | 'env' | 'clock'>,
  options: { readonly json: boolean; readonly colour: boolean; readonly place: Place },
): Printer {
  const { json } = options;
  const onTerminal = stdout.isTTY === true;
  const display = (): Display => ({
    colour: onTerminal && options.colour && (env.NO_COLOR ?? '') === '',
    width: onTerminal ? (stdout.columns ?? 80) : undefined,
    now: clock(),
    place: optionsOf(options.place),
  });
  const answers: Printer['answers'] = (all, format) => {
    if (json) for (const one of all) stdout.write(`${JSON.stringify(one)}\n`);
    else stdout.write(`${format(display())}\n`);
  };
  return {
    ...{ json, display, answers },
    answer: (answer, format) => answers([answer], format),
    note: text => void stderr.write(`${printableLines(text)}\n`),
  };
}
