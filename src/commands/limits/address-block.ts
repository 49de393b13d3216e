// The counted form of an address: one IPv4 address, or the /64 that an IPv6 customer usually has whole.
import { isIPv6 } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS = 8;

/**
 * The block of an address: an IPv4 address itself, even if a dual-stack socket shows it as IPv6; the first 64 bits of
 * an IPv6 address; otherwise the text.
 */
export function addressBlock(address: string): string {
  const [bare = ''] = address.split('%'); // without a link-local address's zone
  const mapped = MAPPED_IPV4.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(bare)) return address;
  const [head = [], tail = []] = bare.split('::').map(groupsOf);
  const zeros = Array.from({ length: Math.max(0, GROUPS - head.length - tail.length) }, () => 0);
  const block = [...head, ...zeros, ...tail].slice(0, GROUPS / 2);
  return `${block.map((group) => group.toString(16)).join(':')}::/64`;
}

/**
 * The network of an address, which one customer of a provider may have whole: the /24 of an IPv4 address, the /56 of an
 * IPv6 one; else the text. Turns go by it, and of IPv6 limits count by it, too.
 */
export function addressNetwork(address: string): string {
  const block = addressBlock(address);
  const [first, second, third, last] = block.split('.');
  if (last !== undefined) return `${first}.${second}.${third}.0/24`;
  if (!block.endsWith('::/64')) return block;
  const groups = block.slice(0, -'::/64'.length).split(':');
  const fourth = Number.parseInt(groups[3] ?? '0', 16) & 0xff00;
  return `${[...groups.slice(0, 3), fourth.toString(16)].join(':')}::/56`;
}

/** True if the address has a network besides its block that limits count by. */
export const isIPv6Network = (address: string): boolean => addressBlock(address).endsWith('::/64');

/** An IPv4 address at the end takes the place of two groups; it never reaches into the first four. */
const groupsOf = (part: string): readonly number[] =>
  part === '' ? [] : part.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]));
