import type { Command } from 'commander';
import { UsageError } from '../../local/basics/usage-error.ts';
import { type Consent, confirmed } from '../context/confirm.ts';
import type { Cli } from '../context/runner.ts';
import { hint, text } from '../show/display.ts';
import { countText } from '../show/endpoints.ts';
import { examples } from './example.ts';

interface Options extends Consent {
  readonly to: string;
  readonly process?: string;
  readonly workspace?: string;
  readonly project?: string;
  readonly cancel?: boolean;
}

export function snapshotCommand(program: Command, { run }: Cli): void {
  program
    .command('snapshot')
    .description('send the current state of all projects and tasks to one endpoint')
    .requiredOption('--to <name>', 'name of the endpoint')
    .option('--process <id>', 'only this process')
    .option('--workspace <name>', 'its workspace, if several have this process')
    .option('--project <id>', 'only this project of the process')
    .option('--cancel', 'cancel the current snapshot')
    .option('--yes', 'skip the confirmation')
    .option('--dry-run', 'only show the number of projects')
    .addHelpText(
      'after',
      examples(
        'snapshot --to crm --dry-run',
        'snapshot --to crm --process launch --yes',
        'snapshot --cancel --to crm',
      ),
    )
    .action(
      run(async (context, { to, process, workspace, project, cancel, ...consent }: Options) => {
        const scope = {
          ...(process !== undefined && { process }),
          ...(workspace !== undefined && { workspace }),
          ...(project !== undefined && { project }),
        };
        if (cancel) {
          if (Object.keys(scope).length > 0) throw new UsageError('--cancel can only be combined with --to.');
          const answer = await context.ask({ operation: 'cancel-snapshot', to });
          return context.print.answer(answer, () =>
            answer.wasUnderWay
              ? text`Cancelled the snapshot for ${to}. ${answer.added} events were already queued and will be sent.`
              : text`No snapshot for ${to} is in progress.`,
          );
        }
        if (project !== undefined && process === undefined)
          throw new UsageError('--project requires --process ID.');
        await confirmed(context, { operation: 'snapshot', to, ...scope }, consent, answer => {
          const processes =
            answer.processes.length === 1 ? answer.processes.join() : `${answer.processes.length} processes`;
          const projects = answer.projects ? `${countText(answer.projects) || '0'} projects` : 'the projects';
          return answer.dryRun
            ? text`Would send ${projects} of ${processes}, with their tasks, to ${to} (filter applied).`
            : text`Sending ${projects} of ${processes}, with their tasks, to ${to} (filter applied). See the progress with: ${hint('status', context.print.display())}`;
        });
      }),
    );
}
