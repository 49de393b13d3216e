// Which URLs may be an endpoint's. Where its name leads is looked at when it is called, not here: names change their addresses.

/** The URL as it is called, or why it is none. In live mode it is https. */
export function endpointUrl(text: string, mode: 'test' | 'live'): { readonly url: string } | { readonly refused: string } {
  if (text.length > MOST) return { refused: `The URL has at most ${MOST} characters.` };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return { refused: 'The URL begins with https:// or http://.' };
  if (mode === 'live' && url.protocol !== 'https:') return { refused: 'In live mode the URL begins with https://.' };
  if (url.username !== '' || url.password !== '') return { refused: 'The URL holds no user name and no password.' };
  url.hash = ''; // is never sent
  return { url: url.href };
}

/** As long as any address of a page (contract §1). */
const MOST = 1_024;
