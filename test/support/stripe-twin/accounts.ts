// The account, its customers and its webhook endpoints as Stripe answers them.
import type Stripe from 'stripe';
import { z } from 'zod';
import { API_VERSION, type Call, type Engine, seconds } from './engine.ts';
import { Expand, Integer, Metadata, merged } from './parameters.ts';
import type { Account } from './state.ts';

/** A request without parameters, but for `expand`. */
export const Retrieve = z.strictObject({ expand: Expand });
export const CreateCustomer = z.strictObject({
  email: z.string().optional(),
  name: z.string().optional(),
  metadata: Metadata,
  expand: Expand,
});
export const ListEndpoints = z.strictObject({ limit: Integer.optional(), starting_after: z.string().optional() });

type ShownAccount = Pick<
  Stripe.Account,
  'id' | 'object' | 'charges_enabled' | 'country' | 'default_currency' | 'details_submitted' | 'email' | 'type'
> &
  Pick<Stripe.Account, 'payouts_enabled' | 'capabilities'> & {
    readonly settings: { readonly payments: Pick<Stripe.Account.Settings.Payments, 'statement_descriptor'> } & {
      readonly dashboard: Stripe.Account.Settings.Dashboard;
      readonly card_payments: Pick<Stripe.Account.Settings.CardPayments, 'statement_descriptor_prefix'>;
    };
  };

export function accountAnswer({ options }: Account): ShownAccount {
  return {
    id: options.id,
    object: 'account',
    capabilities: { card_payments: 'active' },
    charges_enabled: true,
    country: options.country,
    default_currency: options.defaultCurrency,
    details_submitted: true,
    email: null,
    payouts_enabled: true,
    settings: {
      card_payments: { statement_descriptor_prefix: options.descriptor },
      dashboard: { display_name: options.descriptor, timezone: 'Etc/UTC' },
      payments: { statement_descriptor: options.descriptor },
    },
    type: 'standard',
  };
}

type ShownCustomer = Pick<
  Stripe.Customer,
  'id' | 'object' | 'created' | 'description' | 'email' | 'livemode' | 'metadata'
>;

/** The twin keeps its id alone. */
export function createCustomer(
  engine: Engine,
  { account }: Call,
  sent: z.output<typeof CreateCustomer>,
): ShownCustomer & { readonly name: string | null } {
  const id = engine.newId('cus');
  account.customers.add(id);
  return {
    id,
    object: 'customer',
    created: seconds(engine.now()),
    description: null,
    email: sent.email ?? null,
    livemode: account.options.isLive,
    metadata: { ...merged({}, sent.metadata) },
    name: sent.name ?? null,
  };
}

export const ListCustomers = z.strictObject({ limit: Integer.optional() });
/** No customer is shown: only the right to read them matters. */
export const listCustomers = () => ({ object: 'list', data: [], has_more: false, url: '/v1/customers' });

export function listEndpoints({ options, endpoints }: Account): Stripe.ApiList<Stripe.WebhookEndpoint> {
  return {
    object: 'list',
    url: '/v1/webhook_endpoints',
    has_more: false,
    data: endpoints.map(({ id, url, events, createdAt }) => ({
      id,
      object: 'webhook_endpoint',
      api_version: API_VERSION,
      application: null,
      created: seconds(createdAt),
      description: null,
      enabled_events: [...events],
      livemode: options.isLive,
      metadata: {},
      status: 'enabled',
      url,
    })),
  };
}
