// Addresses that a receiver may have outside test mode, and those that lead into our own network.
import { expect } from 'chai';
import { isPublic } from '../../src/receivers/receivers.ts';

const OWN = {
  'this machine': ['127.0.0.1', '127.8.8.8', '::1', '0.0.0.0', '::'],
  'private networks': ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fd00::1', 'fc00::1'],
  'the link, and the metadata of clouds': ['169.254.169.254', 'fe80::1', '100.64.0.1', '100.100.100.200'],
  'IPv4 inside IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '2001::7f00:1',
    '::127.0.0.1',
    '::7f00:1',
    '::ffff:0:7f00:1',
    '0:0:0:0:0:ffff:7f00:1',
  ],
  'the link, by a zone': ['fe80::1%eth0', 'fe80::1%1'],
  'many at once, and nobody': [
    '224.0.0.1',
    'ff02::1',
    '255.255.255.255',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '2001:db8::1',
    '240.0.0.1',
    '198.18.0.1',
    '192.0.0.8',
    '100::1',
    '3fff::1',
    '5f00::1',
    'fec0::1',
    '4000::1',
  ],
  'no address': ['', 'localhost', '1', 'example.com'],
};

describe('an address that is not public', () => {
  for (const [kind, addresses] of Object.entries(OWN))
    for (const address of addresses)
      it(`is one of ${kind}: ${address}`, () => expect(isPublic(address)).to.equal(false));
});

describe('a public address', () => {
  for (const address of [
    '8.8.8.8',
    '93.184.216.34',
    '2606:2800:220:1:248:1893:25c8:1946',
    '[2a00:1450:4001:81b::200e]',
    '::ffff:8.8.8.8',
  ])
    it(`is ${address}`, () => expect(isPublic(address)).to.equal(true));
});
