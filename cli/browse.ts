import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { platform } from 'node:process';
import { Refused } from '../functions/operations/refused.ts';

/** The programs that open an address in the default browser. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the user's browser. @throws Refused if the program is missing */
export async function browse(address: string): Promise<void> {
  const [program, ...args] = OPENERS[platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
  child.unref();
  await once(child, 'spawn').catch(() => {
    throw new Refused(`Could not open a browser (${program} is not available). Open the address yourself.`);
  });
}
