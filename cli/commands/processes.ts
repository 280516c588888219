import type { Command } from 'commander';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import type { RequestOf } from '../../functions/operations/protocol/requests.ts';
import { type Consent, confirmed } from '../context/confirm.ts';
import type { Context } from '../context/context.ts';
import type { Cli } from '../context/runner.ts';
import { countText } from '../show/endpoints.ts';
import { text } from '../show/paper.ts';
import { when } from '../show/times.ts';
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
              ? text`${name}: ${what}, would be told by the next sweep that finds them missing still.`
              : text`${name}: ${what}, are told by the next sweep that finds them missing still. To have it now: npx changewire sweep ${process}`;
          },
        ),
      ),
    );
  forgetCommand(program, cli);
}

function forgetCommand(program: Command, { run }: Cli): void {
  program
    .command('forget <process>')
    .description('delete what is kept of a process that the configuration has no more')
    .option('--workspace <name>', 'its workspace, where two had a process of this id')
    .option('--yes', 'without asking')
    .option('--dry-run', 'say how many projects are kept, and do nothing')
    .addHelpText('after', examples('forget launch --dry-run', 'forget launch --yes'))
    .action(
      run((context, process: string, { workspace, ...consent }: OfWorkspace & Consent) =>
        confirmed(
          { ...context, ask: untilForgotten(context) },
          { operation: 'forget', process, ...(workspace && { workspace }) },
          consent,
          ({ projects, dryRun, ...of }) => {
            const name = `${of.workspace}/${of.process}`;
            const number = countText(projects) || 'no';
            return dryRun
              ? text`${name}: what is known of ${number} projects would be deleted. Taken in again, it would begin with a new baseline, which tells nothing. What it told stays for 30 days.`
              : text`${name}: forgotten, with ${number} projects. Taken in again, it begins with a new baseline.`;
          },
        ),
      ),
    );
}

/** Repeats the request, since each one forgets a thousand projects, and answers as if there had been one.
 *  It says how far it is, so that somebody who stops it can run it again. */
function untilForgotten({ ask, print }: Context): Context['ask'] {
  const whole = async (request: RequestOf<'forget'>): Promise<AnswerOf<'forget'>> => {
    for (let deleted = 0; ; ) {
      const answer = await ask(request);
      deleted += answer.projects.atLeast;
      const projects = { ...answer.projects, atLeast: deleted };
      if (answer.dryRun || projects.isExact) return { ...answer, projects };
      print.note(text`${deleted} projects so far`);
    }
  };
  return whole as Context['ask'];
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
            text`${began.workspace}/${process}: a ${mode === 'sweep' ? 'sweep' : 'pass'} began ${when(began.startedAt, paper)}. npx changewire status shows how it goes.`,
        );
      }),
    );
}
