import type { Command } from 'commander';
import { type Consent, confirmed } from '../confirm.ts';
import { say } from '../show/paper.ts';
import { when } from '../show/times.ts';
import type { Cli } from './commands.ts';
import { examples } from './example.ts';

interface OfWorkspace {
  readonly workspace?: string;
}

export function processCommands(program: Command, cli: Cli): void {
  passCommand(program, cli, 'pass', { mode: 'changes', description: 'look for changes of a process now' });
  passCommand(program, cli, 'sweep', {
    mode: 'sweep',
    description: 'read a process wholly now, which finds what the API did not tell',
  });
  program
    .command('release <process>')
    .description('let the deletions go ahead for which a process is on hold')
    .option('--workspace <name>', 'its workspace, where two have a process of this id')
    .option('--yes', 'without asking')
    .option('--dry-run', 'say how many projects it is about, and do nothing')
    .addHelpText('after', examples('release launch --dry-run', 'release launch --yes'))
    .action(
      cli.run((context, process: string, { workspace, ...consent }: OfWorkspace & Consent) =>
        confirmed(
          context,
          { operation: 'release', process, ...(workspace && { workspace }) },
          consent,
          answer => {
            const what = `the deletions of ${answer.projects} projects, on hold since ${answer.since}`;
            const name = `${answer.workspace}/${answer.process}`;
            return answer.dryRun
              ? say`${name}: ${what}, would be told by the next sweep that finds them missing still.`
              : say`${name}: ${what}, are told by the next sweep that finds them missing still. To have it now: changewire sweep ${process}`;
          },
        ),
      ),
    );
}

function passCommand(
  program: Command,
  { run }: Cli,
  name: string,
  { mode, description }: { mode: 'changes' | 'sweep'; description: string },
): void {
  program
    .command(`${name} <process>`)
    .description(description)
    .option('--workspace <name>', 'its workspace, where two have a process of this id')
    .addHelpText('after', examples(`${name} launch`))
    .action(
      run(async ({ ask, print }, process: string, { workspace }: OfWorkspace) => {
        const began = await ask({ operation: 'pass', process, mode, ...(workspace && { workspace }) });
        print.answer(
          began,
          paper =>
            say`${began.workspace}/${process}: a ${mode === 'sweep' ? 'sweep' : 'pass'} began ${when(began.startedAt, paper)}. changewire status shows how it goes.`,
        );
      }),
    );
}
