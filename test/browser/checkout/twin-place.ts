// A service with a connection to the twin of Stripe, and a shop at it: real processes, and a merchant's page that knows
// nothing of the connection.
import type { FrameLocator, Page } from 'playwright-core';
import { z } from 'zod';
import type { Client } from '../../support/load-client.ts';
import { DataDirectory } from '../../support/service-process.ts';
import { openStripeTwin, type StripeTwin, type TwinAccount } from '../../support/stripe-twin/stripe-twin.ts';
import { until } from '../../support/until.ts';
import { openShop, type Shop, type Shopper, visit } from './merchant.ts';

const HOOK = 'whsec_of_the_fields';
const Added = z.looseObject({ id: z.string(), webhookUrl: z.string() });
const Session = z.looseObject({ clientToken: z.string() });
const List = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      status: z.string(),
      processor: z.looseObject({
        name: z.string(),
        amountCaptured: z.number(),
      }),
    }),
  ),
});
export const OwnSession = z.looseObject({
  fields: z.array(z.looseObject({ connectionId: z.string(), methods: z.array(z.string()) })).optional(),
  paymentMethods: z.array(z.looseObject({ paymentMethodType: z.string() })).optional(),
});

export interface TwinPlace {
  readonly directory: DataDirectory;
  readonly twin: StripeTwin;
  readonly client: Client;
  readonly shop: Shop;
  /** The origin of the service. */
  readonly service: string;
  readonly connectionId: string;
  /** A further connection, `us`, to the twin's second account; undefined without one. */
  readonly furtherId: string | undefined;
  /** The environment in which the connection's secrets are. */
  readonly env: { readonly [name: string]: string };
  stderr(): string;
  /** A client token of a new session for 49.20 EUR. */
  session(orderId: string, more?: object): Promise<string>;
  /** The data of the checkout, as a browser reads it. */
  drawn(clientToken: string): Promise<z.infer<typeof OwnSession>>;
  paymentsOf(orderId: string): Promise<z.infer<typeof List>['data']>;
  /** The movements of money at the twin since then. */
  holds(since: number): readonly string[];
  close(): Promise<void>;
}

export async function openTwinPlace({ isFurther = false } = {}): Promise<TwinPlace> {
  const directory = new DataDirectory();
  const twin = await openStripeTwin(isFurther ? { accounts: [{ id: 'acct_eu' }, { id: 'acct_us' }] } : {});
  const [first, second] = twin.accounts;
  const env = { STRIPE_KEY: first.secretKey, STRIPE_HOOK: HOOK, STRIPE_US: second?.secretKey ?? first.secretKey };
  const { client, serving } = await directory.serve(env);
  const add = async (name: string, account: TwinAccount, variable: string): Promise<string> => {
    const added = await directory.place.run(
      `connections add --processor stripe --name ${name} --secret-key env:${variable} --webhook-secret env:STRIPE_HOOK --publishable-key ${account.publishableKey} --api-url ${twin.url} --public-url ${serving.url} --json`,
      { env },
    );
    const { id, webhookUrl } = Added.parse(JSON.parse(added.stdout));
    account.addEndpoint({ url: webhookUrl, secrets: [HOOK] });
    return id;
  };
  const connectionId = await add('eu', first, 'STRIPE_KEY');
  const furtherId = second === undefined ? undefined : await add('us', second, 'STRIPE_US');
  const shop = await openShop(serving.url);
  const place: TwinPlace = {
    directory,
    twin,
    client,
    shop,
    service: serving.url,
    connectionId,
    furtherId,
    env,
    stderr: serving.stderr,
    async session(orderId, more = {}) {
      const body = { orderId, currencyCode: 'EUR', amount: 4_920, ...more };
      return Session.parse(JSON.parse((await client.call('POST', '/client-session', body)).text)).clientToken;
    },
    async drawn(clientToken) {
      const { text } = await client.inCheckout(clientToken, 'GET', '/checkout/session');
      return OwnSession.parse(JSON.parse(text));
    },
    async paymentsOf(orderId) {
      return List.parse(JSON.parse((await client.call('GET', `/payments?order_id=${orderId}`)).text)).data;
    },
    holds: (since) =>
      twin
        .effects()
        .slice(since)
        .map(({ kind, amount }) => `${kind} ${amount}`),
    async close() {
      shop.close();
      await directory.remove();
      await twin.close();
    },
  };
  const clientToken = await place.session('first');
  // the service looks for connections every 5 s
  await until(async () => (await place.drawn(clientToken)).fields !== undefined);
  return place;
}

/** The frame with the fields of the method that is chosen. */
export const fieldsIn = ({ frame }: Shopper): FrameLocator => frame.frameLocator('.own-fields:visible iframe');

/** A shopper in front of a session of the place; `there`: what is waited for in the frame. */
export async function shopperAt(
  { shop }: Pick<TwinPlace, 'shop'>,
  page: Page,
  options: { readonly clientToken: string },
  there = 'button.pay',
): Promise<Shopper> {
  const shopper = await visit(page, shop);
  await shopper.start(options);
  await shopper.frame.locator(there).waitFor();
  return shopper;
}
