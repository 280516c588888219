import { stderr } from 'node:process';
import type { Command } from 'commander';
import { UsageError } from '../../local/basics/usage-error.ts';
import { printable } from '../../local/terminal/text.ts';
import { type Connection, Gone, type Place } from '../connect/connection.ts';
import { dataPlaces, nothingIn } from '../connect/data-directory.ts';
import { connectToRun } from '../connect/local-server.ts';
import type { Context } from './context.ts';
import { createPrinter } from './printer.ts';
import type { World } from './world.ts';

/** Creates the action of a command; its connection is closed afterwards. */
export type Run = <Args extends unknown[]>(
  work: (context: Context, ...args: Args) => Promise<void>,
) => (...args: [...Args, ...rest: unknown[]]) => Promise<void>;

/** The dependencies of the functions that add commands. */
export interface Cli {
  readonly run: Run;
  readonly world: World;
}

interface GlobalOptions extends Place {
  readonly json?: boolean;
  readonly color: boolean;
}

export function runnerOf(program: Command, world: World): Run {
  return work =>
    async (...args) => {
      const { json = false, color, ...place } = program.opts<GlobalOptions>();
      const print = createPrinter(world, { json, colour: color, place });
      const { input, clock, sleep, interrupted } = world;
      // Opened at the first request, so that an invalid command line is reported first.
      let opening: ReturnType<World['open']> | undefined;
      const connect: Context['connect'] = () => {
        opening ??= world.open(place);
        return opening;
      };
      const ask: Context['ask'] = async request => {
        const { ask } = await connect();
        return await ask(request).catch(error => {
          // The next request reconnects.
          if (error instanceof Gone) opening = undefined;
          throw error;
        });
      };
      try {
        await work({ ask, connect, print, place, input, clock, sleep, interrupted }, ...(args as never));
      } finally {
        await (await opening?.catch(() => undefined))?.close();
      }
    };
}

/** Connects to a stack on AWS if one is named, else to a local run, else to the store of the last run. Each is
 *  loaded lazily, so that commands start fast. @throws UsageError if none of them exists */
export async function open(place: Place): Promise<Connection> {
  if (place.stack !== undefined) {
    if (place.data !== undefined)
      throw new UsageError(
        '--stack and --data cannot be combined: use --stack for AWS, --data for a local instance.',
      );
    const { openStack } = await import('../connect/stack.ts');
    return openStack(place.stack, place);
  }
  if (place.region !== undefined) throw new UsageError('--region requires --stack NAME.');
  const places = dataPlaces(place.data);
  for (const { address, directory } of places) {
    const run = address && (await connectToRun(address));
    if (run) return { ...run, directory };
  }
  // A killed run with --memory leaves only its address.
  const left = places.find(({ hasStore }) => hasStore);
  if (!left) throw nothingIn(place.data);
  return openStore(left.directory);
}

/** Connects to the store of the last run, as the current user. */
async function openStore(directory: string): Promise<Connection> {
  const { openStoredOperations } = await import('../../local/operate/operations.ts');
  const { userName } = await import('../../local/operate/server.ts');
  const { operations, close } = await openStoredOperations(directory, text => {
    stderr.write(`${printable(text)}\n`);
  });
  const caller = { who: userName(), isProven: true };
  return { ask: request => operations(request, caller), directory, close: async () => close() };
}
