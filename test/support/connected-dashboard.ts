// A dashboard whose account can be connected to a twin of Stripe: files with the secrets, and payments by a connection.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type Dashboard, openDashboard } from './dashboard.ts';
import { type Shop, shopOf } from './dashboard-shop.ts';
import { openStripeTwin, type StripeTwin } from './stripe-twin/stripe-twin.ts';
import { until } from './until.ts';

export interface ConnectedDashboard extends Dashboard {
  readonly twin: StripeTwin;
  readonly shop: Shop;
  /** Writes a secret into a file; its reference. */
  readonly secretIn: (file: string, secret: string) => Promise<string>;
  /** A payment of 10.00 EUR by the connection with a card of the twin, as its own fields tokenize it. */
  readonly paidBy: (connectionId: string, card: string) => Promise<{ readonly id: string; readonly status: string }>;
}

const Token = z.looseObject({ token: z.string() });
const Payment = z.looseObject({ id: z.string(), status: z.string() });

export async function openConnectedDashboard(): Promise<ConnectedDashboard> {
  const [dashboard, twin] = [await openDashboard(), await openStripeTwin()];
  const directory = await mkdtemp(join(tmpdir(), 'counterfoil-secrets-'));
  const shop = shopOf(dashboard);
  const [account] = twin.accounts;
  return {
    ...dashboard,
    twin,
    shop,
    async secretIn(file, secret) {
      await writeFile(join(directory, file), `${secret}\n`);
      return `file:${join(directory, file)}`;
    },
    async paidBy(connectionId, card) {
      // the processor's adapter is opened by the first look after the connection was added
      await until(() => dashboard.service.processors.has('stripe'));
      const clientToken = await shop.session();
      const processorToken = {
        connectionId,
        type: 'confirmation_token',
        token: account.confirmationToken(card),
      };
      const headers = { 'x-client-token': clientToken };
      const { token } = Token.parse(await shop.ask('/checkout/payment-instruments', { processorToken }, headers));
      return Payment.parse(await shop.ask('/payments', { clientToken, paymentMethodToken: token }));
    },
    async close() {
      await dashboard.close();
      await twin.close();
      await rm(directory, { recursive: true });
    },
  };
}
