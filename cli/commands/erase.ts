import type { Command } from 'commander';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import type { RequestOf } from '../../functions/operations/protocol/requests.ts';
import { eraseAll, erasedLines, erasedText } from '../../functions/operations/walk-erase.ts';
import { type Consent, confirmed } from '../context/confirm.ts';
import type { Context } from '../context/context.ts';
import type { Cli } from '../context/runner.ts';
import { text } from '../show/display.ts';
import { examples } from './example.ts';

interface Options extends Consent {
  readonly process?: string;
  readonly workspace?: string;
}

export function eraseCommand(program: Command, { run }: Cli): void {
  program
    .command('erase <project>')
    .description("erase the contents of a project's events from journal, backlogs and dead letters")
    .option('--process <id>', 'its process, if several have this project')
    .option('--workspace <name>', 'its workspace, if several have this process')
    .option('--yes', 'skip the confirmation')
    .option('--dry-run', 'only count what would be erased')
    .addHelpText('after', examples('erase 1001 --dry-run', 'erase 1001 --process launch --yes'))
    .action(
      run((context, project: string, { process, workspace, ...consent }: Options) =>
        confirmed(
          { ...context, ask: inSlices(context) },
          {
            ...{ operation: 'erase', project },
            ...(process && { process }),
            ...(workspace && { workspace }),
          },
          consent,
          answer =>
            erasedLines(answer)
              .map(line => text`${line}`)
              .join('\n'),
        ),
      ),
    );
}

/** Sends one request for each slice and returns the total. Prints the progress; an interrupted command can be run
 *  again. */
function inSlices({ ask, print }: Context): Context['ask'] {
  const whole = (request: RequestOf<'erase'>): Promise<AnswerOf<'erase'>> =>
    eraseAll(ask, request, sum => {
      if (!sum.dryRun) print.note(text`${erasedText(sum)} More follows.`);
    });
  return whole as Context['ask'];
}
