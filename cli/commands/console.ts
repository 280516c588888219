import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { Refused } from '../../functions/operations/refused.ts';
import type { Address } from '../../local/operate/address.ts';
import type { Context } from '../context/context.ts';
import type { Cli } from '../context/runner.ts';
import { examples } from './example.ts';

interface Options {
  readonly open?: boolean;
}

/** Prints the address of the page, and opens it through a file in the directory. */
type Show = (page: Pick<Address, 'url' | 'token'>, directory: string) => Promise<void>;

export function consoleCommand(program: Command, { run, world }: Cli): void {
  program
    .command('console')
    .description('print the address of the web console')
    .option('--open', 'open the console in the browser')
    .addHelpText(
      'after',
      examples('console', 'console --open', 'console --stack changewire-eu --region eu-central-1'),
    )
    .action(
      run(async (context, options: Options) => {
        const show: Show = async (page, directory) => {
          const { pageAddress, writeOpener } = await import('../../local/operate/address.ts');
          const address = pageAddress(page);
          context.print.answer({ address }, () => address);
          if (options.open) await world.browse(pathToFileURL(writeOpener(directory, page)).href);
        };
        const { page, directory } = await context.connect();
        await (page && directory !== undefined ? show(page, directory) : serve(context, show));
      }),
    );
}

/** Serves the page from this machine until interrupted: a stack and the store of an ended run have no page. */
async function serve({ ask, print, interrupted }: Context, show: Show) {
  const { createPage, whyNoPage } = await import('../../local/operate/page.ts');
  const { startOperationsServer, userName } = await import('../../local/operate/server.ts');
  const why = whyNoPage();
  if (why !== undefined) throw new Refused(`The console is not available: ${why}.`);
  const server = await startOperationsServer(ask, {
    who: userName(),
    page: createPage(),
    onError: error => print.note(error instanceof Error ? error.message : String(error)),
  });
  const directory = mkdtempSync(join(tmpdir(), 'changewire-console-'));
  try {
    await show(server, directory);
    print.note('Serving the console. Press Ctrl-C to stop.');
    if (!interrupted.aborted)
      await new Promise<void>(resolve =>
        interrupted.addEventListener('abort', () => resolve(), { once: true }),
      );
  } finally {
    rmSync(directory, { recursive: true, force: true });
    await server.stop();
  }
}
