// /payment-instruments: a merchant's backend reads, vaults and deletes its customers' instruments (contract §5).
import { z } from 'zod';
import type { Caller, Completed } from '../../commands/caller.ts';
import { identifier } from '../../commands/fields/text.ts';
import type { InstrumentView } from '../../commands/instruments/instrument-view.ts';
import type { Instruments } from '../../commands/instruments/instruments.ts';
import { VaultInstrument } from '../../commands/instruments/vault-instrument.ts';
import type { Queries } from '../../queries/queries.ts';
import {
  PaymentInstrumentAnswer,
  PaymentInstrumentListAnswer,
  paymentInstrumentAnswer,
  paymentInstrumentListAnswer,
} from '../answers/payment-instrument.ts';
import type { ErrorId } from '../errors.ts';
import { found, type Route, route, shaped } from '../route.ts';

const tag = 'Payment instruments';
const answer = PaymentInstrumentAnswer;
export const params = z.object({ token: z.string().regex(/^pm_[0-9A-Za-z]{1,64}$/) });
const answerAt =
  ({ at }: Caller) =>
  ({ id, doc }: Completed<InstrumentView>): PaymentInstrumentAnswer =>
    paymentInstrumentAnswer(id, doc, at);
const CHANGED: readonly ErrorId[] = ['InvalidPaymentInstrumentToken', 'Conflict', 'IdempotencyKeyReused', 'IdempotencyKeyInProgress'];

export type PaymentInstrumentRouteNeeds = Pick<Instruments, 'vaultInstrument' | 'makeInstrumentDefault' | 'deletePaymentInstrument'> &
  Pick<Queries, 'readPaymentInstrument' | 'readWallet'>;

export const paymentInstrumentRoutes = (needs: PaymentInstrumentRouteNeeds): readonly Route[] => [
  route({
    tag,
    method: 'GET',
    path: '/payment-instruments',
    scope: 'payment_instrument:read',
    summary: "List a customer's vaulted instruments",
    request: z.object({ query: z.strictObject({ customer_id: identifier }) }),
    answer: PaymentInstrumentListAnswer,
    handle: async ({ query }, { caller }) =>
      found(paymentInstrumentListAnswer(await needs.readWallet(caller.accountId, query.customer_id))),
  }),
  route({
    tag,
    answer,
    method: 'GET',
    path: '/payment-instruments/:token',
    scope: 'payment_instrument:read',
    summary: 'Read a payment instrument; a deleted one, too',
    request: z.object({ params }),
    async handle({ params: { token } }, { caller }) {
      const read = await needs.readPaymentInstrument(token, caller.accountId);
      return 'kind' in read ? read : found(paymentInstrumentAnswer(token, read.doc, caller.at), read.revision);
    },
  }),
  route({
    tag,
    answer,
    method: 'POST',
    path: '/payment-instruments/:token/vault',
    scope: 'payment_instrument:write',
    summary: 'Keep an instrument for a customer',
    request: z.object({ params, body: VaultInstrument }),
    errors: ['PaymentInstrumentVaultedElsewhere', ...CHANGED],
    handle: async ({ params: { token }, body }, { caller }) => shaped(await needs.vaultInstrument(token, body, caller), answerAt(caller)),
  }),
  route({
    tag,
    answer,
    method: 'POST',
    path: '/payment-instruments/:token/default',
    scope: 'payment_instrument:write',
    summary: "Make a vaulted instrument the customer's default",
    request: z.object({ params }),
    errors: CHANGED,
    handle: async ({ params: { token } }, { caller }) => shaped(await needs.makeInstrumentDefault(token, caller), answerAt(caller)),
  }),
  route({
    tag,
    answer,
    method: 'DELETE',
    path: '/payment-instruments/:token',
    scope: 'payment_instrument:write',
    summary: 'Delete a payment instrument',
    request: z.object({ params }),
    errors: CHANGED,
    handle: async ({ params: { token } }, { caller }) => shaped(await needs.deletePaymentInstrument(token, caller), answerAt(caller)),
  }),
];
