import type { Command } from 'commander';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import type { RequestOf } from '../../functions/operations/protocol/requests.ts';
import { type Consent, confirmed } from '../context/confirm.ts';
import type { Context } from '../context/context.ts';
import type { Cli } from '../context/runner.ts';
import { hint, text } from '../show/display.ts';
import { countText } from '../show/endpoints.ts';
import { when } from '../show/times.ts';
import { examples } from './example.ts';

interface OfWorkspace {
  readonly workspace?: string;
}

const MAX_NAMED = 50;

export function processCommands(program: Command, cli: Cli): void {
  passCommand(program, cli, 'pass', { mode: 'changes', description: 'poll a process for changes now' });
  passCommand(program, cli, 'sweep', {
    mode: 'sweep',
    description: 're-read a whole process now; finds missed changes and deletions',
  });
  program
    .command('release <process>')
    .description('approve the deletions that a process is holding back')
    .option('--workspace <name>', 'its workspace, if several have this process')
    .option('--yes', 'skip the confirmation')
    .option('--dry-run', 'only list the projects')
    .addHelpText('after', examples('release launch --dry-run', 'release launch --yes'))
    .action(
      cli.run((context, process: string, { workspace, ...consent }: OfWorkspace & Consent) =>
        confirmed(
          context,
          { operation: 'release', process, ...(workspace && { workspace }) },
          consent,
          answer => {
            const name = `${answer.workspace}/${answer.process}`;
            return answer.dryRun
              ? text`Would approve the deletion of ${answer.projects} projects of ${name} (on hold since ${answer.since}). The next sweep publishes those that are still missing. Missing: ${missingText(answer)}`
              : text`Approved the deletion of ${answer.projects} projects of ${name} (on hold since ${answer.since}). The next sweep publishes those that are still missing. To sweep now: ${hint(`sweep ${process}`, context.print.display())}`;
          },
        ),
      ),
    );
  forgetCommand(program, cli);
}

/** The ids of the missing projects; of many, the first. */
function missingText({ projects, first }: AnswerOf<'release'>): string {
  const named = first.slice(0, MAX_NAMED);
  const more = projects - named.length;
  return `${named.join(', ')}${more > 0 ? `, and ${more} more (--json lists up to 1,000)` : ''}`;
}

function forgetCommand(program: Command, { run }: Cli): void {
  program
    .command('forget <process>')
    .description('delete the stored data of a process that is no longer configured')
    .option('--workspace <name>', 'its workspace, if several have this process')
    .option('--yes', 'skip the confirmation')
    .option('--dry-run', 'only show the number of projects')
    .addHelpText('after', examples('forget launch --dry-run', 'forget launch --yes'))
    .action(
      run((context, process: string, { workspace, ...consent }: OfWorkspace & Consent) =>
        confirmed(
          { ...context, ask: untilForgotten(context) },
          { operation: 'forget', process, ...(workspace && { workspace }) },
          consent,
          ({ projects, dryRun, ...of }) => {
            const name = `${of.workspace}/${of.process}`;
            const number = countText(projects) || '0';
            return dryRun
              ? text`Would delete the data of ${number} projects of ${name}. If you add the process again, it starts with a new baseline, which publishes no events. Past events are kept until they expire.`
              : text`Deleted the data of ${number} projects of ${name}. If you add the process again, it starts with a new baseline.`;
          },
        ),
      ),
    );
}

/** Repeats the request, because each one deletes a thousand projects, and returns the total. Prints the
 *  progress; an interrupted command can be run again. */
function untilForgotten({ ask, print }: Context): Context['ask'] {
  const whole = async (request: RequestOf<'forget'>): Promise<AnswerOf<'forget'>> => {
    for (let deleted = 0; ; ) {
      const answer = await ask(request);
      deleted += answer.projects.atLeast;
      const projects = { ...answer.projects, atLeast: deleted };
      if (answer.dryRun || projects.isExact) return { ...answer, projects };
      print.note(text`${deleted} projects deleted so far`);
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
    .option('--workspace <name>', 'its workspace, if several have this process')
    .addHelpText('after', examples(`${name} launch`))
    .action(
      run(async ({ ask, print }, process: string, { workspace }: OfWorkspace) => {
        const began = await ask({ operation: 'pass', process, mode, ...(workspace && { workspace }) });
        print.answer(
          began,
          display =>
            text`${mode === 'sweep' ? 'Sweep' : 'Pass'} of ${began.workspace}/${process} started ${when(began.startedAt, display)}. See its progress with: ${hint('status', display)}`,
        );
      }),
    );
}
