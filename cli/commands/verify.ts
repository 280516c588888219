import type { Command } from 'commander';
import { verifyProcess } from '../../functions/operations/verify/walk.ts';
import { verifyService } from '../../functions/operations/verify/walk-service.ts';
import { verifyDeliveries } from '../../functions/operations/walk-deliveries.ts';
import { type Context, Failed } from '../context/context.ts';
import { pages } from '../context/pages.ts';
import type { Cli } from '../context/runner.ts';
import { text } from '../show/display.ts';
import { mismatchesIn, type Result, verifiedText } from '../show/verify.ts';
import { examples } from './example.ts';

interface Options {
  readonly process?: string;
  readonly workspace?: string;
  readonly service?: boolean;
}

type Process = Parameters<typeof verifyProcess>[1];

export function verifyCommand(program: Command, { run }: Cli): void {
  program
    .command('verify')
    .description('check that events lead to the snapshots, and deliveries are not lost; exit code 1 if not')
    .option('--process <id>', 'only this process')
    .option('--workspace <name>', 'its workspace, if several have this process')
    .option('--service', 'read the service once, too, and compare it with the snapshots')
    .addHelpText(
      'after',
      examples(
        'verify',
        'verify --service',
        'verify --process launch --stack Changewire --region eu-central-1',
      ),
    )
    .action(
      run(async (context, { process, workspace, service = false }: Options) => {
        const processes =
          process === undefined ? await processesOf(context, workspace) : [{ process, workspace }];
        const all: Result[] = [];
        for (const each of processes) {
          const result = await verify(context, each, service);
          all.push(result);
          if (context.print.json) context.print.answers([result], () => '');
        }
        if (!context.print.json) context.print.answers(all, display => verifiedText(all, display));
        if (all.some(each => mismatchesIn(each) > 0)) throw new Failed();
      }),
    );
}

/** Attempts are saved at the end of a run, which sends for 20 s at most. */
const SAVED_MS = 30_000;
/** Passes read changes every minute, unless they are configured otherwise. */
const PASSED_MS = 90_000;

async function verify(context: Context, process: Process, withService: boolean): Promise<Result> {
  const { ask, print, sleep, interrupted } = context;
  const note = noter(context);
  const verified = await verifyProcess(ask, process, ({ events, readTo, projects, of }) =>
    note(() =>
      of > 0
        ? text`${process.process}: compared ${projects} of ${of} projects`
        : text`${process.process}: read ${events} events, up to ${readTo ?? 'the beginning'}`,
    ),
  );
  const deliveries = await verifyDeliveries(ask, process, {
    report: ({ deliveries, readTo }) =>
      note(
        () => text`${process.process}: found ${deliveries} deliveries, up to ${readTo ?? 'the beginning'}`,
      ),
    wait: () => sleep(SAVED_MS, interrupted),
  });
  if (!withService || !verified.isBaselined) return { ...verified, deliveries };
  const service = await verifyService(ask, process, {
    report: projects => note(() => text`${process.process}: read ${projects} projects of the service`),
    wait: () => {
      print.note(text`${process.process}: the service differs; reading that again in 90 s`);
      return sleep(PASSED_MS, interrupted);
    },
  });
  return { ...verified, deliveries, service };
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

/** Prints the progress now and then. */
function noter({ print, clock }: Context): (progress: () => string) => void {
  let noted = clock();
  return progress => {
    if (clock() - noted < NOTE_MS) return;
    noted = clock();
    print.note(progress());
  };
}
