// An account with two weeks of a shop's payments, for pictures: every kind of outcome, a calm lag with one bad hour,
// and a few people.
import { machineTime } from '../../../src/commands/users/machine-time.ts';
import { LagHistory } from '../../../src/projections/running/lag-history.ts';
import type { Dashboard } from '../../support/dashboard.ts';
import { type Shop, shopOf } from '../../support/dashboard-shop.ts';

export interface ExampleAccount {
  readonly captured: string;
  readonly refunded: string;
  readonly declined: string;
  readonly pending: string;
  /** A payment method token. */
  readonly token: string;
}

const DAYS = 13;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const GOOD = ['4242424242424242', '5555555555554444', '4242424242424242', '378282246310005'];
const BAD = ['4000000000000002', '4000000000009995'];
const GOODS = [
  { itemId: 'ledger-notebook', name: 'Ledger notebook', amount: 2_400, quantity: 1 },
  { itemId: 'bottle-of-ink', name: 'Bottle of ink', amount: 1_240, quantity: 2 },
  { itemId: 'letter-set', name: 'Letter set', amount: 1_850, quantity: 1 },
];
const CUSTOMERS = ['ada', 'grace', 'edsger', 'barbara', 'alan'];

/** Takes about ten seconds. */
export async function exampleAccount(dashboard: Dashboard): Promise<ExampleAccount> {
  const shop = shopOf(dashboard);
  let order = 4_100;
  const session = (at: number) => {
    order += 1;
    const lineItems = [GOODS[at % GOODS.length] ?? GOODS[0], ...(at % 3 === 0 ? [GOODS[1]] : [])];
    const customerId = `customer-${CUSTOMERS[at % CUSTOMERS.length]}`;
    return { orderId: `order-${order}`, customerId, amount: undefined, order: { lineItems } };
  };
  const pay = (at: number, card?: string) =>
    shop.captured({ session: session(at), ...(card !== undefined && { card }) });
  const refused = (at: number) => shop.paid({ session: session(at), card: BAD[at % BAD.length] ?? '' });
  let refunded = '';
  let declined = '';
  for (let day = 0; day <= DAYS; day += 1) {
    for (let at = 0; at < 3 + ((day * 5) % 4); at += 1) {
      const { id } = await pay(day + at, GOOD[(day + at) % GOOD.length]);
      if (at === 1 && day % 4 === 0) {
        refunded = id;
        await shop.ask(`/payments/${id}/refund`, { amount: 1_000 });
      }
    }
    if (day % 2 === 0) declined = (await refused(day)).id;
    if (day < DAYS) await advance(dashboard, DAY_MS - 90 * MINUTE_MS);
  }
  await shop.paid({ session: session(1) });
  const { id: pending } = await shop.paid({ session: session(2), card: '4000009900001010' });
  const { id: captured } = await pay(3);
  const token = await vaulted(shop);
  await lagOf(dashboard);
  return { captured, refunded, declined, pending, token };
}

async function vaulted(shop: Shop): Promise<string> {
  const clientToken = await shop.session({ customerId: 'customer-ada' });
  const token = await shop.tokenize(clientToken);
  await shop.ask('/payments', { clientToken, paymentMethodToken: token, paymentMethod: { vaultOnSuccess: true } });
  return token;
}

async function advance({ ask }: Dashboard, byMs: number): Promise<void> {
  const { status, text } = await ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs });
  if (status !== 200) throw new Error(`the clock did not move: ${text}`);
}

/** A day of samples, with an hour in which the payments were late. */
async function lagOf({ service: { readModels, world } }: Dashboard): Promise<void> {
  const end = machineTime(world);
  let now = end - DAY_MS;
  const seconds = (): number => {
    const at = (now - end) / MINUTE_MS + 1_440;
    return at > 900 && at < 925 ? 14 - Math.abs(at - 912) : at % 97 === 0 ? 1.4 : 0;
  };
  const report = (fault: unknown): void => {
    throw fault;
  };
  const lags = async () => new Map([['payments', seconds()]]);
  const history = new LagHistory({ readModels, world, report, machineTime: () => now, lags });
  for (; now < end; now += MINUTE_MS) {
    await history.look();
    if (now % (60 * MINUTE_MS) < MINUTE_MS) await history.write();
  }
  await history.write();
}
