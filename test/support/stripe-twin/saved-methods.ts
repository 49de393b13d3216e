// What happens to a payment method that a customer keeps: the network's updater, and a mandate that is withdrawn.
import type Stripe from 'stripe';
import { fingerprintOf, last4Of } from './answers.ts';
import { type Call, type Engine, seconds } from './engine.ts';
import { missing } from './failure.ts';
import type { Account, Method } from './state.ts';

/** What the updater tells; the rest of the card stays. */
export interface Update {
  readonly number?: string;
  readonly expMonth?: number;
  readonly expYear?: number;
}

function methodOf(account: Account, id: string): Method {
  const method = account.methods.get(id);
  if (method === undefined) throw missing('PaymentMethod', id, 'payment_method');
  return method;
}

/** The card of a method becomes another one, under the same id. */
export function updateMethod(engine: Engine, call: Call, id: string, update: Update): Stripe.PaymentMethod {
  const before = methodOf(call.account, id);
  const method: Method = { ...before, card: { ...before.card, ...update } };
  call.account.methods.set(id, method);
  const shown = methodAnswer(engine, call.account, method);
  engine.emit(call, 'payment_method.automatically_updated', shown);
  return shown;
}

/** The customer, or the bank, ends the mandate of a method: `single_use` ends with its one debit. */
export function endMandate(
  engine: Engine,
  call: Call,
  id: string,
  type: 'multi_use' | 'single_use' = 'multi_use',
): Stripe.Mandate {
  const method = methodOf(call.account, id);
  const { type: kind } = method.card;
  const mandate: Stripe.Mandate = {
    id: `mandate_${method.id.slice('pm_'.length)}`,
    object: 'mandate',
    customer_acceptance: { accepted_at: seconds(engine.now()), type: 'online' },
    livemode: call.account.options.isLive,
    [type]: {},
    payment_method: method.id,
    payment_method_details: { type: kind },
    status: 'inactive',
    type,
  };
  engine.emit(call, 'mandate.updated', mandate);
  return mandate;
}

function methodAnswer(engine: Engine, account: Account, { id, card, customer }: Method): Stripe.PaymentMethod {
  return {
    id,
    object: 'payment_method',
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    card: {
      brand: card.brand,
      checks: null,
      country: 'US',
      display_brand: card.brand,
      exp_month: card.expMonth,
      exp_year: card.expYear,
      fingerprint: fingerprintOf(card),
      funding: 'credit',
      generated_from: null,
      last4: last4Of(card),
      networks: null,
      regulated_status: 'unregulated',
      three_d_secure_usage: null,
      wallet: null,
    },
    created: seconds(engine.now()),
    customer: customer ?? null,
    customer_account: null,
    livemode: account.options.isLive,
    metadata: {},
    type: 'card',
  };
}
