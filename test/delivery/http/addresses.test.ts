import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isNetwork } from '../../../functions/basics/networks.ts';
import type { Resolve } from '../../../functions/basics/proxy.ts';
import { addressProblem, addressRefusal } from '../../../functions/delivery/http/addresses.ts';

const https = { protocol: 'https:', hostname: 'a.example', allowLoopback: false };

/** All kinds of addresses that are not public. */
const REFUSED: [string, ...string[]][] = [
  ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ['linkLocal', '169.254.169.254', '169.254.170.2', 'fe80::1', 'fe80::1%eth0'],
  ['carrierGradeNat', '100.64.0.1', '100.100.100.200', '100.127.255.255'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
  ['unspecified', '0.0.0.0', '0.1.2.3', '::'],
  ['broadcast', '255.255.255.255'],
  ['reserved', '240.0.0.1', '192.0.0.192', '198.18.0.1', '203.0.113.1', '2001:db8::1', '::7f00:1', '4000::1'],
  ['uniqueLocal', 'fd00:ec2::254', 'fc00::1'],
  ['ipv4Mapped', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:a9fe:a9fe'],
  ['rfc6052', '64:ff9b::7f00:1', '64:ff9b:1::1'],
  ['rfc6145', '::ffff:0:7f00:1'],
  ['6to4', '2002:7f00:1::'],
  ['teredo', '2001::1'],
  ['deprecatedSiteLocal', 'fec0::1'],
  ['metadata', '168.63.129.16'],
  ['not an IP address', '', ...'localhost 1.2.3 127.1.2.3.4 0x7f.1 010.0.0.1 2130706433 [::1]'.split(' ')],
];

describe('invariant 10: addresses that nothing is sent to', () => {
  it.each(REFUSED)('are refused as %s', (kind, ...addresses) => {
    for (const address of addresses) {
      const refusal = addressRefusal(address, https);
      expect(refusal).toContain(`(${kind})`);
      expect(refusal).toMatch(/correct the url in its secret/);
    }
  });

  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
    'do not include the public address %s, by https',
    address => {
      expect(addressRefusal(address, https)).toBeUndefined();
      for (const allowLoopback of [false, true])
        expect(addressRefusal(address, { ...https, protocol: 'http:', allowLoopback })).toMatch(/not https/);
    },
  );

  it('do not include loopback on one machine, by http as well, and nothing else private then', () => {
    for (const protocol of ['http:', 'https:']) {
      const policy = { protocol, hostname: 'localhost', allowLoopback: true };
      for (const address of ['127.0.0.1', '127.8.8.8', '::1'])
        expect(addressRefusal(address, policy)).toBeUndefined();
      for (const address of ['10.0.0.1', '169.254.169.254', '0.0.0.0', '::', '::ffff:127.0.0.1'])
        expect(addressRefusal(address, policy)).toBeDefined();
    }
  });

  it('include loopback on one machine where any other name than localhost leads there', () => {
    const refusal = (hostname: string) =>
      addressRefusal('127.0.0.1', { protocol: 'https:', hostname, allowLoopback: true });
    for (const hostname of 'localhost LOCALHOST localhost. crm.localhost 127.0.0.1 [::1] ::1'.split(' '))
      expect([hostname, refusal(hostname)]).toEqual([hostname, undefined]);
    for (const hostname of ['crm.example', 'notlocalhost', 'localhost.example', '127.0.0.1.example', ''])
      expect([hostname, refusal(hostname)]).toEqual([hostname, expect.stringContaining('(loopback)')]);
  });

  it('include every way to write a private IPv4 address as IPv6', () => {
    const prefixes = ['::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::', '2002:'];
    const octet = fc.integer({ min: 0, max: 255 });
    const inside = fc.oneof(
      fc.tuple(fc.constant(10), octet, octet, octet),
      fc.tuple(fc.constant(127), octet, octet, octet),
      fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
      fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    );
    fc.assert(
      fc.property(inside, fc.constantFrom(...prefixes), ([a, b, c, d], prefix) => {
        const groups = [a * 256 + b, c * 256 + d].map(group => group.toString(16)).join(':');
        const address = prefix === '2002:' ? `2002:${groups}::1` : prefix + groups;
        expect(addressRefusal(address, https)).toBeDefined();
        expect(addressRefusal(`${a}.${b}.${c}.${d}`, https)).toBeDefined();
      }),
    );
  });
});

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
const onAws = (url: string) => addressProblem(url, { kind: 'webhook', allowLoopback: false, resolve });
const onOneMachine = (url: string) => addressProblem(url, { kind: 'webhook', allowLoopback: true, resolve });

afterEach(() => void vi.useRealTimers());

describe('the address of an endpoint', () => {
  it.each([
    ['no address', 'its URL must be https, without user name or password'],
    ['ftp://public.example/', 'its URL must be https, without user name or password'],
    ['https://me:hush@public.example/', 'its URL must be https, without user name or password'],
    ['https://public.example:0/', 'its URL has port 0, which is not a valid port'],
    ['https://10.0.0.1/hush', 'its address is not public (private)'],
    ['https://[fe80::1]/hush', 'its address is not public (linkLocal)'],
    ['https://both.example/hush', 'its address is not public (private)'],
  ])('that can not be used is told, wherever Changewire runs, and not shown: %s', async (url, problem) => {
    expect([await onAws(url), await onOneMachine(url)]).toEqual([problem, problem]);
  });

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

  it.each(['127.0.0.1', '[::1]', 'localhost'])('of the same machine has no problem there: %s', async host => {
    expect(await onOneMachine(`http://${host}:8080/`)).toBeUndefined();
    expect(await onOneMachine(`https://${host}/`)).toBeUndefined();
    expect(await onAws(`http://${host}:8080/`)).toBe('its URL is not https');
    expect(await onAws(`https://${host}/`)).toBe('its address is not public (loopback)');
  });

  it('by http must lead to the same machine, so that its name must be known', async () => {
    expect(await onOneMachine('http://public.example/')).toBe('its URL is not https');
    const problem = 'its URL is not https, and its name cannot be resolved';
    expect(await onOneMachine('http://unknown.example/')).toBe(problem);
    expect(await onAws('http://unknown.example/')).toBe('its URL is not https');
  });

  it('has no problem when its name is looked up for longer than 5 s', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const never = () => new Promise<never>(() => {});
    const said: unknown[] = [];
    const url = 'https://slow.example/';
    const checked = addressProblem(url, { kind: 'webhook', allowLoopback: false, resolve: never }).then(
      problem => said.push(problem),
    );
    await vi.advanceTimersByTimeAsync(4_999);
    expect(said).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await checked;
    expect(said).toEqual([undefined]);
  });
});

describe('networks of the configuration', () => {
  const refusal = (networks: string[], address: string, more: object = {}) =>
    addressRefusal(address, { ...https, protocol: 'http:', networks, ...more });
  const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'];

  it('open their addresses and hosts, over http too, and no others', () => {
    expect(refusal(['10.0.0.0/8'], '10.1.2.3')).toBeUndefined();
    expect(refusal(['10.0.0.0/8'], '10.1.2.3', { protocol: 'https:' })).toBeUndefined();
    expect(refusal(['fd12::/16'], 'fd12::1')).toBeUndefined();
    expect(refusal(['100.64.0.0/10'], '100.64.0.1')).toBeUndefined();
    expect(refusal(['203.0.114.0/24'], '203.0.114.9')).toBeUndefined();
    expect(refusal(['n8n'], '172.18.0.3', { hostname: 'N8N.' })).toBeUndefined();
    expect(refusal(['10.0.0.0/16'], '10.1.2.3')).toMatch(/not https/);
    expect(refusal(['10.0.0.0/16'], '10.1.2.3', { protocol: 'https:' })).toMatch(/not public/);
    expect(refusal(['n8n'], '172.18.0.3', { hostname: 'n8n.example' })).toMatch(/not https/);
    // A name that leads to a public address still needs https.
    expect(refusal(['n8n'], '8.8.8.8', { hostname: 'n8n' })).toMatch(/not https/);
  });

  it('open loopback on one machine only', () => {
    for (const networks of [['127.0.0.0/8'], ['n8n']]) {
      const here = { hostname: 'n8n', allowLoopback: true };
      expect(refusal(networks, '127.0.0.5', here)).toBeUndefined();
      expect(refusal(networks, '127.0.0.5', { ...here, allowLoopback: false })).toBeDefined();
    }
  });

  it.each(REFUSED)('other than private stay refused as %s, whatever the networks', (kind, ...addresses) => {
    const all = [...PRIVATE, '127.0.0.0/8', 'a.example', 'n8n'];
    const isOpened = ['private', 'carrierGradeNat', 'uniqueLocal'].includes(kind);
    const METADATA = ['fd00:ec2::254', '100.100.100.200'];
    for (const address of addresses) {
      expect([address, refusal(['n8n'], address)]).toEqual([address, expect.any(String)]);
      const opened = isOpened && !METADATA.includes(address);
      expect([address, refusal(all, address) === undefined]).toEqual([address, opened]);
    }
  });

  it('never open a metadata service or a link-local address, however it is written', () => {
    const wide = [
      ...PRIVATE,
      ...'169.254.0.0/16 168.0.0.0/8 192.0.0.0/8 fe80::/10 100.0.0.0/8 metadata'.split(' '),
    ];
    for (const address of [
      ...['169.254.169.254', '169.254.170.2', 'fe80::1', 'fd00:ec2::254', '168.63.129.16', '100.100.100.200'],
      ...'192.0.0.192 ::ffff:169.254.169.254 ::ffff:a9fe:a9fe'.split(' '),
      ...['64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1'],
    ])
      for (const protocol of ['http:', 'https:'])
        expect(refusal(wide, address, { protocol, hostname: 'metadata' }), address).toBeTypeOf('string');
  });

  it('are ranges of at most /8, and names of hosts', () => {
    const good = ['10.0.0.0/8', '192.168.1.7/32', 'fd00::/8', 'n8n', 'my_host', 'crm.internal', 'localhost'];
    expect(good.filter(isNetwork)).toEqual(good);
    for (const wrong of [
      ...'0.0.0.0/0 10.0.0.0/7 ::/0 10.0.0.1 10.0.0.0/33 10/8 010.0.0.0/8'.split(' '),
      ...['', 'a b', 'http://n8n', 'n8n:5678', '.n8n', '-n8n'],
    ])
      expect([wrong, isNetwork(wrong)]).toEqual([wrong, false]);
  });
});
