import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { platform } from 'node:process';
import { Refused } from '../functions/operations/refused.ts';

/** The program of each system that opens an address in the browser that its user has chosen. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the user's browser. @throws Refused when nothing opens it */
export async function browse(address: string): Promise<void> {
  const [program, ...args] = OPENERS[platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
  child.unref();
  await once(child, 'spawn').catch(() => {
    throw new Refused(`No browser can be opened here (there is no ${program}): open the address yourself.`);
  });
}
