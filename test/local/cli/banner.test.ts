import { describe, expect, it, test } from 'vitest';
import { askedBy, banner, bannerDetails, consoleOf, reportConsole } from '../../../local/cli/banner.ts';
import { openScratchDirectory } from '../../../local/data/data-directory.ts';
import { filterOption } from '../../../local/settings/endpoint-options.ts';
import { parseOptions } from '../../../local/settings/options.ts';

const BANNER = {
  source: { name: 'a simulated service', watched: [] } as never,
  ...{ subscriptions: [], endpoints: [], added: [] },
  ...{ config: undefined, data: undefined, health: undefined, ask: undefined },
  ...{ leavesService: false, once: true },
};

const CRM = { name: 'crm', kind: 'webhook', url: 'https://x/secret', origin: 'https://x' } as const;

const endpointLine = (filters: readonly string[]) => {
  const filter = filters.length > 0 ? filterOption(filters) : undefined;
  const endpoint = { ...CRM, isOption: false, secrets: [], headers: {}, filter };
  const lines = banner({ ...BANNER, endpoints: [endpoint] }).split('\n');
  return lines.find(line => line.includes('crm'))?.trim();
};

describe('what a start says', () => {
  it.each([
    [[], 'crm (signed webhook at https://x)'],
    [
      ['events=task.updated,task.created', 'projects=7'],
      'crm (signed webhook at https://x, only events task.updated or task.created; projects 7)',
    ],
    [
      ['from:status=Open', 'to:status=Done,Gone', 'to:Due date='],
      'crm (signed webhook at https://x, only status from Open to Done or Gone or Due date to nothing)',
    ],
  ])('of an endpoint tells its filter in words: %j', (filters, told) => {
    expect(endpointLine(filters)).toContain(told);
  });

  it('names the endpoints that were added in earlier runs', () => {
    const filter = { processes: ['p1'] };
    const text = banner({
      ...BANNER,
      added: [
        { name: 'chat', kind: 'slack', filter },
        { name: 'team', kind: 'teams', window: '15m', quiet: '22:00-07:00 UTC' },
        { name: 'mail', kind: 'email', from: 'a@x.example', to: 'b@x.example', digest: '08:00 UTC' },
      ],
    });
    expect(text).toContain('\n           to chat (Slack, added at runtime, only processes p1)\n');
    for (const line of [
      'to team (Teams, added at runtime, a window of 15m, quiet hours 22:00-07:00 UTC)',
      'to mail (E-mail, added at runtime, a digest at 08:00 UTC)',
    ])
      expect(text).toContain(`${line}\n`);
  });

  it('has for programs the processes, endpoints and places as fields, without the path of a URL', () => {
    const changes = { fastest: 5000, slowest: 60_000 };
    const watched = [{ workspace: { name: 'eu', processes: [{ id: 'p1', changes, sweep: 3_600_000 }] } }];
    const chat = { name: 'chat', kind: 'slack' } as const;
    const details = bannerDetails({
      ...BANNER,
      source: { watched, simulated: false } as never,
      endpoints: [{ ...CRM, secrets: ['s'], isOption: true, filter: undefined } as never],
      added: [chat],
      data: '.changewire',
    });
    expect(JSON.parse(JSON.stringify(details))).toEqual({
      code: 'run.started',
      simulated: false,
      processes: [{ workspace: 'eu', process: 'p1', changes, sweep: 3_600_000 }],
      subscriptions: [],
      endpoints: [{ name: 'crm', kind: 'webhook', origin: CRM.origin }, chat],
      data: '.changewire',
      once: true,
    });
  });

  it('tells which configuration file it goes by, and that SERVICE_* is not used beside it', () => {
    expect(banner(BANNER)).not.toContain('config');
    const config = 'changewire.json';
    expect(banner({ ...BANNER, config })).toContain('\n  config   changewire.json\n');
    const beside = banner({ ...BANNER, config, leavesService: true });
    expect(beside).toContain('\n  config   changewire.json (SERVICE_* is ignored)\n');
  });

  it.each([
    ['.changewire', 'npx changewire status'],
    ['.changewire/simulated', 'npx changewire status'],
    ['/var/lib/changewire', 'npx changewire status --data /var/lib/changewire'],
    [undefined, 'npx changewire status --data /tmp/scratch'],
  ])('of data in %s tells which command asks it', (data, command) => {
    expect(askedBy(data === undefined ? '/tmp/scratch' : data, data)).toBe(command);
  });
});

const TOKEN = 'a'.repeat(43);

function told(args: readonly string[], hasPage: boolean, why?: string, isTerminal = true): readonly string[] {
  const options = parseOptions(args);
  const lines: string[] = [];
  const directory = openScratchDirectory();
  directory.release();
  const address = { url: 'http://127.0.0.1:4321', token: TOKEN, former: [], hasPage };
  reportConsole({ options, output: { info: text => lines.push(text), isTerminal }, address, directory }, why);
  return lines;
}

test('a run says where its console is, in one line', () => {
  expect(told([], true)).toEqual([`Console: http://127.0.0.1:4321/#token=${TOKEN}\n`]);
});

test('where the page can not be built, a run says why in one line, and goes on without', () => {
  expect(consoleOf(parseOptions([]), 'there is none here')).toBe(undefined);
  const lines = told([], false, 'there is none here');
  expect(lines).toEqual(['The console is not available: there is none here.']);
});

test('with --no-console there is none, and no word of it', () => {
  const options = parseOptions(['--no-console']);
  expect(consoleOf(options, undefined)).toBe(undefined);
  expect(consoleOf(parseOptions([]), undefined)).toBeDefined();
  expect(told(['--no-console'], false)).toEqual([]);
});
