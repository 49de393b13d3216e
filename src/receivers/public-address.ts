// Which addresses are the public's: a receiver's name must not lead into our own network.
import ipaddr from 'ipaddr.js';

/** Whether an address, in any notation, is one that anybody on the internet may have; a text that is no address is none. */
export function isPublic(text: string): boolean {
  const address = text.replace(/^\[(.*)\]$/, '$1');
  if (!ipaddr.isValid(address)) return false;
  // `process` makes an IPv4 address of one that is mapped into IPv6.
  const plain = ipaddr.process(address);
  // NAT64, 6to4 and Teredo carry one inside, too; their ranges have names of their own, and are not `unicast`. What has no name and lies
  // outside 2000::/3 is nobody's, as `::7f00:1`, an old form of 127.0.0.1.
  return plain.range() === 'unicast' && (plain.kind() === 'ipv4' || plain.match(GLOBAL));
}

/** The addresses that are given out (IANA). */
const GLOBAL = ipaddr.parseCIDR('2000::/3');
