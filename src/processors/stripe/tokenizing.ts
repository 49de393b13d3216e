// Cards that Stripe's own fields have taken in the browser: a confirmation token is read for what may be shown.
import { AppError } from '../../app-error.ts';
import type { CardData } from '../../domain/payment-instrument/recorded-data.ts';
import type { Wallet } from '../../domain/payment-method.ts';
import type { Call, TokenizationRequest, Tokenized } from '../processor.ts';
import type { Api } from './api.ts';
import { typeByName } from './methods.ts';
import { ConfirmationToken } from './wire.ts';

/** By Stripe's names of them. */
export const NETWORKS: ReadonlyMap<string, CardData['network']> = new Map(
  Object.entries({
    visa: 'VISA',
    mastercard: 'MASTERCARD',
    amex: 'AMEX',
    discover: 'DISCOVER',
    cartes_bancaires: 'CARTES_BANCAIRES',
    diners: 'DINERS',
    eftpos_au: 'EFTPOS_AU',
    interac: 'INTERAC',
    jcb: 'JCB',
    unionpay: 'UNIONPAY',
  } as const),
);
const WALLETS: ReadonlyMap<string, Wallet> = new Map([
  ['apple_pay', 'APPLE_PAY'],
  ['google_pay', 'GOOGLE_PAY'],
]);
const refused = (description: string): Tokenized => ({ kind: 'refused', description });

/** Throws where Stripe is unavailable. */
export async function tokenize(api: Api, { from }: TokenizationRequest, call: Call): Promise<Tokenized> {
  if (!('fieldToken' in from))
    return refused('Stripe takes customers by its own fields only, which make a token in the browser.');
  const { fieldToken, fieldType } = from;
  if (fieldType !== 'confirmation_token')
    return refused('The type must be confirmation_token, as Stripe’s fields make it.');
  if (!/^ctoken_\w{1,200}$/.test(fieldToken)) return refused('This is not a confirmation token of Stripe.');
  const told = await api.ask(
    { method: 'GET', path: `/v1/confirmation_tokens/${fieldToken}`, shape: ConfirmationToken },
    call,
  );
  if (told.kind === 'error' && told.status === 404)
    return refused('Stripe does not know this confirmation token, or its twelve hours are over.');
  if (told.kind !== 'told') throw new AppError('StripeUnavailable', `Stripe cannot be used: ${told.detail}`);
  const { id, payment_method_preview: preview } = told.value;
  if (id !== fieldToken) throw new AppError('StripeUnavailable', `Stripe answered about another token: ${told.detail}`);
  if (preview.type !== 'card') return ofMethod(id, preview);
  const { card, billing_details: billing } = preview;
  if (card == null) return refused('The confirmation token holds no card.');
  const wallet = WALLETS.get(card.wallet?.type ?? '');
  const cardholderName = billing?.name;
  return {
    kind: 'token',
    processorToken: id,
    card: {
      network: NETWORKS.get(card.brand) ?? 'OTHER',
      last4Digits: card.last4,
      expirationMonth: String(card.exp_month).padStart(2, '0'),
      expirationYear: String(card.exp_year),
      ...(cardholderName != null && { cardholderName }),
      ...(wallet !== undefined && { wallet }),
    },
    ...(card.fingerprint != null && { fingerprint: card.fingerprint }),
    // A confirmation token is good for one confirmation (docs.stripe.com/api/confirmation_tokens).
    paysOnce: true,
  };
}

/** Another method than a card, under the same token. */
function ofMethod(
  processorToken: string,
  { type: name, ideal, sepa_debit: debit }: ConfirmationToken['payment_method_preview'],
): Tokenized {
  const type = typeByName(name);
  if (type === undefined) return refused(`The confirmation token is of ${name}, which is not offered.`);
  const data = {
    ...(ideal?.bank != null && { bankName: ideal.bank }),
    ...(debit?.last4 != null && { ibanLast4: debit.last4 }),
  };
  const fingerprint = debit?.fingerprint;
  const token = { kind: 'token', processorToken, method: { type, data }, paysOnce: true } as const;
  return fingerprint == null ? token : { ...token, fingerprint };
}
