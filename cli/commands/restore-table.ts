import { type Command, InvalidArgumentError } from 'commander';
import { UsageError } from '../../local/basics/usage-error.ts';
import type { Place } from '../connect/connection.ts';
import { type Consent, consent, NO_TERMINAL } from '../context/confirm.ts';
import type { Cli } from '../context/runner.ts';
import { readTime } from '../options/parsers.ts';
import type { RestoreSource } from '../restore/stack-table.ts';
import { text } from '../show/display.ts';
import { examples } from './example.ts';

interface Options extends Consent {
  readonly at?: string;
  readonly from?: string;
}

/** `changewire restore-table`: rolls the snapshots in the table of a running stack back to an earlier time
 *  (docs/runbook.md, docs/decisions/0101). */
export function restoreTableCommand(program: Command, { run, world }: Cli): void {
  program
    .command('restore-table')
    .description('roll all processes back to an earlier snapshot (AWS)')
    .option('--at <time>', 'time with its time zone, at most 35 days ago', momentOf)
    .option('--from <table>', 'a table that DynamoDB has already restored')
    .option('--yes', 'skip the confirmation')
    .option('--dry-run', 'only show what would be restored')
    .addHelpText(
      'after',
      examples('restore-table --at 2026-01-31T08:00:00Z --stack Changewire --region eu-central-1'),
    )
    .action(
      run(async ({ place, print, input }, { yes, dryRun, ...options }: Options) => {
        const source = sourceOf(options);
        checkPlace(place);
        if (!yes && !dryRun && !input.canAsk) throw new UsageError(NO_TERMINAL);
        const table = await world.stackTable(place);
        const would = text`Would roll all processes in ${table.name} back to ${describe(source)}. Changes since then are published again; endpoints and events are kept.`;
        if (dryRun) return print.answer({ table: table.name, ...source, dryRun }, () => would);
        if (!yes) await consent({ print, input }, would);
        if ('at' in source)
          print.note(
            text`DynamoDB is restoring the table as of ${source.at}. This takes minutes, or hours for a large table.`,
          );
        const restoredFrom = await table.restore(source, print.note);
        print.answer(
          { table: table.name, restoredFrom },
          () =>
            text`Restored ${table.name}. After checking the result, delete the copy: aws dynamodb delete-table --region ${table.region} --table-name ${restoredFrom}`,
        );
      }),
    );
}

function sourceOf({ at, from }: Pick<Options, 'at' | 'from'>): RestoreSource {
  if (from !== undefined) return { from };
  if (at !== undefined) return { at };
  throw new UsageError('Specify the time with --at TIME, such as --at 2026-01-31T08:00:00Z.');
}

function describe(source: RestoreSource): string {
  return 'at' in source ? `their state at ${source.at}` : `their state in the table ${source.from}`;
}

function checkPlace({ stack, data }: Place): void {
  if (stack !== undefined && data === undefined) return;
  throw new UsageError(
    'restore-table works on AWS stacks: use --stack NAME and --region REGION, without --data. To restore the backup ' +
      'of a local instance: npx changewire restore DIR',
  );
}

/** Reads an absolute time with its zone, so that a repeated command finds the table that it restored.
 *  @returns ISO 8601 in UTC @throws InvalidArgumentError */
function momentOf(value: string): string {
  const at = /T.*(Z|[+-]\d\d:\d\d)$/.test(value) ? readTime(value) : Number.NaN;
  if (Number.isFinite(at)) return new Date(at).toISOString();
  throw new InvalidArgumentError('Expected a time with its time zone, such as 2026-01-31T08:00:00Z.');
}
