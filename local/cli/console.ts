import type { Output } from '../basics/output.ts';
import { createPage, type Page, whyNoPage } from '../console/page.ts';
import type { DataDirectory } from '../data/data-directory.ts';
import { type Address, pageAddress } from '../operate/address.ts';
import type { Options } from '../settings/options.ts';

/** The console of a run; undefined: nobody wants it, or it can't be had here. */
export function consoleOf(options: Pick<Options, 'console'>, why = whyNoPage()): Page | undefined {
  return options.console && why === undefined ? createPage() : undefined;
}

interface Told {
  readonly options: Pick<Options, 'console'>;
  readonly output: Pick<Output, 'say' | 'isTerminal'>;
  readonly address: Address;
  readonly directory: DataDirectory;
}

/** Says in one line where the console is, or why there is none. The address is written to a terminal only: logs are
 *  kept and read by others, who must not see the token. */
export function tellConsole({ options, output, address, directory }: Told, why = whyNoPage()): void {
  if (!options.console) return;
  if (!address.hasPage) output.say(`There is no console: ${why ?? 'it was not asked for'}.`);
  else if (!output.isTerminal)
    output.say(`The console: npx changewire console --data ${directory.path} tells its address.`);
  else output.say(`Look at it in a browser: ${pageAddress(address)}\n`);
}
