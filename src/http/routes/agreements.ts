// /agreements: what customers agreed to be charged for in their absence, and the charges of periods (contract §14).
import { z } from 'zod';
import {
  AgreementNotice,
  CancelAgreement,
  CreateAgreement,
  PatchAgreement,
  ReplaceAgreementInstrument,
} from '../../commands/agreements/agreements.ts';
import type { Completed } from '../../commands/caller.ts';
import { identifier } from '../../commands/fields/text.ts';
import { ChargeAgreement } from '../../commands/payments/charge-agreement.ts';
import type { Agreement, KnownAgreement } from '../../domain/agreement/state.ts';
import { fewer } from '../answer-size.ts';
import { AgreementAnswer, AgreementListAnswer, AgreementStatusName, agreementAnswer } from '../answers/agreement.ts';
import { AgreementWhyAnswer, agreementWhyAnswer } from '../answers/agreement-why.ts';
import { PaymentAnswer } from '../answers/payment.ts';
import { revisionMatches } from '../checks/headers.ts';
import { CursorText, cursorsOf, listed, pageSizeUpTo, paging, Time } from '../list.ts';
import { SESSION_BODY_BYTES } from '../middleware/body.ts';
import { found, OWN, type Route, route, shaped } from '../route.ts';
import type { RouteParts } from './parts.ts';
import { BEFORE_THE_FIRST, RevisionPlace, WHY_STEPS, WHY_STEPS_AT_FIRST } from './payment-history.ts';
import { NewestPlace, newestPlaceOf } from './payment-links.ts';
import { inTheFuture, KEYED, answerOf as paymentAnswerOf } from './payments.ts';

export const agreementParams = z.object({ id: z.string().regex(/^agr_[0-9A-Za-z]{1,64}$/) });
const params = agreementParams;
const common = { tag: 'Agreements', answer: AgreementAnswer } as const;

/** A command that completed has an agreement. */
function known(agreement: Agreement): KnownAgreement {
  if (agreement.status === 'absent') throw new TypeError('a command completed without an agreement');
  return agreement;
}
const answerOf = ({ id, revision, doc }: Completed<Agreement>): AgreementAnswer =>
  agreementAnswer(id, revision, known(doc));

const NEEDS_PAYMENT = ['InitialPaymentNotUsable', 'PaymentOperationInProgress'] as const;

interface AgreementAccess {
  /** '' or '/dashboard/api'. */
  readonly prefix: string;
  readonly reads: Route['scope'];
  readonly changes: Route['scope'];
}
const OF_KEYS: AgreementAccess = { prefix: '', reads: 'transactions:retrieve', changes: 'transactions:cancel' };

export const agreementRoutes = (parts: RouteParts): readonly Route[] => [
  create(parts),
  ...agreementReads(parts, OF_KEYS),
  why(parts),
  patch(parts),
  charge(parts),
  notices(parts),
  ...agreementChanges(parts, OF_KEYS),
  replaceInstrument(parts),
];

/** Twice, as the changes: for API keys, and for the dashboard, each with its own access. */
export const agreementReads = (parts: RouteParts, access: AgreementAccess): readonly Route[] => [
  list(parts, access),
  readOne(parts, access),
];

const create = ({ agreements }: RouteParts): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/agreements',
    scope: 'transactions:authorize',
    id: 'createAgreement',
    example: {
      on: 'first payment',
      body: {
        paymentId: OWN,
        kind: 'RECURRING',
        terms: {
          amountRule: 'EXACT',
          amount: 1_900,
          currencyCode: 'EUR',
          frequency: 'MONTH',
          description: 'The magazine, each month',
        },
        consent: {
          acceptedAt: '2026-01-31T12:00:00Z',
          channel: 'ONLINE',
          textDigest: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
        },
      },
    },
    summary: 'Create an agreement from a payment that its customer made',
    request: z.object({ body: CreateAgreement }),
    mostBodyBytes: SESSION_BODY_BYTES,
    errors: ['NotFound', 'MetadataContainsEmptyKey', ...NEEDS_PAYMENT, ...KEYED],
    handle: async ({ body }, { caller }) => shaped(await agreements.createAgreement(body, caller), answerOf),
  });

const list = ({ queries }: RouteParts, { prefix, reads }: AgreementAccess): Route =>
  route({
    ...common,
    method: 'GET',
    path: `${prefix}/agreements`,
    scope: reads,
    id: 'listAgreements',
    example: {},
    summary: 'List agreements, newest first',
    request: z.object({
      query: z.strictObject({
        customer_id: identifier.optional(),
        status: AgreementStatusName.optional(),
        ...paging,
      }),
    }),
    answer: AgreementListAnswer,
    errors: ['InvalidCursor'],
    handle: ({ query: { customer_id: customerId, status, ...page } }, { caller: { accountId } }) =>
      listed(page, {
        list: 'agreements',
        accountId,
        filters: { customerId, status },
        place: NewestPlace,
        read: (size, after) => queries.listAgreements(accountId, { customerId, status }, size, after),
        itemsOf: (rows) => rows.map(({ id, revision, doc }) => agreementAnswer(id, revision, doc)),
        placeOf: newestPlaceOf,
      }),
  });

const readOne = ({ queries }: RouteParts, { prefix, reads }: AgreementAccess): Route =>
  route({
    ...common,
    method: 'GET',
    path: `${prefix}/agreements/:id`,
    scope: reads,
    id: 'getAgreement',
    isByRevision: true,
    example: { on: 'agreement' },
    long: { with: 'at' },
    summary: 'Read an agreement as it is, or as recorded at a past time',
    request: z.object({ params, query: z.strictObject({ at: Time.optional() }) }),
    async handle({ params: { id }, query: { at } }, { caller }) {
      const { accountId } = caller;
      if (at !== undefined && at > caller.at) return inTheFuture();
      const read =
        at === undefined
          ? await queries.readAgreement(id, accountId)
          : await queries.readAgreementAt(id, accountId, at);
      return 'kind' in read ? read : found(agreementAnswer(id, read.revision, read.doc), read.revision);
    },
  });

const why = ({ queries }: RouteParts): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/agreements/:id/why',
    scope: 'transactions:retrieve',
    id: 'explainAgreement',
    example: { on: 'agreement', query: { limit: '1' } },
    long: true,
    summary: 'Explain the state of an agreement: the chain of requests, charges and decisions, and what is next',
    request: z.object({
      params,
      query: z.strictObject({ limit: pageSizeUpTo(WHY_STEPS), cursor: CursorText.optional() }),
    }),
    answer: AgreementWhyAnswer,
    errors: ['InvalidCursor'],
    async handle({ params: { id }, query: { limit = WHY_STEPS_AT_FIRST, cursor } }, { caller: { accountId, at } }) {
      const cursors = cursorsOf({ list: 'agreement-why', accountId, filters: { id } }, RevisionPlace);
      const after = cursors.after(cursor);
      if ('kind' in after) return after;
      const { revision } = after.place ?? BEFORE_THE_FIRST;
      return fewer(limit, async (steps) => {
        const read = await queries.readAgreementWhy(id, accountId, revision, steps);
        if ('kind' in read) return read;
        const { nextCursor } = cursors.next(read.next === undefined ? undefined : { revision: read.next });
        return agreementWhyAnswer(read, at, nextCursor);
      });
    },
  });

const patch = ({ agreements }: RouteParts): Route =>
  route({
    ...common,
    method: 'PATCH',
    path: '/agreements/:id',
    scope: 'transactions:authorize',
    id: 'updateAgreement',
    example: { on: 'agreement', body: { retry: { policy: 'ADVISED' }, metadata: { plan: 'print' } } },
    summary: 'Change the terms, the retry policy or the metadata of an agreement',
    request: z.object({ params, body: PatchAgreement }),
    mostBodyBytes: SESSION_BODY_BYTES,
    errors: [
      'InvalidAgreementStatus',
      'OutsideAgreementTerms',
      'PreconditionFailed',
      'MetadataContainsEmptyKey',
      ...KEYED,
    ],
    handle: async ({ params: { id }, body }, { caller, ifMatch }) =>
      shaped(await agreements.changeAgreement(id, body, caller, revisionMatches(ifMatch)), answerOf),
  });

const notices = ({ agreements }: RouteParts): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/agreements/:id/notices',
    scope: 'transactions:authorize',
    id: 'recordAgreementNotice',
    example: {
      on: 'agreement',
      body: { kind: 'PRE_NOTIFICATION', sentAt: '2026-01-31T12:00:00Z', channel: 'EMAIL', dueOn: '2026-12-01' },
    },
    summary: 'Put on record that you told the customer of a charge, or of other terms',
    request: z.object({ params, body: AgreementNotice }),
    errors: ['InvalidAgreementStatus', ...KEYED],
    handle: async ({ params: { id }, body }, { caller }) =>
      shaped(await agreements.recordNotice(id, body, caller), answerOf),
  });

const charge = ({ payments }: RouteParts): Route =>
  route({
    ...common,
    accepts: true,
    method: 'POST',
    path: '/agreements/:id/charges',
    scope: 'transactions:authorize',
    id: 'chargeAgreement',
    example: {
      on: 'agreement',
      body: { periodKey: '2026-12', orderId: 'subscription-17-2026-12', captureMode: 'MANUAL' },
    },
    summary: 'Charge a period of an agreement, once for ever',
    request: z.object({ params, body: ChargeAgreement }),
    answer: PaymentAnswer,
    mostBodyBytes: SESSION_BODY_BYTES,
    errors: [
      'InvalidAgreementStatus',
      'RetryNotAllowed',
      'OutsideAgreementTerms',
      'PeriodKeyReused',
      'InvalidPaymentInstrumentToken',
      'MetadataContainsEmptyKey',
      ...KEYED,
    ],
    handle: async ({ params: { id }, body }, { caller }) =>
      shaped(await payments.chargeAgreement(id, body, caller), paymentAnswerOf),
  });

export const agreementChanges = (
  { agreements }: RouteParts,
  { prefix, changes }: AgreementAccess,
): readonly Route[] => [
  route({
    ...common,
    method: 'POST',
    path: `${prefix}/agreements/:id/pause`,
    scope: changes,
    id: 'pauseAgreement',
    example: { on: 'agreement', body: {} },
    summary: 'Pause an agreement; a charge that has begun goes on',
    request: z.object({ params }),
    errors: ['InvalidAgreementStatus', ...KEYED],
    handle: async ({ params: { id } }, { caller }) => shaped(await agreements.pauseAgreement(id, caller), answerOf),
  }),
  route({
    ...common,
    method: 'POST',
    path: `${prefix}/agreements/:id/resume`,
    scope: changes,
    id: 'resumeAgreement',
    example: { on: 'paused agreement', body: {} },
    summary: 'Resume a paused agreement',
    request: z.object({ params }),
    errors: ['InvalidAgreementStatus', ...KEYED],
    handle: async ({ params: { id } }, { caller }) => shaped(await agreements.resumeAgreement(id, caller), answerOf),
  }),
  route({
    ...common,
    method: 'POST',
    path: `${prefix}/agreements/:id/cancel`,
    scope: changes,
    id: 'cancelAgreement',
    example: { on: 'agreement', body: { reason: 'the customer has moved' } },
    summary: 'Cancel an agreement for good; a charge that has begun goes on',
    request: z.object({ params, body: CancelAgreement }),
    errors: ['InvalidAgreementStatus', ...KEYED],
    handle: async ({ params: { id }, body }, { caller }) =>
      shaped(await agreements.cancelAgreement(id, body, caller), answerOf),
  }),
];

const replaceInstrument = ({ agreements }: RouteParts): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/agreements/:id/instrument',
    scope: 'payment_instrument:write',
    id: 'replaceAgreementInstrument',
    example: { on: 'agreement', body: { paymentId: OWN } },
    summary: 'Charge another payment method, with which the customer has paid',
    request: z.object({ params, body: ReplaceAgreementInstrument }),
    errors: ['InvalidAgreementStatus', ...NEEDS_PAYMENT, ...KEYED],
    handle: async ({ params: { id }, body }, { caller }) =>
      shaped(await agreements.replaceAgreementInstrument(id, body, caller), answerOf),
  });
