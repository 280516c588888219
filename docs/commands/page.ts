import { type Argument, type Command, Option } from 'commander';
import { createProgram } from '../../cli/program.ts';
import { KIND_SETTINGS } from '../../functions/model/kinds.ts';
import { optionOf } from '../../local/settings/endpoint-options.ts';
import { helpBlocks, type Term } from './help.ts';

/** Collects the output of the program. No line is wrapped. */
class Paper {
  text = '';
  readonly columns = 10_000;

  write(text: string): void {
    this.text += text;
  }
}

/** `docs/commands.md`: every command, from the definitions that also make its help. */
export function commandsPage(): string {
  const paper = new Paper();
  return pageOf(programFor(paper), paper);
}

/** The command line, printing on `paper`. No command of it is run. */
function programFor(paper: Paper): Command {
  const none = () => Promise.reject(new Error('Only the help is read.'));
  return createProgram({
    ...{ stdout: paper, stderr: paper, env: {}, directory: '.', sleep: none, clock: () => 0 },
    ...{
      open: none,
      backUp: none,
      planRestore: none,
      stackTable: none,
      browse: none,
      execute: none,
      doctor: none,
    },
    input: { canAsk: false, confirm: none, line: none, secret: none },
    interrupted: new AbortController().signal,
  });
}

function pageOf(program: Command, paper: Paper): string {
  const helper = program.createHelp();
  const groups = Map.groupBy(helper.visibleCommands(program), command => command.helpGroup());
  const global = program.options.map(option => term(option, program));
  const commands = [...groups.values()].flat().flatMap(withSubcommands);
  const shared = sharedOptions(commands.filter(command => !isWritten(command)));
  return blocks([
    '# Commands',
    shell(['npx changewire start', 'npx changewire status', 'npx changewire help endpoints add']),
    `${sentence(program.description())} This page is generated from the help of the commands (\`npm run schemas\`).`,
    [...groups].map(([group, commands]) => `- **${group}** ${commands.map(link).join(', ')}`).join('\n'),
    '## Global options',
    list(global),
    /^Exit codes: .*$/m.exec(printed(program, paper))?.[0] ?? '',
    '## Shared options',
    list([...shared.values()].toSorted((a, b) => (a.term < b.term ? -1 : 1))),
    ...[...groups].flatMap(([group, commands]) => [
      `## ${group.replace(/:$/, '')}`,
      ...commands.flatMap(withSubcommands).map(command => sectionOf(command, shared, paper)),
    ]),
  ]);
}

function withSubcommands(command: Command): Command[] {
  const inner = command.createHelp().visibleCommands(command);
  return inner.length > 0 ? inner : [command];
}

function sectionOf(command: Command, shared: Shared, paper: Paper): string {
  const help = printed(command, paper);
  const [example] = examplesIn(help);
  return blocks([
    `### ${nameOf(command)}`,
    sentence(command.description()),
    ...(isWritten(command) ? written(command, shared) : [usageOf(command), parameters(command, shared)]),
    example !== undefined && / --(?!stack|region|dry-run)/.test(example) ? `Example: \`${example}\`` : '',
  ]).trimEnd();
}

/** Whether the command's help is a text of its own. */
function isWritten(command: Command): boolean {
  return !command.helpInformation().startsWith('Usage: ');
}

/** That text: lists for the terms that it explains, paragraphs for the rest. Shared options are only named. */
function written(command: Command, shared: Shared): string[] {
  return helpBlocks(command.helpInformation())
    .slice(1)
    .map(({ title, prose, terms }) => {
      if (title === 'Usage') return shell(terms.map(({ term, text }) => `${term}  # ${text}`));
      const [named, shown] = parted(
        terms.filter(({ term }) => term !== '--help'),
        ({ term }) => isSharedSetting(flagOf(term), shared),
      );
      const flags = named.map(({ term }) => `\`${flagOf(term)}\``).join(', ');
      return [
        ...[prose, title === undefined ? '' : `${title}:`, list(shown)],
        flags === '' ? '' : `[Shared](#shared-options), for the preceding endpoint: ${flags}`,
      ]
        .filter(text => text !== '')
        .join('\n\n');
    });
}

/** `--batch` of `--batch N`. */
function flagOf(term: string): string {
  return term.split(' ', 1)[0] ?? '';
}

/** Whether the shared option with this flag is the same setting of endpoints. */
function isSharedSetting(flag: string, shared: Shared): boolean {
  const setting = KIND_SETTINGS.find(each => `--${optionOf(each)}` === flag);
  return setting !== undefined && (shared.get(flag)?.text.includes(setting.what) ?? false);
}

function parted<T>(all: readonly T[], is: (one: T) => boolean): [T[], T[]] {
  return [all.filter(is), all.filter(one => !is(one))];
}

/** Its arguments, empty without any. */
function usageOf(command: Command): string {
  const parameters = command.usage().replace('[options]', '').trim();
  return parameters === '' ? '' : `\`changewire ${nameOf(command)} ${parameters}\``;
}

/** Options that several commands have, by their long flags. */
type Shared = ReadonlyMap<string, Term>;

/** Of options with the same flag and other texts, the text of most commands. */
function sharedOptions(commands: readonly Command[]): Shared {
  const all = commands.flatMap(command =>
    optionsOf(command).map(option => ({ long: option.long ?? '', ...term(option, command) })),
  );
  const same = [...Map.groupBy(all, ({ term, text }) => `${term} ${text}`).values()]
    .filter(({ length }) => length > 1)
    .toSorted((a, b) => a.length - b.length);
  return new Map(same.map(([one]) => [one?.long ?? '', { term: one?.term ?? '', text: one?.text ?? '' }]));
}

/** A list of its parameters. Shared options are only named. */
function parameters(command: Command, shared: Shared): string {
  const visible = command.createHelp().visibleArguments(command);
  const isShared = (option: Option) => {
    const { text, term: flags } = term(option, command);
    const same = shared.get(option.long ?? '');
    return same?.term === flags && same.text === text;
  };
  const options = optionsOf(command);
  const named = options.filter(isShared).map(({ long }) => `\`${long}\``);
  return blocks([
    list([...visible, ...options.filter(one => !isShared(one))].map(one => term(one, command))),
    named.length > 0 ? `[Shared](#shared-options): ${named.join(', ')}` : '',
  ]).trimEnd();
}

function optionsOf(command: Command): Option[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help');
}

function term(of: Option | Argument, command: Command): Term {
  const helper = command.createHelp();
  return of instanceof Option
    ? { term: helper.optionTerm(of), text: helper.optionDescription(of) }
    : { term: `<${of.name()}>`, text: helper.argumentDescription(of) };
}

function list(terms: readonly Term[]): string {
  return terms.map(({ term, text }) => `- \`${term}\`: ${text}`).join('\n');
}

/** What the command prints as its help, with the texts after it. */
function printed(command: Command, paper: Paper): string {
  paper.text = '';
  command.outputHelp();
  return paper.text;
}

function examplesIn(help: string): string[] {
  const [, examples = ''] = help.split(/^Examples?:$/m);
  return [...examples.matchAll(/^ {2}(npx .+)$/gm)].map(([, line = '']) => line);
}

/** Its name below `changewire`, such as `endpoints add`. */
function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

function link(command: Command): string {
  const [first = command] = withSubcommands(command);
  return `[${command.name()}](#${nameOf(first).replaceAll(' ', '-')})`;
}

/** A description as a sentence. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}

function shell(lines: readonly string[]): string {
  return `\`\`\`sh\n${lines.join('\n')}\n\`\`\``;
}

function blocks(texts: readonly string[]): string {
  return `${texts.filter(text => text !== '').join('\n\n')}\n`;
}
