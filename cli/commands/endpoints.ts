import type { Command } from 'commander';
import { type Consent, confirmed } from '../context/confirm.ts';
import { Failed } from '../context/context.ts';
import type { Cli } from '../context/runner.ts';
import { limitOf } from '../options/parsers.ts';
import { attemptLine } from '../show/deliveries.ts';
import { countText, endpointsTable } from '../show/endpoints.ts';
import { text } from '../show/paper.ts';
import { endpointDeliveryCommands } from './endpoint-deliveries.ts';
import { endpointSettingCommands } from './endpoint-settings.ts';
import { examples } from './example.ts';
import { showList } from './list.ts';
import { secretCommand } from './secrets.ts';

/** The commands that work on endpoints. */
export function endpointCommands(program: Command, cli: Cli): void {
  const endpoints = program
    .command('endpoints')
    .description('receivers: webhooks and chats')
    .helpCommand(false);
  listCommand(endpoints, cli);
  endpointSettingCommands(endpoints, cli);
  pauseCommands(endpoints, cli);
  removeCommand(endpoints, cli);
  testCommand(endpoints, cli);
  secretCommand(endpoints, cli);
  endpointDeliveryCommands(endpoints, cli);
}

function listCommand(endpoints: Command, { run }: Cli): void {
  endpoints
    .command('list')
    .description('all endpoints: how they do, and what waits for them')
    .option('--limit <n>', 'so many at most, or all', limitOf, 100)
    .addHelpText('after', examples('endpoints list', 'endpoints list --json --limit all'))
    .action(
      run(({ ask, print }, { limit }: { limit: number }) =>
        showList(print, {
          limit,
          ask: page => ask({ operation: 'endpoints', ...page }),
          itemsOf: ({ endpoints: all }) => all,
          words: (all, paper) => endpointsTable(all, paper, { addresses: true }),
        }),
      ),
    );
  endpoints
    .command('show <name>')
    .description('one endpoint, with its filter')
    .addHelpText('after', examples('endpoints show crm'))
    .action(
      run(async ({ ask, print }, endpoint: string) => {
        const one = await ask({ operation: 'endpoint', endpoint });
        print.answer(one, paper => {
          const filter = one.filter === undefined ? 'every event' : JSON.stringify(one.filter);
          const address = one.origin === undefined ? '' : text`\nits address is at ${one.origin}`;
          return `${endpointsTable([one], paper)}\n\n${text`gets ${filter}, at most ${one.perSecond} a second`}${address}`;
        });
      }),
    );
}

function pauseCommands(endpoints: Command, { run }: Cli): void {
  endpoints
    .command('pause <name>')
    .description('send nothing to it until it is resumed; what comes meanwhile waits')
    .addHelpText('after', examples('endpoints pause crm'))
    .action(
      run(async ({ ask, print }, endpoint: string) => {
        const paused = await ask({ operation: 'pause-endpoint', endpoint });
        print.answer(paused, () => text`${endpoint}: paused; what comes waits until it is resumed.`);
      }),
    );
  endpoints
    .command('resume <name>')
    .description('send to it again, also to one that was stopped: what waits first')
    .addHelpText('after', examples('endpoints resume crm'))
    .action(
      run(async ({ ask, print }, endpoint: string) => {
        const resumed = await ask({ operation: 'resume-endpoint', endpoint });
        const waiting = countText(resumed.waiting) || 'nothing';
        print.answer(
          resumed,
          () => text`${endpoint}: resumed; what waits (${waiting}) is sent, the oldest first.`,
        );
      }),
    );
}

function removeCommand(endpoints: Command, { run }: Cli): void {
  endpoints
    .command('remove <name>')
    .description('remove it, with its secret and all that waits for it')
    .option('--yes', 'without asking')
    .option('--dry-run', 'say what would be lost, and do nothing')
    .addHelpText('after', examples('endpoints remove crm --dry-run', 'endpoints remove crm --yes'))
    .action(
      run((context, endpoint: string, consent: Consent) =>
        confirmed(
          context,
          { operation: 'remove-endpoint', endpoint },
          consent,
          ({ waiting, dead, dryRun }) => {
            const lost = `what waits for it (${countText(waiting) || 'nothing'}) and its dead letters (${countText(dead) || 'none'})`;
            return dryRun
              ? text`${endpoint} would be removed, with its secret, ${lost}.`
              : text`${endpoint}: removed, with its secret, ${lost}.`;
          },
        ),
      ),
    );
}

function testCommand(endpoints: Command, { run }: Cli): void {
  endpoints
    .command('test <name>')
    .description('send it a test event, and show the answer; exit code 1 when it fails')
    .addHelpText('after', examples('endpoints test crm'))
    .action(
      run(async ({ ask, print }, endpoint: string) => {
        const attempt = await ask({ operation: 'test-endpoint', endpoint });
        print.answer(attempt, paper => `${text`${endpoint}: `}${attemptLine(attempt, paper)}`);
        if (attempt.failure !== undefined) throw new Failed();
      }),
    );
}
