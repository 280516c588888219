import type { Command } from 'commander';
import { Refused } from '../../functions/operations/refused.ts';
import type { Address } from '../../local/operate/address.ts';
import { userName } from '../../local/operate/user-name.ts';
import type { Context } from '../context/context.ts';
import type { Cli } from '../context/runner.ts';
import { examples } from './example.ts';

interface Options {
  readonly open?: boolean;
}

export function consoleCommand(program: Command, { run, world }: Cli): void {
  program
    .command('console')
    .description('tell where the console is: a page that shows what happens, and mends it')
    .option('--open', 'open it in the browser')
    .addHelpText(
      'after',
      examples('console', 'console --open', 'console --stack changewire-eu --region eu-central-1'),
    )
    .action(
      run(async (context, options: Options) => {
        const show = async (page: Pick<Address, 'url' | 'token'>) => {
          const { pageAddress } = await import('../../local/operate/address.ts');
          const address = pageAddress(page);
          context.print.answer({ address }, () => address);
          if (options.open) await world.browse(await ticketAddress(page, world.clock));
        };
        const { page } = await context.connect();
        await (page ? show(page) : serve(context, show));
      }),
    );
}

async function ticketAddress({ url, token }: Pick<Address, 'url' | 'token'>, clock: Context['clock']) {
  const { newTicket } = await import('../../local/operate/tickets.ts');
  return `${url}/open?ticket=${newTicket(token, clock)}`;
}

/** Serves the page from this machine until somebody ends it, for a stack or a stored state, which have no
 *  page of their own. */
async function serve({ ask, print, interrupted }: Context, show: (page: Address) => Promise<void>) {
  const { createPage, whyNoPage } = await import('../../local/console/page.ts');
  const { startOperationsServer } = await import('../../local/operate/server.ts');
  const why = whyNoPage();
  if (why !== undefined) throw new Refused(`There is no console: ${why}.`);
  const server = await startOperationsServer(ask, {
    who: userName(),
    page: createPage(),
    onError: error => print.note(error instanceof Error ? error.message : String(error)),
  });
  try {
    await show(server);
    print.note('It is there until you end this, with Ctrl-C.');
    if (!interrupted.aborted)
      await new Promise<void>(resolve =>
        interrupted.addEventListener('abort', () => resolve(), { once: true }),
      );
  } finally {
    await server.stop();
  }
}
