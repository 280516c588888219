import type { Command, Option } from 'commander';
import { EVENT_TYPES } from '../../functions/config/filter.ts';

/** The candidates for a word: words of the command line itself, or names that must be requested. */
export interface Candidates {
  readonly words: readonly string[];
  readonly names?: 'endpoints' | 'processes' | undefined;
}

/** The operands and options that take names. */
const NAMES = {
  endpoints: new Set(['name', '--to', '--endpoint']),
  processes: new Set(['process', '--process']),
} as const;

/** Candidates for the last of the words after `changewire`; that word may be empty. */
export function candidatesOf(program: Command, words: readonly string[]): Candidates {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? '';
  const { command, operands, pending } = walk(program, before);
  if (pending) return candidatesFor(pending);
  if (last.startsWith('-')) return { words: optionsOf(command, program) };
  const subcommands = command.commands.filter(isShown).map(each => each.name());
  if (subcommands.length > 0) return { words: operands === 0 ? subcommands : [] };
  const argument = command.registeredArguments[operands];
  return { words: argument?.argChoices ?? [], names: namesOf(argument?.name()) };
}

interface Walked {
  readonly command: Command;
  /** The number of its operands before the word. */
  readonly operands: number;
  /** The option whose value the word is. */
  readonly pending: Option | undefined;
}

function walk(program: Command, words: readonly string[]): Walked {
  let command = program;
  let operands = 0;
  let pending: Option | undefined;
  for (const word of words) {
    if (pending) pending = undefined;
    else if (word.startsWith('-'))
      pending = [...command.options, ...program.options].find(each => each.long === word && each.required);
    else {
      const sub = command.commands.find(each => each.name() === word);
      if (sub) command = sub;
      else operands += 1;
    }
  }
  return { command, operands, pending };
}

function candidatesFor({ argChoices, long }: Option): Candidates {
  return { words: argChoices ?? (long === '--type' ? EVENT_TYPES : []), names: namesOf(long) };
}

function optionsOf(command: Command, program: Command): string[] {
  const isAlone = command === program || command.configureHelp().showGlobalOptions === false;
  const all = [...command.options, ...(isAlone ? [] : program.options)];
  return [...all.flatMap(({ long, hidden }) => (long && !hidden ? [long] : [])), '--help'];
}

function namesOf(argument: string | undefined): Candidates['names'] {
  if (argument === undefined) return undefined;
  return (['endpoints', 'processes'] as const).find(kind => NAMES[kind].has(argument));
}

/** Whether help shows the command. */
function isShown(command: Command): boolean {
  return !(command as Command & { _hidden?: boolean })._hidden;
}
