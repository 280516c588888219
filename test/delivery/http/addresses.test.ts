import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressRefusal } from '../../../functions/delivery/http/addresses.ts';

const https = { protocol: 'https:', hostname: 'a.example', allowLoopback: false };

describe('invariant 10: addresses that nothing is sent to', () => {
  it.each([
    ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ['linkLocal', '169.254.169.254', '169.254.170.2', 'fe80::1', 'fe80::1%eth0'],
    ['carrierGradeNat', '100.64.0.1', '100.100.100.200', '100.127.255.255'],
    ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
    ['unspecified', '0.0.0.0', '0.1.2.3', '::'],
    ['broadcast', '255.255.255.255'],
    [
      'reserved',
      '240.0.0.1',
      '192.0.0.192',
      '198.18.0.1',
      '203.0.113.1',
      '2001:db8::1',
      '::7f00:1',
      '4000::1',
    ],
    ['uniqueLocal', 'fd00:ec2::254', 'fc00::1'],
    ['ipv4Mapped', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:a9fe:a9fe'],
    ['rfc6052', '64:ff9b::7f00:1', '64:ff9b:1::1'],
    ['rfc6145', '::ffff:0:7f00:1'],
    ['6to4', '2002:7f00:1::'],
    ['teredo', '2001::1'],
    ['deprecatedSiteLocal', 'fec0::1'],
    ['metadata', '168.63.129.16'],
    ['no IP address', '', 'localhost', '1.2.3', '127.1.2.3.4', '0x7f.1', '010.0.0.1', '2130706433', '[::1]'],
  ])('are refused as %s', (kind, ...addresses) => {
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
      expect(addressRefusal(address, { ...https, protocol: 'http:' })).toMatch(/not https/);
      expect(addressRefusal(address, { ...https, protocol: 'http:', allowLoopback: true })).toMatch(
        /not https/,
      );
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
    for (const hostname of [
      'localhost',
      'LOCALHOST',
      'localhost.',
      'crm.localhost',
      '127.0.0.1',
      '[::1]',
      '::1',
    ])
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
