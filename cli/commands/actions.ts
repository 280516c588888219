import type { Command } from 'commander';
import type { Cli } from '../context/runner.ts';
import { limitOf } from '../options/parsers.ts';
import { actionsTable } from '../show/deliveries.ts';
import { examples } from './example.ts';
import { showList } from './list.ts';

interface Options {
  readonly endpoint?: string;
  readonly process?: string;
  readonly workspace?: string;
  readonly limit: number;
}

export function actionsCommand(program: Command, { run }: Cli): void {
  program
    .command('actions')
    .description('show the audit log of operator actions, newest first')
    .option('--endpoint <name>', 'only actions on this endpoint')
    .option('--process <id>', 'only actions on this process')
    .option('--workspace <name>', 'its workspace, if several have this process')
    .option('--limit <n>', 'maximum number, or "all"', limitOf, 20)
    .addHelpText('after', examples('actions --endpoint crm', 'actions --process launch', 'actions'))
    .action(
      run(({ ask, print }, { limit, ...subject }: Options) =>
        showList(print, {
          limit,
          ask: page => ask({ operation: 'actions', ...subject, ...page }),
          itemsOf: ({ actions }) => actions,
          format: (all, display) =>
            all.length === 0 ? 'No actions in the last 400 days.' : actionsTable(all, display),
        }),
      ),
    );
}
