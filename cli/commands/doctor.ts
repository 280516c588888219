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
    .description('probe the service and suggest settings')
    .option('--workspace <name>', 'its workspace, if several have this process')
    .option(
      '--config <file>',
      'configuration file with the service (default: SERVICE_*, then the running instance)',
    )
    .option('--watch', 'watch while someone edits a task')
    .option('--project <id>', 'with --watch: project of the task')
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
        if (project !== undefined && !watch) throw new UsageError('--project requires --watch.');
        const asked = { process, ...(workspace !== undefined && { workspace }) };
        const direct = await world.doctor({ ...place, config, watch });
        if (watch) {
          const options = { report: print.note, signal: interrupted };
          const answer = await watcher(direct).watch({ ...asked, project }, options);
          return print.answer(answer, display =>
            doctorText(answer, display, direct?.addressesOf(answer.workspace)),
          );
        }
        print.note('Probing the service with a few dozen read-only requests.');
        const answer = direct ? await direct.examine(asked) : await ask({ operation: 'doctor', ...asked });
        print.answer(answer, display => doctorText(answer, display, direct?.addressesOf(answer.workspace)));
      }),
    );
}

function watcher(direct: DirectDoctor | undefined): DirectDoctor {
  if (direct) return direct;
  throw new UsageError(
    '--watch calls the service from this machine and needs its settings: SERVICE_* (environment or .env), --config FILE, or changewire.json in the current directory.',
  );
}
