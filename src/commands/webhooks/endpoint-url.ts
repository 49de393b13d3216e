// Which URLs may be an endpoint's. Where its name leads is looked at when it is called, not here: names change their addresses.
import { isIP } from 'node:net';

/** Names that lead to the own machine or network, wherever they are resolved. */
const OWN_NAMES = /(^|\.)(localhost|local|internal|lan|home\.arpa)\.?$/i;

/** The URL as it is called, or why it is none. In live mode it is https. `isAllowed`: whether an address may be called. */
export function endpointUrl(
  text: string,
  mode: 'test' | 'live',
  isAllowed: (address: string) => boolean,
): { readonly url: string } | { readonly refused: string } {
  if (text.length > MOST) return { refused: `The URL has at most ${MOST} characters.` };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return { refused: 'The URL begins with https:// or http://.' };
  if (mode === 'live' && url.protocol !== 'https:') return { refused: 'In live mode the URL begins with https://.' };
  if (url.username !== '' || url.password !== '') return { refused: 'The URL holds no user name and no password.' };
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1'); // decimal and other notations are an address by now
  if (isIP(host) === 0 ? mode === 'live' && OWN_NAMES.test(host) : !isAllowed(host))
    return { refused: `In live mode a receiver has a public address, and ${host} leads to none.` };
  url.hash = ''; // is never sent
  return { url: url.href };
}

/** As long as any address of a page (contract §1). */
const MOST = 1_024;
