import { expect, test } from 'vitest';
import { consoleOf, reportConsole } from '../../../local/cli/banner.ts';
import { openScratchDirectory } from '../../../local/data/data-directory.ts';
import { parseOptions } from '../../../local/settings/options.ts';

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

test('what is no terminal gets no token, because it may be kept: it names the command that tells the address', () => {
  const [line, ...more] = told([], true, undefined, false);
  expect([line, more]).toEqual([
    expect.stringMatching(/^For the console's address, run "npx changewire console --data .+"\.$/),
    [],
  ]);
  expect(line).not.toContain(TOKEN);
});

test('where the page can not be built, a run says why in one line, and goes on without', () => {
  expect(consoleOf(parseOptions([]), 'there is none here')).toBe(undefined);
  expect(told([], false, 'there is none here')).toEqual([
    'The console is not available: there is none here.',
  ]);
});

test('with --no-console there is none, and no word of it', () => {
  const options = parseOptions(['--no-console']);
  expect(consoleOf(options, undefined)).toBe(undefined);
  expect(consoleOf(parseOptions([]), undefined)).toBeDefined();
  expect(told(['--no-console'], false)).toEqual([]);
});
