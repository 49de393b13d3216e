// Confirmation tokens: created by Stripe.js or a test helper, shown, used once, within twelve hours.
import type Stripe from 'stripe';
import { z } from 'zod';
import { fingerprintOf, last4Of } from './answers.ts';
import { type Card, cardOfName, cardOfNumber } from './cards.ts';
import { type Call, type Engine, seconds } from './engine.ts';
import { Failure, invalid, missing } from './failure.ts';
import { Expand, Integer } from './parameters.ts';
import type { Account, Intent, Token } from './state.ts';

const TOKEN_MS = 12 * 3_600_000;

const Billing = z.strictObject({ name: z.string().optional(), email: z.string().optional() }).optional();
const Debit = z.strictObject({
  type: z.literal('sepa_debit'),
  sepa_debit: z.strictObject({ iban: z.string() }),
  billing_details: z.strictObject({ name: z.string(), email: z.string().optional() }),
});
export const HelperToken = z.strictObject({
  /** A method of Stripe's test names, or an account. */
  payment_method: z.string().optional(),
  payment_method_data: Debit.optional(),
  return_url: z.string().optional(),
  setup_future_usage: z.literal('off_session').optional(),
  expand: Expand,
});
/** What the stand-in of Stripe.js sends, with the publishable key. */
export const BrowserToken = z.strictObject({
  payment_method_data: z.union([
    z.strictObject({
      type: z.literal('card'),
      card: z.strictObject({ number: z.string(), exp_month: Integer, exp_year: Integer, cvc: z.string() }),
    }),
    /** The twin's own: a wallet's card has no number in a browser. */
    z.strictObject({
      type: z.literal('card'),
      card: z.strictObject({ wallet: z.enum(['apple_pay', 'google_pay']) }),
    }),
    z.strictObject({ type: z.literal('ideal'), billing_details: Billing }),
    z.strictObject({ type: z.literal('bancontact'), billing_details: z.strictObject({ name: z.string() }) }),
    z.strictObject({ type: z.literal('klarna'), billing_details: z.strictObject({ email: z.string() }) }),
    Debit,
  ]),
  return_url: z.string().optional(),
  /** Empty: the fields know no later use. */
  setup_future_usage: z.enum(['off_session', '']).optional(),
});

export function tokenOfName(engine: Engine, { account }: Call, name: string): Token {
  const card = cardOfName(name);
  if (card === undefined) throw missing('PaymentMethod', name, 'payment_method');
  return newToken(engine, account, card);
}

export function tokenOfHelper(engine: Engine, call: Call, sent: z.output<typeof HelperToken>): Token {
  const { payment_method: name = '', payment_method_data: given } = sent;
  const token =
    given === undefined
      ? tokenOfName(engine, call, name)
      : newToken(engine, call.account, accountOfIban(given.sepa_debit.iban));
  if (sent.setup_future_usage !== undefined) token.isToBeKept = true;
  return token;
}

export function tokenOfBrowser(engine: Engine, call: Call, sent: z.output<typeof BrowserToken>): Token {
  const token = enteredIn(engine, call, sent);
  if (sent.setup_future_usage !== undefined) token.isToBeKept = sent.setup_future_usage !== '';
  return token;
}

function enteredIn(engine: Engine, call: Call, { payment_method_data: given }: z.output<typeof BrowserToken>): Token {
  if (given.type === 'sepa_debit') return newToken(engine, call.account, accountOfIban(given.sepa_debit.iban));
  if (given.type !== 'card') return tokenOfName(engine, call, `pm_${given.type}`);
  if ('wallet' in given.card) return tokenOfName(engine, call, `pm_${given.card.wallet}`);
  const { number, exp_month: expMonth, exp_year: year } = given.card;
  const card = cardOfNumber(number);
  if (card === undefined)
    throw new Failure(402, {
      type: 'card_error',
      code: 'incorrect_number',
      message: 'Your card number is incorrect.',
      param: 'number',
    });
  const expYear = year < 100 ? 2_000 + year : year;
  return newToken(engine, call.account, { ...card, expMonth, expYear });
}

function accountOfIban(iban: string): Card {
  const account = cardOfName('pm_sepa_debit');
  if (account === undefined || !/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban))
    throw invalid('The IBAN is not valid.', { code: 'invalid_bank_account_iban', param: 'sepa_debit[iban]' });
  return { ...account, number: iban };
}

function newToken(engine: Engine, account: Account, card: Card): Token {
  const token: Token = { id: engine.newId('ctoken'), card, createdAt: engine.now() };
  account.tokens.set(token.id, token);
  return token;
}

export function tokenOf(engine: Engine, account: Account, id: string): Token {
  const token = account.tokens.get(id);
  const isOver = token !== undefined && engine.now() >= token.createdAt + TOKEN_MS;
  if (token === undefined || (isOver && !engine.lies.has('token_never_expires')))
    throw missing('confirmation_token', id, 'confirmation_token');
  return token;
}

/** The card of the token, which is used from then on. */
export function useToken(engine: Engine, { account }: Call, intent: Intent, id: string): Card {
  const token = tokenOf(engine, account, id);
  if (token.usedBy !== undefined && !engine.lies.has('token_reusable'))
    throw invalid(`The confirmation token ${id} has already been used.`, { param: 'confirmation_token' });
  if (token.isToBeKept !== undefined && token.isToBeKept !== intent.isKept)
    throw invalid("The token's setup_future_usage is not that of the PaymentIntent.", { param: 'setup_future_usage' });
  token.usedBy = intent;
  return token.card;
}

export function tokenAnswer(account: Account, token: Token): Stripe.ConfirmationToken {
  const { card } = token;
  return {
    id: token.id,
    object: 'confirmation_token',
    created: seconds(token.createdAt),
    expires_at: seconds(token.createdAt + TOKEN_MS),
    livemode: account.options.isLive,
    metadata: null,
    payment_intent: token.usedBy?.id ?? null,
    payment_method_options: null,
    payment_method_preview: previewOf(card),
    return_url: null,
    setup_future_usage: token.isToBeKept === true ? 'off_session' : null,
    setup_intent: null,
    shipping: null,
    use_stripe_sdk: true,
  };
}

const NOBODY = { address: null, email: null, name: null, phone: null, tax_id: null };

function previewOf(card: Card): Stripe.ConfirmationToken.PaymentMethodPreview {
  const common = {
    allow_redisplay: 'unspecified',
    billing_details: NOBODY,
    customer: null,
    customer_account: null,
  } as const;
  switch (card.type) {
    case 'card':
      return { ...common, type: 'card', card: cardPreview(card) };
    case 'ideal':
      return { ...common, type: 'ideal', ideal: { bank: 'rabobank', bic: 'RABONL2U' } };
    case 'bancontact':
      return { ...common, type: 'bancontact', bancontact: {} };
    case 'klarna':
      return { ...common, type: 'klarna', klarna: {} };
    case 'sepa_debit':
      return { ...common, type: 'sepa_debit', sepa_debit: debitPreview(card) };
    default:
      return card.type satisfies never;
  }
}

const debitPreview = (card: Card): Stripe.ConfirmationToken.PaymentMethodPreview.SepaDebit => ({
  bank_code: '37040044',
  branch_code: '',
  country: 'DE',
  fingerprint: fingerprintOf(card),
  generated_from: null,
  last4: last4Of(card),
});

const cardPreview = (card: Card): Stripe.ConfirmationToken.PaymentMethodPreview.Card => ({
  brand: card.brand,
  checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: null },
  country: 'US',
  display_brand: card.brand,
  exp_month: card.expMonth,
  exp_year: card.expYear,
  fingerprint: fingerprintOf(card),
  funding: 'credit',
  generated_from: null,
  last4: last4Of(card),
  networks: { available: [card.brand], preferred: null },
  regulated_status: 'unregulated',
  three_d_secure_usage: { supported: true },
  wallet: card.wallet === undefined ? null : { dynamic_last4: null, type: card.wallet },
});
