// Which addresses are the public's: a receiver's name must not lead into our own network.
import ipaddr from 'ipaddr.js';

/** Whether an address, in any notation, is one that anybody on the internet may have; a text that is no address is none. */
export function isPublic(text: string): boolean {
  const address = text.replace(/^\[(.*)\]$/, '$1');
  if (!ipaddr.isValid(address)) return false;
  // `process` makes an IPv4 address of one that is mapped into IPv6.
  // NAT64, 6to4 and Teredo carry one inside, too; their ranges have names of their own, and are not `unicast`.
  return ipaddr.process(address).range() === 'unicast';
}
