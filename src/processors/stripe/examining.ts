// What operators should know of an account before a payment goes by it: read, and told as lines.
import type { Call, EventsPage, Examined } from '../processor.ts';
import { API, type Api, type StripeAnswer, VERSION } from './api.ts';
import { modeOf, refusal } from './keys.ts';
import { EVENT_TYPES, listEvents } from './notifications.ts';
import { Customers, Endpoints, StripeAccount } from './wire.ts';

/** Stripe's largest page; an account has at most 16 endpoints. */
const PAGE = 100;

/** As `examine` of the port. */
export async function examine(
  api: Api,
  call: Call,
  webhookUrl: string | undefined,
  isOwnUrl: (url: string) => boolean,
): Promise<readonly Examined[]> {
  const mode = modeOf(call.connection);
  const key = { name: 'mode', value: mode ?? 'no key of Stripe', isGood: mode !== undefined };
  const account = await api.ask({ method: 'GET', path: '/v1/account', shape: StripeAccount }, call);
  if (account.kind !== 'told') return [key, { name: 'account', value: inWords(account, call), isGood: false }];
  const endpoints = await api.ask(
    { method: 'GET', path: '/v1/webhook_endpoints', form: [['limit', PAGE]], shape: Endpoints },
    call,
  );
  const customers = await api.ask(
    { method: 'GET', path: '/v1/customers', form: [['limit', 1]], shape: Customers },
    call,
  );
  const events = await listEvents(api, { from: 0 }, call);
  return [
    key,
    ...accountLines(account.value),
    customersLine(customers),
    eventsLine(events),
    ...webhookLines(endpoints, webhookUrl, isOwnUrl),
    secretLine(call),
    shownKeyLine(call),
  ];
}

/** With what to do. */
function inWords(
  told: Exclude<StripeAnswer<StripeAccount>, { readonly kind: 'told' }>,
  { connection: { connectionId, apiUrl } }: Call,
): string {
  if (told.kind === 'error' && told.status === 401)
    return `Stripe does not know this key: \`counterfoil connections rotate ${connectionId} --secret-key REF\` (${told.detail})`;
  return told.kind === 'not_sent'
    ? `${new URL(apiUrl ?? API).host} cannot be reached from this machine (${told.detail}): check its network, proxy and DNS`
    : told.detail;
}

function accountLines({
  id,
  country,
  charges_enabled: charges,
  capabilities,
  settings,
}: StripeAccount): readonly Examined[] {
  const cards = capabilities?.card_payments ?? 'not told';
  const prefix = settings?.card_payments?.statement_descriptor_prefix;
  return [
    { name: 'account', value: id, isGood: true },
    { name: 'country', value: country ?? 'not told', isGood: country != null },
    { name: 'charges', value: charges === true ? 'enabled' : 'not enabled', isGood: charges === true },
    { name: 'card payments', value: cards, isGood: cards === 'active' },
    { name: 'statement descriptor prefix', value: prefix ?? 'none', isGood: prefix != null },
  ];
}

/** A payment that saves a card makes a customer first. No read shows whether a restricted key may write. */
function customersLine(told: StripeAnswer<unknown>): Examined {
  const name = 'customers';
  if (told.kind === 'told') return { name, value: 'readable', isGood: true };
  const isForbidden = told.kind === 'error' && told.status === 403;
  const value = isForbidden
    ? `the key needs write access to customers: a payment that saves a card fails without it (${told.detail})`
    : told.detail;
  return { name, value, isGood: false };
}

/** What a lost notification told is found in the list of events. */
const eventsLine = (told: EventsPage): Examined =>
  told.kind === 'page'
    ? { name: 'list of events', value: 'readable', isGood: true }
    : { name: 'list of events', value: `the key needs read access to events: ${told.detail}`, isGood: false };

function webhookLines(
  told: StripeAnswer<Endpoints>,
  url: string | undefined,
  isOwnUrl: (url: string) => boolean,
): readonly Examined[] {
  const line = (value: string, isGood = false): readonly Examined[] => [{ name: 'webhook', value, isGood }];
  if (url === undefined) return line('this service has no public URL for it');
  if (told.kind !== 'told') return line(told.detail);
  const found = told.value.data.filter((one) => isOwnUrl(one.url));
  const enabled = found.filter(({ status }) => status == null || status === 'enabled');
  const isForOthers = told.value.data.some((one) => one.url.startsWith(url));
  if (found.length === 0)
    return line(
      isForOthers
        ? `${shown(url)} is registered, but not with a URL of this connection`
        : `${shown(url)} is not registered`,
    );
  if (enabled.length === 0) return line(`${shown(url)} is disabled`);
  const events = new Set(enabled.flatMap((one) => one.enabled_events));
  const missing = events.has('*') ? [] : EVENT_TYPES.filter((type) => !events.has(type));
  const lacking = { name: 'webhook events', value: `lacks ${missing.join(', ')}`, isGood: false };
  const versions = enabled.map((one) => one.api_version ?? 'as the account has it');
  const isPinned = versions.every((version) => version === VERSION);
  const version = { name: 'webhook version', value: versions.join(', '), isGood: isPinned };
  return [
    ...line(shown(url), true),
    version,
    missing.length === 0 ? { ...lacking, value: 'all', isGood: true } : lacking,
  ];
}

/** The path may hold a token that acts as a key. */
const shown = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'the URL');

function secretLine({ connection: { secrets } }: Call): Examined {
  const isGood = secrets['webhookSecret'] !== undefined;
  return { name: 'webhook secret', value: isGood ? 'there' : 'no secret named webhookSecret', isGood };
}

/** None is in order where nobody pays in a browser. */
function shownKeyLine({ connection }: Call): Examined {
  const { publishableKey } = connection;
  const name = 'publishable key';
  if (publishableKey === undefined) return { name, value: 'none, so the checkout has no fields', isGood: true };
  const mode = modeOf(connection) ?? 'test';
  const why = refusal(connection, mode, 'publishableKey');
  return { name, value: why ?? mode, isGood: why === undefined };
}
