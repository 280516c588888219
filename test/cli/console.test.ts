import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { World } from '../../cli/context/world.ts';
import { newReadOnlyToken } from '../../local/operate/address.ts';
import { run, type Setting } from '../kit/cli/world.ts';
import { ask } from '../kit/local/served.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const PAGE = { url: 'http://127.0.0.1:4321', token: 't'.repeat(43), readOnlyToken: newReadOnlyToken() };

/** Runs `console`, does something once it has said where it is, and ends it then. */
async function whileShown(
  { args, ...setting }: Setting & { args: readonly string[] },
  then: (address: URL) => Promise<void>,
) {
  const ending = new AbortController();
  const seen: unknown[] = [];
  const interrupted = ending.signal;
  const said = (text: string) => {
    const [address] = /http:\S+/.exec(text) ?? [];
    if (address === undefined) return;
    then(new URL(address))
      .catch(error => seen.push(error))
      .finally(() => ending.abort());
  };
  const told = await run(['console', ...args], { ...setting, interrupted, said });
  expect(seen).toEqual([]);
  return told;
}

describe('changewire console', () => {
  it('tells where the console of a run is', async () => {
    const { code, out, err } = await run(['console'], { page: PAGE });
    expect({ code, out, err }).toEqual({ code: 0, out: `${PAGE.url}/#token=${PAGE.token}\n`, err: '' });
    const json = await run(['console', '--json'], { page: PAGE });
    expect(JSON.parse(json.out)).toEqual({ address: `${PAGE.url}/#token=${PAGE.token}` });
  });

  it('has a link that can change nothing, behind the reverse proxy of the run', async () => {
    const page = { ...PAGE, origin: 'https://team.example.com' };
    const { out } = await run(['console', '--read-only'], { page });
    expect(out).toBe(`https://team.example.com/#token=${PAGE.readOnlyToken}\n`);
    const { readOnlyToken: _, ...earlier } = PAGE;
    const { err } = await run(['console', '--read-only'], { page: earlier });
    expect(err).toMatch(/earlier version.*Restart/);
  });

  it('of a run is not served elsewhere by the command', async () => {
    const { code, err } = await run(['console', '--console-port', '8322'], { page: PAGE });
    expect([code, err]).toEqual([2, expect.stringContaining('give these options to "npx changewire start"')]);
  });

  it('opens it by a file, so that no command line has the token', async () => {
    const [opened, directory]: [string[], string] = [[], temporaryDirectory()];
    const browse: World['browse'] = async address => void opened.push(address);
    const { code } = await run(['console', '--open'], { page: PAGE, runIn: directory, browse });
    expect([code, opened]).toEqual([0, [pathToFileURL(join(directory, 'console.html')).href]]);
    expect(readFileSync(new URL(opened[0] ?? ''), 'utf8')).toContain(`url=${PAGE.url}/#token=${PAGE.token}"`);
  });

  it('opens that of a stack by a file, too, which goes with it', async () => {
    let file = new URL('file:///');
    const browse: World['browse'] = async address => {
      file = new URL(address);
      expect(statSync(dirname(fileURLToPath(file))).mode & 0o777).toBe(0o700);
      expect(readFileSync(file, 'utf8')).toMatch(/#token=/);
    };
    await whileShown({ args: ['--open', '--stack', 'S'], browse }, async () => undefined);
    expect(existsSync(fileURLToPath(file))).toBe(false);
  });

  it.each([
    ['a store that no run has', []],
    ['a stack', ['--stack', 'changewire-eu', '--region', 'eu-central-1']],
    ['a port that is given', ['--console-port', '0', '--console-host', '0.0.0.0']],
  ])('shows the page itself for %s, until it is ended, and asks there', async (_, args) => {
    let url = '';
    const answers = { endpoints: { endpoints: [] } };
    const told = await whileShown({ answers, args }, async ({ origin, hash }) => {
      url = origin;
      const token = hash.replace('#token=', '');
      const page = await fetch(origin);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(await page.text()).toContain('<!doctype html>');
      const { reply } = await ask(Number(new URL(origin).port), token, '{"operation":"endpoints"}');
      expect(reply).toEqual({ answer: { endpoints: [] } });
    });
    expect(told).toMatchObject({ code: 0, asked: [{ operation: 'endpoints' }], places: [expect.anything()] });
    expect(told.err).toContain('Ctrl-C');
    await expect(fetch(url)).rejects.toThrow();
  });
});
