import type { Command } from 'commander';
import { kindSettingsText } from '../../functions/model/kinds.ts';
import { type Consent, confirmed } from '../context/confirm.ts';
import { Failed } from '../context/context.ts';
import type { Cli } from '../context/runner.ts';
import { limitOf } from '../options/parsers.ts';
import { attemptLine, previewText } from '../show/deliveries.ts';
import { text } from '../show/display.ts';
import { countText, endpointsTable } from '../show/endpoints.ts';
import { endpointDeliveryCommands } from './endpoint-deliveries.ts';
import { endpointSettingCommands } from './endpoint-settings.ts';
import { examples } from './example.ts';
import { showList } from './list.ts';
import { secretCommand } from './secrets.ts';

export function endpointCommands(program: Command, cli: Cli): void {
  const endpoints = program
    .command('endpoints')
    .description('manage webhooks and chat channels')
    .helpCommand(false);
  listCommand(endpoints, cli);
  endpointSettingCommands(endpoints, cli);
  pauseCommands(endpoints, cli);
  removeCommand(endpoints, cli);
  testCommand(endpoints, cli);
  previewCommand(endpoints, cli);
  secretCommand(endpoints, cli);
  endpointDeliveryCommands(endpoints, cli);
}

function listCommand(endpoints: Command, { run }: Cli): void {
  endpoints
    .command('list')
    .description('list endpoints with their health and backlog')
    .option('--limit <n>', 'maximum number, or "all"', limitOf, 100)
    .addHelpText('after', examples('endpoints list', 'endpoints list --json --limit all'))
    .action(
      run(({ ask, print }, { limit }: { limit: number }) =>
        showList(print, {
          limit,
          ask: page => ask({ operation: 'endpoints', ...page }),
          itemsOf: ({ endpoints: all }) => all,
          format: (all, display) => endpointsTable(all, display),
        }),
      ),
    );
  endpoints
    .command('show <name>')
    .description('show an endpoint and its filter')
    .addHelpText('after', examples('endpoints show crm'))
    .action(
      run(async ({ ask, print }, endpoint: string) => {
        const one = await ask({ operation: 'endpoint', endpoint });
        print.answer(one, display => {
          const filter =
            one.filter === undefined ? 'all events' : `events that match ${JSON.stringify(one.filter)}`;
          const address = one.origin === undefined ? '' : text`\nURL at ${one.origin}`;
          const headers = one.headers ? text`\nwith the headers ${one.headers.join(', ')}` : '';
          const records = one.record === false ? '; without records' : '';
          const settings = kindSettingsText(one).map(setting => text`; ${setting}`);
          return `${endpointsTable([one], display)}\n\n${text`receives ${filter}; max. ${one.perSecond} per second`}${settings.join('')}${records}${address}${headers}`;
        });
      }),
    );
}

function pauseCommands(endpoints: Command, { run }: Cli): void {
  endpoints
    .command('pause <name>')
    .description('pause delivery; new events are queued, each for at most 30 days')
    .addHelpText('after', examples('endpoints pause crm'))
    .action(
      run(async ({ ask, print }, endpoint: string) => {
        const paused = await ask({ operation: 'pause-endpoint', endpoint });
        print.answer(
          paused,
          () =>
            text`Paused ${endpoint}. New events are queued until you resume it, each for at most 30 days.`,
        );
      }),
    );
  endpoints
    .command('resume <name>')
    .description('resume delivery (also after a stop), backlog first')
    .addHelpText('after', examples('endpoints resume crm'))
    .action(
      run(async ({ ask, print }, endpoint: string) => {
        const resumed = await ask({ operation: 'resume-endpoint', endpoint });
        const waiting = countText(resumed.waiting);
        const queued =
          waiting === '' ? 'Nothing was queued.' : `Sending ${waiting} queued events, oldest first.`;
        print.answer(resumed, () => text`Resumed ${endpoint}. ${queued}`);
      }),
    );
}

function removeCommand(endpoints: Command, { run }: Cli): void {
  endpoints
    .command('remove <name>')
    .description('remove an endpoint with its secret and backlog')
    .option('--yes', 'skip the confirmation')
    .option('--dry-run', 'only show what would be deleted')
    .addHelpText('after', examples('endpoints remove crm --dry-run', 'endpoints remove crm --yes'))
    .action(
      run((context, endpoint: string, consent: Consent) =>
        confirmed(
          context,
          { operation: 'remove-endpoint', endpoint },
          consent,
          ({ waiting, dead, dryRun }) => {
            const counts = `${countText(waiting) || '0'} waiting, ${countText(dead) || '0'} dead letters`;
            return dryRun
              ? text`Would remove ${endpoint}, its secret, and its queue (${counts}).`
              : text`Removed ${endpoint}, its secret, and its queue (${counts}).`;
          },
        ),
      ),
    );
}

function testCommand(endpoints: Command, { run }: Cli): void {
  endpoints
    .command('test <name>')
    .description('send a test event and show the response; exits with 1 if it fails')
    .addHelpText('after', examples('endpoints test crm'))
    .action(
      run(async ({ ask, print }, endpoint: string) => {
        const attempt = await ask({ operation: 'test-endpoint', endpoint });
        print.answer(attempt, display => `${text`${endpoint}: `}${attemptLine(attempt, display)}`);
        if (attempt.failure !== undefined) throw new Failed();
      }),
    );
}

function previewCommand(endpoints: Command, { run }: Cli): void {
  endpoints
    .command('preview <name> [event-id]')
    .description('show what an endpoint gets for an event (default: the last one)')
    .addHelpText(
      'after',
      examples('endpoints preview launches', 'endpoints preview crm launch.1001.1795262491734.0 --json'),
    )
    .action(
      run(async ({ ask, print }, endpoint: string, eventId: string | undefined) => {
        const preview = await ask({
          operation: 'preview',
          endpoint,
          ...(eventId !== undefined && { eventId }),
        });
        print.answer(preview, display => previewText(preview, display));
      }),
    );
}
