// The words that a query leaves out, and those that stand for others of our pages.

/** Words that are on every page. They count only if nothing else was typed. */
export const SMALL: ReadonlySet<string> = new Set(
  'a an and are as at be by can do does for from how i if in into is it its me my of on one or our s so t that the their them then there this to was we what when where which with you your'.split(
    ' ',
  ),
);

/** What else a word of a query may be called here; each a word, or several that are together in one section. */
export const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    '2fa': ['two-factor'],
    '3d': ['3-D Secure'],
    '3ds': ['3-D Secure', 'challenge'],
    '3ds2': ['3-D Secure', 'challenge'],
    accept: ['take'],
    acquirer: ['processor'],
    adr: ['decision'],
    adrs: ['decision'],
    chargeback: ['dispute'],
    chargebacks: ['dispute'],
    collect: ['take'],
    delete: ['erase', 'remove'],
    embed: ['checkout'],
    embedded: ['checkout', 'embed'],
    embedding: ['checkout', 'embed'],
    failover: ['fallback', 'falls back'],
    form: ['checkout'],
    go: ['going'],
    gdpr: ['erasure', 'personal data'],
    iframe: ['frame'],
    install: ['set up', 'start'],
    javascript: ['Node client'],
    login: ['sign-in'],
    mfa: ['two-factor'],
    mit: ['saved card', 'without the customer'],
    nodejs: ['Node client'],
    otp: ['two-factor'],
    price: ['amount'],
    psd2: ['3-D Secure', 'challenge'],
    psp: ['processor'],
    recurring: ['saved card', 'subscription'],
    sandbox: ['test'],
    sca: ['3-D Secure', 'challenge'],
    sdk: ['client', 'checkout'],
    site: ['shop', 'page'],
    subscription: ['saved card', 'without the customer'],
    subscriptions: ['saved card', 'without the customer'],
    terraform: ['infrastructure'],
    typescript: ['Node client'],
    website: ['shop', 'page'],
    widget: ['checkout'],
  }),
);
