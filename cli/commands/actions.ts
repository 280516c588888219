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
    .description(
      'who did what, the newest first: to an endpoint, to a process, or, without either, all actions',
    )
    .option('--endpoint <name>', 'to this endpoint')
    .option('--process <id>', 'to this process')
    .option('--workspace <name>', 'the workspace of the process, where two have one of this id')
    .option('--limit <n>', 'so many at most, or all', limitOf, 20)
    .addHelpText('after', examples('actions --endpoint crm', 'actions --process launch', 'actions'))
    .action(
      run(({ ask, print }, { limit, ...subject }: Options) =>
        showList(print, {
          limit,
          ask: page => ask({ operation: 'actions', ...subject, ...page }),
          itemsOf: ({ actions }) => actions,
          words: (all, paper) =>
            all.length === 0 ? 'No action of the last 400 days.' : actionsTable(all, paper),
        }),
      ),
    );
}
