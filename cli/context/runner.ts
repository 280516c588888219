import type { Command } from 'commander';
import { Gone, type Place } from '../connect/connection.ts';
import type { Context } from './context.ts';
import { createPrinter } from './printer.ts';
import type { World } from './world.ts';

/** Makes the action of a command: connects it to whoever answers, and closes the connection afterwards. */
export type Run = <Args extends unknown[]>(
  work: (context: Context, ...args: Args) => Promise<void>,
) => (...args: [...Args, ...rest: unknown[]]) => Promise<void>;

/** What a group of commands is added with. */
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
      const print = createPrinter(world, { json, colour: color });
      const { input, clock, sleep, interrupted } = world;
      // The connection is opened at the first request, so that a wrong command line is reported before
      // anything is connected to.
      let opening: ReturnType<World['open']> | undefined;
      const connect: Context['connect'] = () => {
        opening ??= world.open(place);
        return opening;
      };
      const ask: Context['ask'] = async request => {
        const { ask } = await connect();
        return await ask(request).catch(error => {
          // The next request connects anew, to whoever answers then.
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
