import type { Command } from 'commander';
import { Refused } from '../../functions/operations/refused.ts';
import { messageOf } from '../context/context.ts';
import type { Cli } from '../context/runner.ts';
import { examples } from './example.ts';

export function mcpCommand(program: Command, { run, world }: Cli): void {
  program
    .command('mcp')
    .description('serve read-only tools to AI agents: the Model Context Protocol on stdin and stdout')
    .addHelpText(
      'after',
      examples('mcp --data /srv/changewire', 'mcp --stack Changewire --region eu-central-1'),
    )
    .action(
      run(async ({ place, print, input, interrupted }) => {
        const { serve } = await import('../mcp/server.ts').catch(withRemedy);
        if (input.canAsk) print.note('Waiting for an MCP client on stdin. Press Ctrl-C to stop.');
        await serve({
          open: () => world.open(place),
          onError: error => print.note(messageOf(error)),
          interrupted,
        });
      }),
    );
}

/** The package has the SDK bundled; in a checkout it is a development dependency. */
function withRemedy(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  throw new Refused('The MCP SDK is not installed. Run "npm ci" without --omit=dev.');
}
