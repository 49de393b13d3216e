// Whom the limit on addresses counts.
import { expect } from 'chai';
import { addressBlock, addressNetwork, isIPv6Network } from '../../../src/commands/limits/address-block.ts';
import { FAILURES, SignInLimits } from '../../../src/commands/users/sign-in-limits.ts';

describe('an address counts', () => {
  it('alone if it is IPv4, however a socket shows it', () => {
    expect(addressBlock('192.0.2.7')).to.equal('192.0.2.7');
    expect(addressBlock('::ffff:192.0.2.7')).to.equal('192.0.2.7');
    expect(addressBlock('192.0.2.8')).not.to.equal(addressBlock('192.0.2.7'));
  });

  it('with its whole /64 when it is IPv6, however it is written', () => {
    const block = addressBlock('2001:db8:1:2:3:4:5:6');
    expect(block).to.equal('2001:db8:1:2::/64');
    for (const same of [
      '2001:0DB8:0001:0002::1',
      '2001:db8:1:2::',
      '2001:db8:1:2:ffff:ffff:ffff:ffff',
      '2001:db8:1:2::192.0.2.7',
    ])
      expect(addressBlock(same), same).to.equal(block);
    expect(addressBlock('2001:db8:1:3::1')).not.to.equal(block);
    expect(addressBlock('::1')).to.equal('0:0:0:0::/64');
    expect(addressBlock('1::4:5:6:7:8')).to.equal('1:0:0:4::/64');
    expect(addressBlock('fe80::1%eth0')).to.equal('fe80:0:0:0::/64');
  });

  it('as the text that it is when it is none', () => {
    expect(addressBlock('')).to.equal('');
  });
});

describe('the network of an address', () => {
  it('is the /24 of an IPv4 address and the /56 of an IPv6 address', () => {
    expect(addressNetwork('192.0.2.7')).to.equal('192.0.2.0/24');
    expect(addressNetwork('::ffff:192.0.2.7')).to.equal('192.0.2.0/24');
    expect(addressNetwork('2001:db8:1:1ff::1')).to.equal('2001:db8:1:100::/56');
    expect(addressNetwork('2001:db8:1:1ff::1')).to.equal(addressNetwork('2001:db8:1:100::2'));
    expect(addressNetwork('2001:db8:1:200::1')).not.to.equal(addressNetwork('2001:db8:1:1ff::1'));
    expect(addressNetwork('')).to.equal('');
  });

  it('counts beside the address where that is IPv6', async () => {
    expect([isIPv6Network('192.0.2.7'), isIPv6Network('::ffff:192.0.2.7'), isIPv6Network('2001:db8::1')]).to.deep.equal(
      [false, false, true],
    );
    const limits = new SignInLimits(true);
    const kinds: string[] = [];
    for (let at = 0; at < FAILURES.network + 10; at += 1)
      kinds.push(
        (await limits.begin({ email: `${at}@example.org`, address: `2001:db8:0:${(at % 38).toString(16)}::1` })).kind,
      );
    expect(kinds.filter((kind) => kind === 'admitted')).to.have.length(FAILURES.network);
  });
});
