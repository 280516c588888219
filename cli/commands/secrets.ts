import type { Command } from 'commander';
import { UsageError } from '../../local/basics/usage-error.ts';
import type { Cli } from '../context/runner.ts';
import { text } from '../show/display.ts';
import { examples } from './example.ts';

export function secretCommand(endpoints: Command, { run }: Cli): void {
  endpoints
    .command('rotate-secret <name>')
    .description('rotate the signing secret; both are valid until --finish')
    .option('--secret <whsec>', 'new secret; - reads it from stdin (default: generated and shown once)')
    .option('--finish', 'stop signing with the old secret')
    .addHelpText('after', examples('endpoints rotate-secret crm', 'endpoints rotate-secret crm --finish'))
    .action(
      run(async ({ ask, print, input }, endpoint: string, options: { secret?: string; finish?: boolean }) => {
        if (options.finish) {
          if (options.secret !== undefined)
            throw new UsageError('--finish cannot be combined with --secret.');
          const finished = await ask({ operation: 'finish-rotation', endpoint });
          return print.answer(finished, () => text`Only the new secret of ${endpoint} is used now.`);
        }
        const given = options.secret === '-' ? await input.secret('The new signing secret') : options.secret;
        const request = {
          operation: 'rotate-secret',
          endpoint,
          ...(given !== undefined && { secret: given }),
        } as const;
        const { secret } = await ask(request);
        const shown = given === undefined ? text` New secret: ${secret ?? ''} (shown only once)` : '';
        print.answer(
          given === undefined ? { endpoint, secret } : { endpoint },
          () =>
            `${text`Events to ${endpoint} are signed with both the new and the old secret.`}${shown}\nAdd the new secret to the receiver, then run this command with --finish.`,
        );
      }),
    );
}
