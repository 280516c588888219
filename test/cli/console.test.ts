import { describe, expect, it } from 'vitest';
import type { World } from '../../cli/context/world.ts';
import { proofOf } from '../../local/operate/address.ts';
import { run, type Setting } from '../kit/cli/world.ts';

const PAGE = { url: 'http://127.0.0.1:4321', token: 't'.repeat(43) };

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
  });

  it('tells programs, too', async () => {
    const { out } = await run(['console', '--json'], { page: PAGE });
    expect(JSON.parse(out)).toEqual({ address: `${PAGE.url}/#token=${PAGE.token}` });
  });

  it('opens it with a ticket, so that no command line has the token', async () => {
    const opened: string[] = [];
    const browse: World['browse'] = async address => void opened.push(address);
    const { code } = await run(['console', '--open'], { page: PAGE, browse });
    expect([code, opened]).toEqual([
      0,
      [expect.stringMatching(/^http:\/\/127\.0\.0\.1:4321\/open\?ticket=[\w.-]+$/)],
    ]);
    expect(opened[0]).not.toContain(PAGE.token);
  });

  it.each([
    ['a store that no run has', []],
    ['a stack', ['--stack', 'changewire-eu', '--region', 'eu-central-1']],
  ])('shows the page itself for %s, until it is ended, and asks there', async (_, args) => {
    let url = '';
    const answers = { endpoints: { endpoints: [] } };
    const told = await whileShown({ answers, args }, async ({ origin, hash }) => {
      url = origin;
      const token = hash.replace('#token=', '');
      const page = await fetch(origin);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(await page.text()).toContain('<!doctype html>');
      const asked = await fetch(`${origin}/operations`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ operation: 'endpoints' }),
      });
      expect(await asked.json()).toEqual({ answer: { endpoints: [] } });
      const proof = await fetch(`${origin}/operations?challenge=${'c'.repeat(32)}`);
      expect(await proof.json()).toEqual({ proof: proofOf(token, 'c'.repeat(32)) });
    });
    expect(told).toMatchObject({ code: 0, asked: [{ operation: 'endpoints' }], places: [expect.anything()] });
    expect(told.err).toContain('Ctrl-C');
    await expect(fetch(url)).rejects.toThrow();
  });
});
