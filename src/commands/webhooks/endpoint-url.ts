// Which URLs may be an endpoint's. Where its name leads is looked at when it is called, not here: names change their
// addresses.
import { isIP } from 'node:net';

/** Names that lead to the own machine or network, wherever they are resolved. */
const OWN_NAMES = /(^|\.)(localhost|local|internal|lan|home\.arpa)\.?$/i;

/**
 * The URL as it is called, or why it is none. In live mode it is https. `isAllowed`: whether an address may be called.
 */
export function endpointUrl(
  text: string,
  mode: 'test' | 'live',
  isAllowed: (address: string) => boolean,
): { readonly url: string } | { readonly refused: string } {
  if (text.length > MOST) return TOO_LONG;
  if (NOT_OF_URLS.test(text)) return { refused: 'The URL must not contain a space or a control character.' };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return { refused: 'The URL must begin with https:// or http://.' };
  if (mode === 'live' && url.protocol !== 'https:')
    return { refused: 'In live mode the URL must begin with https://.' };
  if (url.username !== '' || url.password !== '')
    return { refused: 'The URL must not contain a user name or a password.' };
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1'); // decimal and other notations are an address by now
  if (isIP(host) === 0 ? mode === 'live' && OWN_NAMES.test(host) : !isAllowed(host))
    return { refused: `In live mode a receiver needs a public address, and ${host} is not public.` };
  if (isOfAnotherProtocol(url.port, mode)) return { refused: `The port ${url.port} is not a port of web servers.` };
  url.hash = ''; // is never sent
  // As it is kept: other characters than those of URLs are written in three each.
  return url.href.length > MOST ? TOO_LONG : { url: url.href };
}

/** As long as any address of a page (contract §1). */
const MOST = 1_024;
const TOO_LONG = { refused: `The URL must have at most ${MOST} characters.` } as const;

/** The parser of URLs drops them without a word, so that another URL would be kept than the one that was read. */
const NOT_OF_URLS = /[\s\p{Cc}]/u;

/** True for a port below 1024 that is not 443: a call to mail or to a shell is not HTTPS. */
const isOfAnotherProtocol = (port: string, mode: 'test' | 'live'): boolean =>
  port !== '' && (Number(port) === 0 || (mode === 'live' && Number(port) < 1_024));
