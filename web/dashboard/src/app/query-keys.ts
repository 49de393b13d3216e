// The first words of query keys, and the topics of the live stream that make each stale.

export const KEYS = {
  payments: 'payments',
  /** May read thousands of payments: by time, after one's own change, and because of an event while they are few. */
  paymentTotals: 'payment-totals',
  notes: 'payment-notes',
  /** Views of lists that the users of the account share. */
  views: 'views',
  /** Counts of disputes and of client sessions, like those of payments. */
  disputeTotals: 'dispute-totals',
  sessionTotals: 'client-session-totals',
  /** Never changes. */
  declineCodes: 'decline-codes',
  disputes: 'disputes',
  overview: 'overview',
  /** The counts of the work that waits for a person. */
  needs: 'needs',
  clientSessions: 'client-sessions',
  paymentLinks: 'payment-links',
  instruments: 'instruments',
  agreements: 'agreements',
  apiKeys: 'api-keys',
  webhooks: 'webhooks',
  connections: 'connections',
  routing: 'routing',
  users: 'users',
  /** Who is signed in, and the page Your account. */
  me: 'me',
  account: 'account',
  streams: 'streams',
  newestEvents: 'newest-events',
  operations: 'operations',
  lag: 'lag',
  requests: 'requests',
  /** Signed checkpoints of the log, read again each minute. */
  checkpoints: 'checkpoints',
  ledger: 'sandbox-ledger',
  /** Compares the whole account. It runs when a user asks for it, and never because of an event. */
  ledgerDiff: 'sandbox-diff',
  sandboxControls: 'sandbox-controls',
  /** Cards and kinds of faults, which never change. */
  sandboxWords: 'sandbox-words',
} as const;

type Key = (typeof KEYS)[keyof typeof KEYS];

const LISTED: readonly Key[] = [KEYS.streams, KEYS.newestEvents];

/**
 * Topics of the log's categories, then those of the stream itself. Figures are loaded again with every payment that
 * changes.
 */
export const OLD = {
  payment: [
    KEYS.needs,
    KEYS.payments,
    KEYS.paymentTotals,
    KEYS.disputes,
    KEYS.disputeTotals,
    KEYS.overview,
    KEYS.clientSessions,
    KEYS.sessionTotals,
    KEYS.paymentLinks,
    KEYS.ledger,
    ...LISTED,
  ],
  paymentNote: [KEYS.notes, ...LISTED],
  savedView: [KEYS.views, ...LISTED],
  clientSession: [KEYS.clientSessions, KEYS.sessionTotals, KEYS.paymentLinks, ...LISTED],
  paymentInstrument: [KEYS.instruments, ...LISTED],
  agreement: [KEYS.agreements, ...LISTED],
  apiKey: [KEYS.apiKeys, ...LISTED],
  webhookEndpoint: [KEYS.needs, KEYS.webhooks, ...LISTED],
  webhookQueue: [KEYS.needs, KEYS.webhooks],
  connection: [KEYS.connections, KEYS.routing, ...LISTED],
  user: [KEYS.users, KEYS.me, KEYS.account, ...LISTED],
  account: [KEYS.me, KEYS.account, KEYS.routing, ...LISTED],
  'signed-out': [KEYS.me],
  notification: [KEYS.needs, KEYS.operations, ...LISTED],
  act: [KEYS.needs, KEYS.operations, KEYS.sandboxControls, ...LISTED],
  tick: [KEYS.requests],
  /** The stream starts, or starts again. Changes outside the log were not reported meanwhile. */
  hello: [KEYS.needs, KEYS.operations],
} satisfies { readonly [topic: string]: readonly Key[] };

/** The browser missed more than the stream can repeat, so every active query runs again. */
const EVERYTHING = 'everything';

const byTopic: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(OLD));

/** True if one of these topics makes the response to a query stale. */
export function isOld(queryKey: readonly unknown[], topics: ReadonlySet<string>): boolean {
  if (topics.has(EVERYTHING)) return true;
  const [first] = queryKey;
  return typeof first === 'string' && [...topics].some((topic) => byTopic.get(topic)?.includes(first) === true);
}

/** A list of several pages is not reloaded at each event. It shows a notice that it has changed. */
const READ_ANEW_PAGES = 3;

/** True if the data of a query is a list of several pages. */
export const isLong = (data: unknown): boolean =>
  typeof data === 'object' &&
  data !== null &&
  'pages' in data &&
  Array.isArray(data.pages) &&
  data.pages.length > READ_ANEW_PAGES;

/** A count of more rows is not counted again at each event. */
const FEW = 100;

/** True if the data of a query is a count of many rows, which costs the service too much to follow every event. */
export const isCostly = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'count' in data && typeof data.count === 'number' && data.count > FEW;
