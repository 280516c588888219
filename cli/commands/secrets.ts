import type { Command } from 'commander';
import { UsageError } from '../../local/basics/usage-error.ts';
import type { Cli } from '../context/runner.ts';
import { text } from '../show/paper.ts';
import { examples } from './example.ts';

export function secretCommand(endpoints: Command, { run }: Cli): void {
  endpoints
    .command('rotate-secret <name>')
    .description('sign with a new secret and the old one; --finish drops the old one')
    .option('--secret <whsec>', 'the new one, - from stdin; without it one is made, and shown')
    .option('--finish', 'sign with the new secret alone, once the receiver has it')
    .addHelpText('after', examples('endpoints rotate-secret crm', 'endpoints rotate-secret crm --finish'))
    .action(
      run(async ({ ask, print, input }, endpoint: string, options: { secret?: string; finish?: boolean }) => {
        if (options.finish) {
          if (options.secret !== undefined)
            throw new UsageError('--finish takes no secret: the new one is known.');
          const finished = await ask({ operation: 'finish-rotation', endpoint });
          return print.answer(finished, () => text`${endpoint}: signs with the new secret alone.`);
        }
        const given = options.secret === '-' ? await input.secret('The new signing secret') : options.secret;
        const request = {
          operation: 'rotate-secret',
          endpoint,
          ...(given !== undefined && { secret: given }),
        } as const;
        const { secret } = await ask(request);
        // A secret that was given is not shown: whoever gave it knows it.
        const shown = given === undefined ? `${secret}, which is shown only now,` : 'the new secret';
        print.answer(
          given === undefined ? { endpoint, secret } : { endpoint },
          () =>
            text`${endpoint}: signs with ${shown} and with the old one. Tell the receiver, then drop the old one with --finish.`,
        );
      }),
    );
}
