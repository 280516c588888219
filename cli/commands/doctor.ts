import type { Command } from 'commander';
import { UsageError } from '../../local/basics/usage-error.ts';
import type { DirectDoctor } from '../connect/doctor.ts';
import type { Cli } from '../context/runner.ts';
import { doctorText } from '../show/doctor.ts';
import { examples } from './example.ts';

interface Options {
  readonly workspace?: string;
  readonly config?: string;
  readonly watch?: boolean;
  readonly project?: string;
}

export function doctorCommand(program: Command, { run, world }: Cli): void {
  program
    .command('doctor <process>')
    .description('ask the service what its documentation leaves open, and say which settings follow')
    .option('--workspace <name>', 'its workspace, where there are several')
    .option('--config <file>', 'the service of this configuration file; else of SERVICE_*, else of the run')
    .option('--watch', 'look on while somebody edits a task: that shows what nothing else does')
    .option('--project <id>', 'with --watch: the project in which a task will be edited')
    .addHelpText(
      'after',
      examples(
        'doctor launch',
        'doctor launch --config changewire.json',
        'doctor launch --watch --project 1055',
      ),
    )
    .action(
      run(async ({ ask, print, place, interrupted }, process: string, options: Options) => {
        const { config, workspace, watch, project } = options;
        if (project !== undefined && !watch) throw new UsageError('--project goes with --watch.');
        const asked = { process, ...(workspace !== undefined && { workspace }) };
        const direct = await world.doctor({ ...place, config, watch });
        if (watch) {
          const how = { say: print.note, signal: interrupted };
          const told = await watcher(direct).watch({ ...asked, project }, how);
          return print.answer(told, paper => doctorText(told, paper, direct?.addressesOf(told.workspace)));
        }
        print.note('Asking the service: some dozen requests, which change nothing.');
        const told = direct ? await direct.examine(asked) : await ask({ operation: 'doctor', ...asked });
        print.answer(told, paper => doctorText(told, paper, direct?.addressesOf(told.workspace)));
      }),
    );
}

function watcher(direct: DirectDoctor | undefined): DirectDoctor {
  if (direct) return direct;
  throw new UsageError(
    '--watch asks the service for minutes, from here: it takes the credentials of SERVICE_* (environment or .env), of --config FILE, or of changewire.json in the current folder.',
  );
}
