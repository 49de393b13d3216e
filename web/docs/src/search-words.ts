// Words that a query leaves out, and words that readers use for ours.

/** Words that are on every page. They count only if nothing else was typed. */
export const SMALL: ReadonlySet<string> = new Set(
  'a an and are as at be by can do does for from how i if in into is it its me my of on one or our s so t that the their them then there this to was we what when where which with you your'.split(
    ' ',
  ),
);

const SYNONYMS: { readonly [phrase: string]: string } = {
  '3-d secure': '3ds 3ds2 psd2 sca',
  amount: 'price',
  challenge: '3ds 3ds2 psd2 sca',
  checkout: 'embed form sdk widget',
  client: 'sdk',
  decision: 'adr',
  dispute: 'chargeback',
  erase: 'delete',
  erasure: 'gdpr',
  fallback: 'failover',
  'falls back': 'failover',
  frame: 'iframe',
  going: 'go',
  infrastructure: 'terraform',
  'node client': 'javascript nodejs typescript',
  page: 'site website',
  'personal data': 'gdpr',
  processor: 'acquirer psp',
  remove: 'delete',
  'set up': 'install',
  shop: 'site website',
  'sign in': 'login',
  'sign-in': 'login',
  start: 'install',
  subscription: 'recurring',
  take: 'accept collect',
  test: 'sandbox',
  'two-factor': '2fa mfa otp',
  'without the customer': 'mit subscription',
};
const PHRASES = new RegExp(`\\b(${Object.keys(SYNONYMS).join('|')})s?\\b`, 'gi');

/** The text, in which each of these phrases is followed by what readers may call it. */
export const withSynonyms = (text: string): string =>
  text.replace(PHRASES, (phrase, singular: string) => `${phrase} ${SYNONYMS[singular.toLowerCase()]}`);
