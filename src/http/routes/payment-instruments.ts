// /payment-instruments: a merchant's backend reads, vaults and deletes its customers' instruments (contract §5).
import { z } from 'zod';
import type { Caller, Completed } from '../../commands/caller.ts';
import { identifier } from '../../commands/fields/text.ts';
import type { InstrumentView } from '../../commands/instruments/instrument-view.ts';
import { VaultInstrument } from '../../commands/instruments/vault-instrument.ts';
import {
  PaymentInstrumentAnswer,
  PaymentInstrumentListAnswer,
  paymentInstrumentAnswer,
  walletAnswers,
} from '../answers/payment-instrument.ts';
import type { ErrorId } from '../errors.ts';
import { listed, type Paging, paging } from '../list.ts';
import { found, OWN, type Route, route, shaped } from '../route.ts';
import type { RouteParts } from './parts.ts';

const common = { tag: 'Payment instruments', answer: PaymentInstrumentAnswer } as const;
const writes = { ...common, method: 'POST', scope: 'payment_instrument:write' } as const;
const params = z.object({ token: z.string().regex(/^pm_[0-9A-Za-z]{1,64}$/) });
const answerAt =
  ({ at }: Caller) =>
  ({ id, doc }: Completed<InstrumentView>): PaymentInstrumentAnswer =>
    paymentInstrumentAnswer(id, doc, at);
const CHANGED: readonly ErrorId[] = [
  'InvalidPaymentInstrumentToken',
  'Conflict',
  'IdempotencyKeyReused',
  'IdempotencyKeyInProgress',
];

const TokenPlace = z.strictObject({ token: z.string() });
/** Without a limit: nearly every customer's, whole. */
const WALLET_LIMIT = 100;

/** A page of a customer's instruments, in the order of their vaulting. */
export const pageOfWallet = (
  { readWallet }: RouteParts['queries'],
  accountId: string,
  { customer_id: customerId, limit = WALLET_LIMIT, cursor }: { readonly customer_id: string } & z.output<typeof Paging>,
) =>
  listed(
    { limit, cursor },
    {
      list: 'customer-instruments',
      accountId,
      filters: { customerId },
      place: TokenPlace,
      async read(size, after) {
        const all = walletAnswers(await readWallet(accountId, customerId), after?.token);
        const rows = all.slice(0, size);
        const last = all.length > size ? rows.at(-1) : undefined;
        return { rows, next: last && { token: last.token } };
      },
      itemsOf: (rows) => rows,
      placeOf: ({ token }) => ({ token }),
    },
  );

/**
 * Twice: for API keys, and for the dashboard. As of `at`, ms: an instrument expires without an event, so that counts as
 * one in its ETag.
 */
export const instrumentRoute = (
  { queries }: RouteParts,
  { prefix, ...access }: Pick<Route, 'scope'> & { readonly prefix: string },
): Route =>
  route({
    ...common,
    ...access,
    method: 'GET',
    path: `${prefix}/payment-instruments/:token`,
    id: 'getPaymentInstrument',
    isByRevision: true,
    example: { on: 'card' },
    summary: 'Read a payment instrument, even a deleted one',
    request: z.object({ params }),
    async handle({ params: { token } }, { caller: { accountId, at } }) {
      const read = await queries.readPaymentInstrument(token, accountId);
      if ('kind' in read) return read;
      const body = paymentInstrumentAnswer(token, read.doc, at);
      return found(body, read.revision + Number(body.expired));
    },
  });

export const paymentInstrumentRoutes = (parts: RouteParts): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    path: '/payment-instruments',
    scope: 'payment_instrument:read',
    id: 'listPaymentInstruments',
    example: { on: 'vaulted card', query: { customer_id: OWN } },
    summary: "List a customer's vaulted instruments",
    request: z.object({
      query: z.strictObject({
        customer_id: identifier.meta({ description: 'The customer whose instruments are listed.' }),
        ...paging,
      }),
    }),
    answer: PaymentInstrumentListAnswer,
    errors: ['InvalidCursor'],
    handle: ({ query }, { caller }) => pageOfWallet(parts.queries, caller.accountId, query),
  }),
  instrumentRoute(parts, { prefix: '', scope: 'payment_instrument:read' }),
  route({
    ...writes,
    path: '/payment-instruments/:token/vault',
    id: 'vaultPaymentInstrument',
    example: { on: 'card', body: { customerId: 'customer-1', description: 'the blue card' } },
    summary: 'Vault an instrument for a customer',
    request: z.object({ params, body: VaultInstrument }),
    errors: ['PaymentInstrumentVaultedElsewhere', 'OperationNotSupported', ...CHANGED],
    handle: async ({ params: { token }, body }, { caller }) =>
      shaped(await parts.instruments.vaultInstrument(token, body, caller), answerAt(caller)),
  }),
  route({
    ...writes,
    path: '/payment-instruments/:token/default',
    id: 'makePaymentInstrumentDefault',
    example: { on: 'vaulted card', body: {} },
    summary: "Make a vaulted instrument the customer's default",
    request: z.object({ params }),
    errors: CHANGED,
    handle: async ({ params: { token } }, { caller }) =>
      shaped(await parts.instruments.makeInstrumentDefault(token, caller), answerAt(caller)),
  }),
  route({
    ...writes,
    method: 'DELETE',
    path: '/payment-instruments/:token',
    id: 'deletePaymentInstrument',
    example: { on: 'card' },
    summary: 'Delete a payment instrument',
    request: z.object({ params }),
    errors: CHANGED,
    handle: async ({ params: { token } }, { caller }) =>
      shaped(await parts.instruments.deletePaymentInstrument(token, caller), answerAt(caller)),
  }),
];
