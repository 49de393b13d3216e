// Networks as operators write them, compared by their addresses: whether one holds another, and how many addresses it
// has.
import { isIP } from 'node:net';
import { among } from '../../http/checks/ip-network.ts';

interface Network {
  readonly address: string;
  readonly bits: number;
  readonly isIpv6: boolean;
}

function parsed(network: string): Network {
  const [address = '', bits] = network.split('/');
  const isIpv6 = isIP(address) === 6;
  return { address, isIpv6, bits: bits === undefined ? mostBits(isIpv6) : Number(bits) };
}

const mostBits = (isIpv6: boolean): number => (isIpv6 ? 128 : 32);

/** The bits that are free in it: 0 for a single address. */
export function widthOf(network: string): number {
  const { bits, isIpv6 } = parsed(network);
  return mostBits(isIpv6) - bits;
}

/** True if all addresses of `inner` are in `outer`. */
export function isWithin(inner: string, outer: string): boolean {
  const [one, other] = [parsed(inner), parsed(outer)];
  return one.isIpv6 === other.isIpv6 && other.bits <= one.bits && among([outer])(one.address);
}

/** In words. */
export function addressesIn(network: string): string {
  const width = widthOf(network);
  return width < 53 ? (2 ** width).toLocaleString('en') : `2^${width}`;
}
