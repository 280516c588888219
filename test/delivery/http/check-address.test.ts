import { afterEach, describe, expect, it, vi } from 'vitest';
import { addressProblem, type Resolve } from '../../../functions/delivery/http/addresses.ts';

const PUBLIC = '93.184.216.34';
const NAMES: Record<string, string[]> = {
  'public.example': [PUBLIC],
  localhost: ['127.0.0.1'],
  'local.example': ['127.0.0.1'],
  'both.example': [PUBLIC, '10.0.0.1'],
};
/** Knows these names alone, and no address. */
const resolve: Resolve = async name => {
  if (!NAMES[name]) throw new Error('ENOTFOUND');
  return NAMES[name].map(address => ({ address, family: 4 }));
};
const onAws = (url: string) => addressProblem(url, { allowLoopback: false, resolve });
const onOneMachine = (url: string) => addressProblem(url, { allowLoopback: true, resolve });

afterEach(() => void vi.useRealTimers());

describe('the address of an endpoint', () => {
  it.each([
    ['no address', 'its URL is no https address without user name and password'],
    ['ftp://public.example/', 'its URL is no https address without user name and password'],
    ['https://me:hush@public.example/', 'its URL is no https address without user name and password'],
    ['https://public.example:0/', 'its URL names port 0, where nobody can listen'],
    ['https://10.0.0.1/hush', 'its address is not public (private)'],
    ['https://[fe80::1]/hush', 'its address is not public (linkLocal)'],
    ['https://both.example/hush', 'its address is not public (private)'],
  ])(
    'that nothing can be delivered to is told, wherever Changewire runs, without the address: %s',
    async (url, problem) => {
      expect([await onAws(url), await onOneMachine(url)]).toEqual([problem, problem]);
    },
  );

  it.each([
    `https://${PUBLIC}/`,
    'https://[2606:2800:220:1::1]/',
    'https://public.example/',
    'https://public.example:8443/hook?sig=1',
    // A name that is not known yet may be known tomorrow.
    'https://unknown.example/',
  ])('that is public, or may become it, has no problem: %s', async url => {
    expect([await onAws(url), await onOneMachine(url)]).toEqual([undefined, undefined]);
  });

  it.each(['127.0.0.1', '[::1]', 'localhost'])(
    'that is on the same machine has none there, by http or https: %s',
    async host => {
      expect(await onOneMachine(`http://${host}:8080/`)).toBeUndefined();
      expect(await onOneMachine(`https://${host}/`)).toBeUndefined();
      expect(await onAws(`http://${host}:8080/`)).toBe('its URL is not https');
      expect(await onAws(`https://${host}/`)).toBe('its address is not public (loopback)');
    },
  );

  it('that a public name hides is told on one machine, too', async () => {
    expect(await onOneMachine('https://local.example/')).toBe('its address is not public (loopback)');
    expect(await onOneMachine('http://local.example/')).toBe('its URL is not https');
  });

  it('by http must lead to the same machine, so that its name must be known', async () => {
    expect(await onOneMachine('http://public.example/')).toBe('its URL is not https');
    const problem = 'its URL is not https, and its name can not be looked up';
    expect(await onOneMachine('http://unknown.example/')).toBe(problem);
    expect(await onAws('http://unknown.example/')).toBe('its URL is not https');
  });

  it('has no problem when its name is looked up for longer than 5 s', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const never = () => new Promise<never>(() => {});
    const said: unknown[] = [];
    const url = 'https://slow.example/';
    const checked = addressProblem(url, { allowLoopback: false, resolve: never }).then(problem =>
      said.push(problem),
    );
    await vi.advanceTimersByTimeAsync(4_999);
    expect(said).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await checked;
    expect(said).toEqual([undefined]);
  });
});
