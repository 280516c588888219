import type { Command } from 'commander';
import { type Progress, type Verified, verifyProcess } from '../../functions/operations/verify/walk.ts';
import { type Context, Failed } from '../context/context.ts';
import { pages } from '../context/pages.ts';
import type { Cli } from '../context/runner.ts';
import { text } from '../show/display.ts';
import { verifiedText } from '../show/verify.ts';
import { examples } from './example.ts';

interface Options {
  readonly process?: string;
  readonly workspace?: string;
}

type Process = Parameters<typeof verifyProcess>[1];

export function verifyCommand(program: Command, { run }: Cli): void {
  program
    .command('verify')
    .description('check that the events of the last 28 days lead to the snapshots; exit code 1 if not')
    .option('--process <id>', 'only this process')
    .option('--workspace <name>', 'workspace of the process, if the id is not unique')
    .addHelpText(
      'after',
      examples('verify', 'verify --process launch --stack Changewire --region eu-central-1'),
    )
    .action(
      run(async (context, { process, workspace }: Options) => {
        const processes =
          process === undefined ? await processesOf(context, workspace) : [{ process, workspace }];
        const all: Verified[] = [];
        for (const each of processes) {
          const verified = await verifyProcess(context.ask, each, reporter(context, each.process));
          all.push(verified);
          if (context.print.json) context.print.answers([verified], () => '');
        }
        if (!context.print.json) context.print.answers(all, display => verifiedText(all, display));
        if (all.some(({ mismatches }) => mismatches.length > 0)) throw new Failed();
      }),
    );
}

/** The processes that are configured. */
async function processesOf({ ask }: Context, workspace: string | undefined): Promise<Process[]> {
  const all: Process[] = [];
  const page = (page: { readonly cursor?: string; readonly limit: number }) =>
    ask({ operation: 'status', ...page });
  for await (const { processes } of pages(
    Number.POSITIVE_INFINITY,
    page,
    ({ processes }) => processes.length,
  ))
    for (const { process, workspace: name, state } of processes)
      if (state !== 'removed' && (workspace ?? name) === name) all.push({ process, workspace: name });
  return all;
}

/** The ms between two notes. */
const NOTE_MS = 2_000;

function reporter({ print, clock }: Context, process: string): (progress: Progress) => void {
  let noted = clock();
  return ({ events, readTo, projects, of }) => {
    if (clock() - noted < NOTE_MS) return;
    noted = clock();
    if (of > 0) print.note(text`${process}: compared ${projects} of ${of} projects`);
    else print.note(text`${process}: read ${events} events, up to ${readTo ?? 'the beginning'}`);
  };
}
