import type { Command } from 'commander';
import type { Context } from '../context/context.ts';
import { pages } from '../context/pages.ts';
import type { Cli } from '../context/runner.ts';
import { limitOf } from '../options/parsers.ts';
import { type Status, statusText } from '../show/status.ts';
import { examples } from './example.ts';
import { MORE } from './list.ts';
import { watch } from './watch.ts';

export function statusCommand(program: Command, { run, world }: Cli): void {
  program
    .command('status')
    .description('show the health of processes and endpoints, and their backlogs')
    .option('--watch', 'refresh every 2 seconds until Ctrl-C')
    .option('--limit <n>', 'maximum number of processes and endpoints, or "all"', limitOf, 200)
    .addHelpText(
      'after',
      examples('status', 'status --watch', 'status --stack Changewire --region eu-central-1'),
    )
    .action(
      run(async (context, options: { watch?: boolean; limit: number }) => {
        if (options.watch) await watch(context, world.stdout, () => statusOf(context, options.limit), shown);
        else await once(context, options.limit);
      }),
    );
}

async function once(context: Context, limit: number): Promise<void> {
  const { print } = context;
  const status = await statusOf(context, limit);
  if (print.json) print.answers(linesOf(status), () => '');
  else print.answer(status, display => statusText(status, display));
  if (status.cursor !== undefined) print.note(MORE);
}

const shown = { format: statusText, lines: linesOf };

/** JSON lines: the deployment first, then one line for each process and endpoint. */
function linesOf({ processes, endpoints, cursor: _, ...run }: Status): object[] {
  return [{ run }, ...processes.map(process => ({ process })), ...endpoints.map(endpoint => ({ endpoint }))];
}

/** The status with the processes and endpoints of all its pages. */
export async function statusOf({ ask, connect }: Context, limit: number): Promise<Status> {
  let all: Status | undefined;
  const countOf = ({ processes, endpoints }: Status) => processes.length + endpoints.length;
  for await (const page of pages(limit, page => ask({ operation: 'status', ...page }), countOf))
    all = {
      ...page,
      processes: [...(all?.processes ?? []), ...page.processes],
      endpoints: [...(all?.endpoints ?? []), ...page.endpoints],
    };
  const { page } = await connect();
  return { ...(all as Status), ...(page && { console: page.origin ?? page.url }) };
}
