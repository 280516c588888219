import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { Refused } from '../../functions/operations/refused.ts';
import { UsageError } from '../../local/basics/usage-error.ts';
import type { PageAddress } from '../../local/operate/address.ts';
import { CONSOLE_OPTIONS, type ConsolePlace, consolePlace } from '../../local/settings/console-options.ts';
import type { Context } from '../context/context.ts';
import type { Cli } from '../context/runner.ts';
import { examples } from './example.ts';

interface Options {
  readonly open?: boolean;
  readonly readOnly?: boolean;
  readonly consolePort?: string;
  readonly consoleHost?: string;
  readonly consoleOrigin?: string;
}

/** Prints the address of the page, and opens it through a file in the directory. */
type Show = (page: PageAddress, directory: string) => Promise<void>;

export function consoleCommand(program: Command, { run, world }: Cli): void {
  const command = program
    .command('console')
    .description('print the address of the web console')
    .option('--open', 'open the console in the browser')
    .option('--read-only', 'the read-only link, for a team');
  for (const [name, { value, brief }] of Object.entries(CONSOLE_OPTIONS))
    command.option(`--${name} <${value.toLowerCase()}>`, `without a run: ${brief}`);
  command
    .addHelpText(
      'after',
      examples('console', 'console --open', 'console --stack changewire-eu --region eu-central-1'),
    )
    .action(
      run(async (context, options: Options) => {
        const { consolePort, consoleHost, consoleOrigin } = options;
        const place = consolePlace({
          'console-port': consolePort,
          'console-host': consoleHost,
          'console-origin': consoleOrigin,
        });
        const show: Show = async (served, directory) => {
          const { pageAddress, writeOpener } = await import('../../local/operate/address.ts');
          const page = options.readOnly ? readOnly(served) : served;
          const address = pageAddress(page);
          context.print.answer({ address }, () => address);
          if (options.open) await world.browse(pathToFileURL(writeOpener(directory, page)).href);
        };
        const { page, directory } = await context.connect();
        if (!page || directory === undefined) return serve(context, place, show);
        if (Object.values(place).some(each => each !== undefined))
          throw new UsageError(
            'The run serves its console itself: give these options to "npx changewire start".',
          );
        await show(page, directory);
      }),
    );
}

/** The same page with the token that can change nothing. */
function readOnly({ readOnlyToken: token, ...page }: PageAddress): PageAddress {
  if (token === undefined)
    throw new Refused('The run is of an earlier version, without a read-only link. Restart it.');
  return { ...page, token };
}

/** Serves the page from this machine until interrupted: a stack and the store of an ended run have no page. */
async function serve({ ask, print, interrupted }: Context, place: ConsolePlace, show: Show) {
  const { createPage, whyNoPage } = await import('../../local/operate/page.ts');
  const { startOperationsServer, userName } = await import('../../local/operate/server.ts');
  const why = whyNoPage();
  if (why !== undefined) throw new Refused(`The console is not available: ${why}.`);
  const server = await startOperationsServer(ask, {
    who: userName(),
    page: createPage(),
    place,
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
