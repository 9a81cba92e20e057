import { expect, it } from 'vitest';
import { addressBits, networkMatcher } from './network-matcher.ts';

it.each<[string[], string, boolean]>([
  [['10.0.0.0/8'], '10.255.0.1', true],
  [['10.0.0.0/8'], '11.0.0.1', false],
  [['192.0.2.7'], '192.0.2.7', true],
  [['192.0.2.7'], '192.0.2.8', false],
  [['0.0.0.0/0'], '203.0.113.7', true],
  [['0.0.0.0/0'], '2001:db8::1', false],
  [['::/0'], '2001:db8::1', true],
  [['::/0'], '203.0.113.7', false],
  [['2001:db8::/32'], '2001:db8:1::2', true],
  [['2001:db8::/32'], '2001:db9::2', false],
  [['2001:db8::1'], '2001:0DB8:0:0::1', true],
  [['fe80::/10'], 'fe80::1%eth0', true],
  // IPv4 addresses that are mapped into IPv6, on either side.
  [['10.0.0.0/8'], '::ffff:10.1.2.3', true],
  [['10.0.0.0/8'], '::FFFF:11.1.2.3', false],
  [['::ffff:10.0.0.0/104'], '10.1.2.3', true],
  [['::ffff:10.0.0.0/104'], '11.1.2.3', false],
  [['::ffff:10.1.2.3'], '10.1.2.3', true],
  [['::ffff:10.1.2.3'], '10.1.2.4', false],
  [['10.0.0.0/8'], '::ffff:a01:203', true],
  [['::/96'], '10.1.2.3', false],
  [['::ffff:0:0/90'], '10.1.2.3', true],
  [['::'], '::0', true],
  [['1:2:3:4:5:6:7:8/127'], '1:2:3:4:5:6:7:9', true],
  [['1:2:3:4:5:6:7:8/127'], '1:2:3:4:5:6:7:a', false],
  [['10.0.0.0/8', '2001:db8::/32'], '2001:db8::1', true],
  [[], '127.0.0.1', false],
  // A forwarded address can be any text.
  [['0.0.0.0/0', '::/0'], 'unknown', false],
  [['0.0.0.0/0', '::/0'], '', false],
])('%j contains %s: %s', (networks, address, expected) =>
  expect(networkMatcher(networks)(addressBits(address))).toBe(expected),
);
