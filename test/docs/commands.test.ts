import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../cli/program.ts';
import { commandsPage } from '../../docs/commands/page.ts';
import { OPTIONS } from '../../local/settings/options.ts';
import { worldOf } from '../kit/cli/world.ts';
import { readDocument, section } from '../kit/docs/documents.ts';

const page = commandsPage();
const shared = section(page, 'Shared options') ?? '';
const program = createProgram(worldOf({}).world);

/** Every command that does something, with its whole name. */
const commands = visible(program)
  .flatMap(command => (visible(command).length > 0 ? visible(command) : [command]))
  .map(command => {
    const { parent } = command;
    return [parent === program ? command.name() : `${parent?.name()} ${command.name()}`, command] as const;
  });

function visible(command: Command): Command[] {
  return command.createHelp().visibleCommands(command);
}

describe('docs/commands.md', () => {
  it('is committed as the definitions have it: `npm run schemas` writes it', () => {
    expect(readDocument('docs/commands.md')).toBe(page);
  });

  it.each(commands)('has description, arguments, options and an example of %s', (name, command) => {
    const text = section(page, name) ?? '';
    expect(text.toLowerCase()).toContain(command.description().toLowerCase());
    for (const { flags, long, description, argChoices = [] } of name === 'start' ? [] : command.options) {
      const isShared = new RegExp(`^\\[Shared\\].* \`${long}\``, 'm').test(text);
      const list = isShared ? shared : text;
      expect(list).toContain(`\n- \`${flags}\`: ${description}`);
      for (const choice of argChoices) expect(list).toContain(choice);
    }
    if (name !== 'start' && command.registeredArguments.length > 0)
      expect(text).toMatch(new RegExp(`\n\`changewire ${name} [^\`]+\`\n`));
    for (const argument of command.registeredArguments) expect(text).toContain(argument.name());
    for (const [, example = ''] of text.matchAll(/^Example: `(.*)`$/gm))
      expect(example).toMatch(new RegExp(`^npx changewire ${name} .*--`));
  });

  it('has every option of start, and no other', () => {
    const text = section(page, 'start') ?? '';
    const named = /^\[Shared\].*$/m.exec(text)?.[0] ?? '';
    const options = [...text.matchAll(/^- `--([\w-]+)/gm), ...named.matchAll(/`--([\w-]+)`/g)].map(
      ([, option]) => option,
    );
    for (const [, option] of named.matchAll(/`(--[\w-]+)`/g)) expect(shared).toContain(`\n- \`${option} `);
    const known = OPTIONS.map(({ name }) => name).filter(name => name !== 'help');
    expect(options.toSorted()).toEqual(known.toSorted());
  });

  it('has no hidden command', () => {
    expect(page).not.toContain('### complete\n');
  });
});
