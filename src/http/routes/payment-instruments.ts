// /payment-instruments: a merchant's backend reads, vaults and deletes its customers' instruments (contract §5).
import { z } from 'zod';
import type { Caller, Completed } from '../../commands/caller.ts';
import { identifier } from '../../commands/fields/text.ts';
import type { InstrumentView } from '../../commands/instruments/instrument-view.ts';
import type { Instruments } from '../../commands/instruments/instruments.ts';
import { VaultInstrument } from '../../commands/instruments/vault-instrument.ts';
import type { Queries } from '../../queries/queries.ts';
import { page } from '../answer-size.ts';
import {
  PaymentInstrumentAnswer,
  PaymentInstrumentListAnswer,
  paymentInstrumentAnswer,
  walletAnswers,
} from '../answers/payment-instrument.ts';
import { bindingOf, CursorText, readCursor, writeCursor } from '../cursor.ts';
import type { ErrorId, Refusal } from '../errors.ts';
import { found, OWN, type Reply, type Route, route, shaped } from '../route.ts';
import { PageSize } from './payment-filter.ts';

const tag = 'Payment instruments';
const answer = PaymentInstrumentAnswer;
export const params = z.object({ token: z.string().regex(/^pm_[0-9A-Za-z]{1,64}$/) });
const answerAt =
  ({ at }: Caller) =>
  ({ id, doc }: Completed<InstrumentView>): PaymentInstrumentAnswer =>
    paymentInstrumentAnswer(id, doc, at);
/** As of `at`, ms: an instrument expires without an event, so that counts as one in its ETag. */
export function instrumentReply(
  token: string,
  { doc, revision }: { readonly doc: InstrumentView; readonly revision: number },
  at: number,
): Reply<PaymentInstrumentAnswer> {
  const body = paymentInstrumentAnswer(token, doc, at);
  return found(body, revision + Number(body.expired));
}
const CHANGED: readonly ErrorId[] = [
  'InvalidPaymentInstrumentToken',
  'Conflict',
  'IdempotencyKeyReused',
  'IdempotencyKeyInProgress',
];

type PaymentInstrumentRouteNeeds = Pick<
  Instruments,
  'vaultInstrument' | 'makeInstrumentDefault' | 'deletePaymentInstrument'
> &
  Pick<Queries, 'readPaymentInstrument' | 'readWallet'>;

const TokenPlace = z.strictObject({ token: z.string() });
/** Without a limit: nearly every customer's, whole. */
const WALLET_LIMIT = 100;

/** A page of a customer's instruments, in the order of their vaulting. */
export async function pageOfWallet(
  { readWallet }: Pick<Queries, 'readWallet'>,
  accountId: string,
  {
    customer_id: customerId,
    limit,
    cursor,
  }: { readonly customer_id: string; readonly limit?: number | undefined; readonly cursor?: string | undefined },
): Promise<Reply<z.infer<typeof PaymentInstrumentListAnswer>> | Refusal> {
  const binding = bindingOf('customer-instruments', accountId, { customerId });
  const after = cursor === undefined ? undefined : readCursor(cursor, binding, TokenPlace);
  if (after !== undefined && 'kind' in after) return after;
  const all = walletAnswers(await readWallet(accountId, customerId), after?.place.token);
  return page(
    all.slice(0, limit ?? WALLET_LIMIT),
    (one) => one,
    (shown) => (shown === all.length ? {} : { nextCursor: writeCursor(binding, { token: all[shown - 1]?.token }) }),
  );
}

export const paymentInstrumentRoutes = (needs: PaymentInstrumentRouteNeeds): readonly Route[] => [
  route({
    tag,
    method: 'GET',
    path: '/payment-instruments',
    scope: 'payment_instrument:read',
    id: 'listPaymentInstruments',
    example: { on: 'vaulted card', query: { customer_id: OWN } },
    summary: "List a customer's vaulted instruments",
    request: z.object({
      query: z.strictObject({
        customer_id: identifier.meta({ description: 'The customer whose instruments are listed.' }),
        limit: PageSize,
        cursor: CursorText.optional(),
      }),
    }),
    answer: PaymentInstrumentListAnswer,
    errors: ['InvalidCursor'],
    handle: ({ query }, { caller }) => pageOfWallet(needs, caller.accountId, query),
  }),
  route({
    tag,
    answer,
    method: 'GET',
    path: '/payment-instruments/:token',
    scope: 'payment_instrument:read',
    id: 'getPaymentInstrument',
    isByRevision: true,
    example: { on: 'card' },
    summary: 'Read a payment instrument, even a deleted one',
    request: z.object({ params }),
    async handle({ params: { token } }, { caller }) {
      const read = await needs.readPaymentInstrument(token, caller.accountId);
      return 'kind' in read ? read : instrumentReply(token, read, caller.at);
    },
  }),
  route({
    tag,
    answer,
    method: 'POST',
    path: '/payment-instruments/:token/vault',
    scope: 'payment_instrument:write',
    id: 'vaultPaymentInstrument',
    example: { on: 'card', body: { customerId: 'customer-1', description: 'the blue card' } },
    summary: 'Vault an instrument for a customer',
    request: z.object({ params, body: VaultInstrument }),
    errors: ['PaymentInstrumentVaultedElsewhere', 'OperationNotSupported', ...CHANGED],
    handle: async ({ params: { token }, body }, { caller }) =>
      shaped(await needs.vaultInstrument(token, body, caller), answerAt(caller)),
  }),
  route({
    tag,
    answer,
    method: 'POST',
    path: '/payment-instruments/:token/default',
    scope: 'payment_instrument:write',
    id: 'makePaymentInstrumentDefault',
    example: { on: 'vaulted card', body: {} },
    summary: "Make a vaulted instrument the customer's default",
    request: z.object({ params }),
    errors: CHANGED,
    handle: async ({ params: { token } }, { caller }) =>
      shaped(await needs.makeInstrumentDefault(token, caller), answerAt(caller)),
  }),
  route({
    tag,
    answer,
    method: 'DELETE',
    path: '/payment-instruments/:token',
    scope: 'payment_instrument:write',
    id: 'deletePaymentInstrument',
    example: { on: 'card' },
    summary: 'Delete a payment instrument',
    request: z.object({ params }),
    errors: CHANGED,
    handle: async ({ params: { token } }, { caller }) =>
      shaped(await needs.deletePaymentInstrument(token, caller), answerAt(caller)),
  }),
];
