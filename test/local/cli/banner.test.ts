import { describe, expect, it } from 'vitest';
import { askedBy, banner, bannerDetails } from '../../../local/cli/banner.ts';
import { filterOption } from '../../../local/settings/endpoint-options.ts';

const BANNER = {
  source: { name: 'a simulated service', watched: [] } as never,
  subscriptions: [],
  endpoints: [],
  added: [],
  config: undefined,
  leavesService: false,
  data: undefined,
  health: undefined,
  ask: undefined,
  once: true,
};

const endpointLine = (filters: readonly string[]) => {
  const endpoint = {
    name: 'crm',
    kind: 'webhook',
    isOption: false,
    url: 'https://x/',
    origin: 'https://x',
    secrets: [],
  } as const;
  const filter = filters.length > 0 ? filterOption(filters) : undefined;
  const text = banner({ ...BANNER, endpoints: [{ ...endpoint, filter }] });
  return text
    .split('\n')
    .find(line => line.includes('crm'))
    ?.trim();
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
    const text = banner({ ...BANNER, added: [{ name: 'chat', kind: 'slack', filter }] });
    expect(text).toContain('\n           to chat (Slack, added at runtime, only processes p1)\n');
  });

  it('has for programs the processes, endpoints and places as fields, without the path of a URL', () => {
    const changes = { fastest: 5000, slowest: 60_000 };
    const watched = [{ workspace: { name: 'eu', processes: [{ id: 'p1', changes, sweep: 3_600_000 }] } }];
    const crm = {
      name: 'crm',
      kind: 'webhook',
      url: 'https://x/secret',
      origin: 'https://x',
      secrets: ['s'],
    };
    const details = bannerDetails({
      ...BANNER,
      source: { watched, simulated: false } as never,
      endpoints: [{ ...crm, isOption: true, filter: undefined } as never],
      added: [{ name: 'chat', kind: 'slack' }],
      data: '.changewire',
    });
    expect(JSON.parse(JSON.stringify(details))).toEqual({
      code: 'run.started',
      simulated: false,
      processes: [{ workspace: 'eu', process: 'p1', changes, sweep: 3_600_000 }],
      subscriptions: [],
      endpoints: [
        { name: 'crm', kind: 'webhook', origin: 'https://x' },
        { name: 'chat', kind: 'slack' },
      ],
      data: '.changewire',
      once: true,
    });
  });

  it('tells which configuration file it goes by, and that SERVICE_* is not used beside it', () => {
    expect(banner(BANNER)).not.toContain('config');
    const config = 'changewire.json';
    expect(banner({ ...BANNER, config })).toContain('\n  config   changewire.json\n');
    expect(banner({ ...BANNER, config, leavesService: true })).toContain(
      '\n  config   changewire.json (SERVICE_* is ignored)\n',
    );
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
