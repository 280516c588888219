import type { Command, Option } from 'commander';
import { EVENT_TYPES } from '../../functions/config/filter.ts';

/** What may stand where somebody presses Tab: words of the command line itself, or names that must be
 *  asked for. */
export interface Candidates {
  readonly words: readonly string[];
  readonly names?: 'endpoints' | 'processes' | undefined;
}

/** Which names the operands and options take. */
const NAMES = {
  endpoints: new Set(['name', '--to', '--endpoint']),
  processes: new Set(['process', '--process']),
} as const;

/** Candidates for the last of the words after `changewire`; that word may be empty. */
export function candidatesOf(program: Command, words: readonly string[]): Candidates {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? '';
  const { command, operands, waiting } = walk(program, before);
  if (waiting) return candidatesFor(waiting);
  if (last.startsWith('-')) return { words: optionsOf(command, program) };
  const subcommands = command.commands.filter(isShown).map(each => each.name());
  if (subcommands.length > 0) return { words: operands === 0 ? subcommands : [] };
  const argument = command.registeredArguments[operands];
  return { words: argument?.argChoices ?? [], names: namesOf(argument?.name()) };
}

interface Walked {
  readonly command: Command;
  /** How many of its operands are there already. */
  readonly operands: number;
  /** The option that still needs its value. */
  readonly waiting: Option | undefined;
}

function walk(program: Command, words: readonly string[]): Walked {
  let command = program;
  let operands = 0;
  let waiting: Option | undefined;
  for (const word of words) {
    if (waiting) waiting = undefined;
    else if (word.startsWith('-'))
      waiting = [...command.options, ...program.options].find(each => each.long === word && each.required);
    else {
      const sub = command.commands.find(each => each.name() === word);
      if (sub) command = sub;
      else operands += 1;
    }
  }
  return { command, operands, waiting };
}

function candidatesFor({ argChoices, long }: Option): Candidates {
  return { words: argChoices ?? (long === '--type' ? EVENT_TYPES : []), names: namesOf(long) };
}

function optionsOf(command: Command, program: Command): string[] {
  const isAlone = command === program || command.configureHelp().showGlobalOptions === false;
  const all = [...command.options, ...(isAlone ? [] : program.options)];
  return [...all.flatMap(({ long, hidden }) => (long && !hidden ? [long] : [])), '--help'];
}

function namesOf(what: string | undefined): Candidates['names'] {
  if (what === undefined) return undefined;
  return (['endpoints', 'processes'] as const).find(kind => NAMES[kind].has(what));
}

/** Whether help shows the command. */
function isShown(command: Command): boolean {
  return !(command as Command & { _hidden?: boolean })._hidden;
}
