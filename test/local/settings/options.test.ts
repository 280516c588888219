import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../local/basics/usage-error.ts';
import { HELP } from '../../../local/settings/help.ts';
import { OPTIONS, parseOptions } from '../../../local/settings/options.ts';

describe('the command line', () => {
  test('has defaults for everything', () => {
    expect(parseOptions([])).toEqual({
      subscribe: [],
      raw: false,
      endpoints: [],
      config: undefined,
      interval: undefined,
      sweepInterval: undefined,
      overlap: undefined,
      data: undefined,
      memory: false,
      resend: [],
      once: false,
      json: false,
      log: 'text',
      health: undefined,
      console: true,
      help: false,
    });
  });

  test('takes every option', () => {
    const args =
      '--subscribe http://a/1 --subscribe https://b --raw --interval 500ms --sweep-interval 5m --overlap 1h --resend planner --resend crm';
    expect(
      parseOptions([
        ...args.split(' '),
        '--data',
        'd',
        '--once',
        '--json',
        '--log',
        'json',
        '--no-console',
        '-h',
      ]),
    ).toEqual({
      subscribe: ['http://a/1', 'https://b'],
      raw: true,
      endpoints: [],
      config: undefined,
      interval: { fastest: 500, slowest: 500 },
      sweepInterval: 300_000,
      overlap: 3_600_000,
      data: 'd',
      memory: false,
      resend: ['planner', 'crm'],
      once: true,
      json: true,
      log: 'json',
      health: undefined,
      console: false,
      help: true,
    });
  });

  test.each([
    ['60s', { fastest: 60_000, slowest: 60_000 }],
    ['10s-5m', { fastest: 10_000, slowest: 300_000 }],
    ['10s-10s', { fastest: 10_000, slowest: 10_000 }],
  ])('takes an interval of %s', (text, interval) => {
    expect(parseOptions(['--interval', text])).toMatchObject({ interval });
  });

  test.each([
    ['--health', 8321],
    ['--health --json', 8321],
    ['--health 0', 0],
    ['--health=65535', 65_535],
  ])('takes the port of %j', (line, health) => {
    expect(parseOptions(line.split(' '))).toMatchObject({ health });
  });

  test.each([
    ['--intervall 5s', 'There is no option --intervall. Did you mean --interval?'],
    ['--subscrib http://a', 'There is no option --subscrib. Did you mean --subscribe?'],
    ['--sweep 6h', 'There is no option --sweep. Did you mean --sweep-interval?'],
    ['--frobnicate', 'There is no option --frobnicate. Try --help.'],
    ['-x', 'There is no option -x. Try --help.'],
    ['--interval', '--interval needs a value: --interval 60s'],
    ['--interval --json', '--interval needs a value: --interval 60s'],
    ['--data=', '--data needs a value: --data .changewire'],
    ...['60', '0s', '5m-10s', '10s-1m-5m'].map(interval => [
      `--interval ${interval}`,
      `--interval takes a duration such as 60s, or the shortest and the longest, such as 10s-5m, found "${interval}".`,
    ]),
    [
      '--sweep-interval 9999h',
      '--sweep-interval takes a duration such as 500ms, 60s, 5m or 6h, found "9999h".',
    ],
    ['--json=yes', '--json takes no value, found "yes".'],
    ['--subscribe localhost:9000', '--subscribe takes an http or https URL, found "localhost:9000".'],
    ['--subscribe http://localhost:0', '--subscribe names port 0, where nobody can listen.'],
    [
      '--subscribe http://me:100%@localhost',
      '--subscribe has a user name or password with a "%" that begins no %XX: write %25.',
    ],
    [
      'http://localhost:9000',
      '"http://localhost:9000" stands alone. To send events there, write --subscribe in front of it.',
    ],
    ['once', '"once" is no option. Did you mean --once?'],
    ['--memory --data d', '--memory keeps nothing and --data keeps all: give one of them.'],
    ['--config', '--config needs a value: --config changewire.json'],
    [
      '--config c.json --overlap 5s',
      '--overlap goes without a configuration file only: c.json says it, for each process.',
    ],
    ['--name a', '--name belongs to the --webhook, --slack, --teams or --text before it: give that first.'],
    [
      '--slack https://a.example.com --name a/b',
      '--name takes a name of 1 to 64 letters, digits, "-" and "_".',
    ],
    ['--resend', '--resend needs a value: --resend planner'],
    ['--resend=', '--resend needs a value: --resend planner'],
    ['--resend a --memory', '--memory keeps nothing, so there is nothing for --resend to send again.'],
    ['--log', '--log needs a value: --log json'],
    ['--log xml', '--log takes text or json, found "xml".'],
    ['--health 65536', '--health takes a port from 0 (any that is free) to 65535, found "65536".'],
    ['--health x', '--health takes a port from 0 (any that is free) to 65535, found "x".'],
    ['--health --once', '--health is for a run that goes on: give it without --once.'],
    ['--raw', '--raw is about the endpoints of --subscribe URL: give one.'],
  ])('answers %j with what to do', (line, message) => {
    expect(() => parseOptions(line.split(' '))).toThrow(new UsageError(message));
  });

  test('names a configuration file, or goes by the one that the current folder has', () => {
    expect(parseOptions([], 'changewire.json').config).toBe('changewire.json');
    expect(parseOptions(['--config', 'c.json'], 'changewire.json').config).toBe('c.json');
    expect(parseOptions([]).config).toBeUndefined();
    expect(() => parseOptions(['--interval', '5s'], 'changewire.json')).toThrow(
      '--interval goes without a configuration file only: changewire.json says it',
    );
    expect(parseOptions(['--interval', '5s', '--help'], 'changewire.json').help).toBe(true);
  });

  test('is explained whole by the help', () => {
    for (const { name } of OPTIONS) expect(HELP).toContain(`--${name}`);
    for (const line of HELP.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  });
});
