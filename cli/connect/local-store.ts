import { stderr } from 'node:process';
import { Refused } from '../../functions/operations/refused.ts';
import { openStoredOperations } from '../../local/operate/operations.ts';
import { userName } from '../../local/operate/server.ts';
import { printable } from '../../local/terminal/text.ts';
import type { Connection } from './connection.ts';

/** Connects to the store that the last run left, as the user who may read it. */
export async function openLocalStore(directory: string): Promise<Connection> {
  const { operations, close } = await openStoredOperations(directory, {
    warn: text => void stderr.write(`${printable(text)}\n`),
    doctor: () => Promise.reject(new Refused('Nothing runs whose service could be asked.')),
  });
  const caller = { who: userName(), isProven: true };
  return { ask: request => operations(request, caller), close: async () => close() };
}
