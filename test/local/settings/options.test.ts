import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../local/basics/usage-error.ts';
import { HELP } from '../../../local/settings/help.ts';
import { OPTIONS, parseOptions } from '../../../local/settings/options.ts';

const DEFAULTS = {
  ...{ subscribe: [], raw: false, endpoints: [], config: undefined, data: undefined, memory: false },
  ...{ interval: undefined, sweepInterval: undefined, overlap: undefined, resend: [], once: false },
  ...{ json: false, log: 'text', health: undefined, console: true, consolePlace: {}, help: false },
};

describe('the command line', () => {
  test('has defaults for everything', () => {
    expect(parseOptions([])).toEqual(DEFAULTS);
  });

  test('takes every option', () => {
    const args = [
      ...['--subscribe http://a/1 --subscribe https://b --raw --interval 10s-5m --sweep-interval 5m'],
      ...['--overlap 1h --resend planner --resend crm --data d --once --json --log json --no-console -h'],
    ];
    expect(parseOptions(args.join(' ').split(' '))).toEqual({
      ...DEFAULTS,
      ...{ subscribe: ['http://a/1', 'https://b'], raw: true, resend: ['planner', 'crm'], data: 'd' },
      interval: { fastest: 10_000, slowest: 300_000 },
      ...{ sweepInterval: 300_000, overlap: 3_600_000 },
      ...{ once: true, json: true, log: 'json', console: false, help: true },
    });
  });

  test.each([
    ['--health', 8321],
    ['--health --json', 8321],
    ['--health 0', 0],
    ['--health=65535', 65_535],
  ])('takes the port of %j', (line, health) => {
    expect(parseOptions(line.split(' '))).toMatchObject({ health });
  });

  test('takes the place of the console', () => {
    const line = '--console-port 8322 --console-host 0.0.0.0 --console-origin https://team.example.com/';
    // The service and the container have --no-console; their own options turn it on.
    expect(parseOptions(['--no-console', ...line.split(' ')])).toMatchObject({
      console: true,
      consolePlace: { port: 8322, host: '0.0.0.0', origin: 'https://team.example.com' },
    });
  });

  const RHYTHM = '--interval takes a duration such as 60s, or a range such as 10s-5m';
  const ORIGIN =
    '--console-origin takes an https address without a path, such as https://changewire.example.com: browsers have no encryption for pages over http.';
  const ANSWERS: Record<string, string> = {
    '--intervall 5s': 'Unknown option --intervall. Did you mean --interval?',
    '--sweep 6h': 'Unknown option --sweep. Did you mean --sweep-interval?',
    '--frobnicate': 'Unknown option --frobnicate. Try --help.',
    '-x': 'Unknown option -x. Try --help.',
    '--interval': '--interval needs a value: --interval 60s',
    '--data=': '--data needs a value: --data .changewire',
    '--interval 60': `${RHYTHM}, found "60".`,
    '--sweep-interval 9999h':
      '--sweep-interval takes a duration such as 500ms, 60s, 5m or 6h, found "9999h".',
    '--json=yes': '--json takes no value, found "yes".',
    '--subscribe localhost:9000': '--subscribe takes an http or https URL, found "localhost:9000".',
    '--subscribe http://localhost:0': '--subscribe: port 0 is not valid.',
    '--subscribe http://me:100%@localhost': '--subscribe: write a "%" in the user name or password as %25.',
    'http://localhost:9000':
      '"http://localhost:9000" without an option. To send events there, write --subscribe before it.',
    once: '"once" is not an option. Did you mean --once?',
    '--memory --data d': '--memory and --data cannot be combined: --memory keeps nothing.',
    '--config': '--config needs a value: --config changewire.json',
    '--config c.json --overlap 5s':
      '--overlap cannot be combined with a configuration file: set it for each process in c.json.',
    '--name a':
      '--name applies to the preceding --webhook, --slack, --slack-app, --teams, --text or --email: give that first.',
    '--slack https://a.example.com --name a/b':
      '--name takes a name of 1 to 64 letters, digits, "-" and "_".',
    '--resend': '--resend needs a value: --resend planner',
    '--resend a --memory': '--memory and --resend cannot be combined: --memory keeps no dead letters.',
    '--log': '--log needs a value: --log json',
    '--log xml': '--log takes text or json, found "xml".',
    '--health 65536': '--health takes a port from 0 (any free port) to 65535, found "65536".',
    '--health x': '--health takes a port from 0 (any free port) to 65535, found "x".',
    '--console-port 65536': '--console-port takes a port from 0 (any free port) to 65535, found "65536".',
    '--console-host localhost':
      '--console-host takes an IP address of this machine, or 0.0.0.0 for all, found "localhost".',
    '--console-origin http://team.example.com': ORIGIN,
    '--console-origin https://team.example.com/console': ORIGIN,
    '--console-origin team.example.com': ORIGIN,
    '--console-port 1 --once': '--console-port and --once cannot be combined.',
    '--health --once': '--health and --once cannot be combined.',
    '--raw': '--raw needs --subscribe URL.',
  };
  test.each(Object.entries(ANSWERS))('answers %j with what to do', (line, message) => {
    expect(() => parseOptions(line.split(' '))).toThrow(new UsageError(message));
  });

  test('names a configuration file, or goes by the one that the current folder has', () => {
    expect(parseOptions([], 'changewire.json').config).toBe('changewire.json');
    expect(parseOptions(['--config', 'c.json'], 'changewire.json').config).toBe('c.json');
    expect(parseOptions([]).config).toBeUndefined();
    expect(() => parseOptions(['--interval', '5s'], 'changewire.json')).toThrow(
      '--interval cannot be combined with a configuration file: set it for each process in changewire.json',
    );
    expect(parseOptions(['--interval', '5s', '--help'], 'changewire.json').help).toBe(true);
  });

  test('is explained whole by the help', () => {
    for (const { name } of OPTIONS) expect(HELP).toContain(`--${name}`);
    for (const line of HELP.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  });
});
