import { type Command, InvalidArgumentError } from 'commander';
import { UsageError } from '../../local/basics/usage-error.ts';
import type { Place } from '../connect/connection.ts';
import { type Consent, consent, UNASKED } from '../context/confirm.ts';
import type { Cli } from '../context/runner.ts';
import type { RestoreSource } from '../restore/stack-table.ts';
import { text } from '../show/paper.ts';
import { examples } from './example.ts';

interface Options extends Consent {
  readonly at?: string;
  readonly from?: string;
}

/** `changewire restore-table`: what passes know becomes what it was at an earlier time, in the table of a stack that goes on
 *  (docs/runbook.md, docs/decisions/0101). */
export function restoreTableCommand(program: Command, { run, world }: Cli): void {
  program
    .command('restore-table')
    .description('have all processes know again what they knew at an earlier time (AWS)')
    .option('--at <time>', 'that time, with its zone: at most 35 days ago', momentOf)
    .option('--from <table>', 'a table that was restored already, instead of having one made')
    .option('--yes', 'without asking')
    .option('--dry-run', 'say what would be restored, and do nothing')
    .addHelpText(
      'after',
      examples('restore-table --at 2026-01-31T08:00:00Z --stack Changewire --region eu-central-1'),
    )
    .action(
      run(async ({ place, print, input }, { yes, dryRun, ...options }: Options) => {
        const source = sourceOf(options);
        checkPlace(place);
        if (!yes && !dryRun && !input.canAsk) throw new UsageError(UNASKED);
        const table = await world.stackTable(place);
        const would = text`${table.name}: its processes would know again what ${toldOf(source)}. What changed since is told again; endpoints and events stay.`;
        if (dryRun) return print.answer({ table: table.name, ...source, dryRun }, () => would);
        if (!yes) await consent({ print, input }, would);
        if ('at' in source)
          print.note(text`DynamoDB makes the table of ${source.at}: minutes, with much in it hours.`);
        const restoredFrom = await table.restore(source, print.note);
        print.answer(
          { table: table.name, restoredFrom },
          () =>
            text`${table.name} is restored. When it is as it should be: aws dynamodb delete-table --region ${table.region} --table-name ${restoredFrom}`,
        );
      }),
    );
}

function sourceOf({ at, from }: Pick<Options, 'at' | 'from'>): RestoreSource {
  if (from !== undefined) return { from };
  if (at !== undefined) return { at };
  throw new UsageError('Restored as it was when? Say --at TIME, such as --at 2026-01-31T08:00:00Z.');
}

function toldOf(source: RestoreSource): string {
  return 'at' in source ? `they knew at ${source.at}` : `stands in the table ${source.from}`;
}

function checkPlace({ stack, data }: Place): void {
  if (stack !== undefined && data === undefined) return;
  throw new UsageError(
    'A table is that of a stack on AWS: say --stack NAME and --region REGION, and no --data. For a run of this machine, ' +
      'docs/self-hosting.md tells how its backup is restored.',
  );
}

/** Reads a time with its zone. None that is relative to now: repeated, the command is to find the table that it had made.
 *  @returns ISO 8601 in UTC @throws InvalidArgumentError */
function momentOf(value: string): string {
  const at = /T.*(Z|[+-]\d\d:\d\d)$/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isFinite(at)) return new Date(at).toISOString();
  throw new InvalidArgumentError('It takes a time with its zone, such as 2026-01-31T08:00:00Z.');
}
