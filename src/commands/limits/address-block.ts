// The counted form of an address: one IPv4 address, or the /64 that an IPv6 customer usually has whole.
import { isIPv6 } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS = 8;

/** An IPv4 address as it is, also when a socket of both kinds shows it as IPv6; of an IPv6 address its first 64 bits; else the text. */
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

/** An IPv4 address at the end takes the place of two groups; it never reaches into the first four. */
const groupsOf = (part: string): readonly number[] =>
  part === '' ? [] : part.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]));
