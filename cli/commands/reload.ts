import type { Command } from 'commander';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import type { Cli } from '../context/runner.ts';
import { text } from '../show/display.ts';
import { examples } from './example.ts';

export function reloadCommand(program: Command, { run }: Cli): void {
  program
    .command('reload')
    .description('take up a changed configuration file and .env without a restart (local instance)')
    .option('--dry-run', 'only check the configuration')
    .addHelpText('after', examples('reload --dry-run', 'reload'))
    .action(
      run(async ({ ask, print }, { dryRun }: { readonly dryRun?: boolean }) => {
        const answer = await ask({ operation: 'reload', ...(dryRun && { dryRun }) });
        print.answer(answer, () => reloadedText(answer));
      }),
    );
}

function reloadedText({ config, processes, endpoints, dryRun }: AnswerOf<'reload'>): string {
  const found = `${countText(processes, 'process', 'es')}, ${countText(endpoints, 'endpoint', 's')}`;
  return dryRun
    ? text`Would reload ${config}: ${found}. Nothing was changed.`
    : text`Reloaded ${config}: ${found}.`;
}

/** `3 processes (added eu/launch)`. */
function countText(
  { count, added, removed }: AnswerOf<'reload'>['processes'],
  what: string,
  plural: string,
): string {
  const changes = [
    ...(added.length > 0 ? [`added ${added.join(', ')}`] : []),
    ...(removed.length > 0 ? [`removed ${removed.join(', ')}`] : []),
  ];
  return `${count} ${what}${count === 1 ? '' : plural}${changes.length > 0 ? ` (${changes.join('; ')})` : ''}`;
}
