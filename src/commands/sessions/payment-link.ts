// Payment links: sessions whose payment a page of ours takes, by a URL with a secret (contract §3, "Payment links").
import type { z } from 'zod';
import { cancelLink, createLink, LINK_AMOUNT } from '../../domain/client-session/decide.ts';
import { type ClientSession, isExpired, type OpenSession } from '../../domain/client-session/state.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import { orderAmount } from '../../domain/order-amount.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { isKnown, isOver } from '../../domain/payment/queries.ts';
import { isSameBytes, type StoreKey } from '../../secrets.ts';
import { bind } from '../bind.ts';
import { type Answer, type Caller, completed } from '../caller.ts';
import { refuseCaptureMode } from '../capture-scope.ts';
import { leftBy, transactFor } from '../effect.ts';
import { CurrencyCode } from '../fields/currency.ts';
import { moment } from '../fields/moment.ts';
import { CreateClientSessionFields, PaymentMethod } from '../fields/session-fields.ts';
import { replayed } from '../idempotency.ts';
import { TOKEN_LIFE_MS } from './client-tokens.ts';
import { inAgreement, onOpenSession, type SessionNeeds } from './sessions.ts';

const DAY_MS = 86_400_000;
const DEFAULT_LIFE_DAYS = 7;
const MOST_LIFE_DAYS = 90;
/** A link that ends sooner could not be sent and paid. */
const LEAST_LIFE_MS = 60_000;

/**
 * The body of POST /payment-links: a session without a customer id, because a link may be passed on, and saved cards
 * are for the customer alone. One for an agreement has the customer of that, and lists no saved card either.
 */
export const CreatePaymentLink = CreateClientSessionFields.omit({ customerId: true, returnUrl: true, agreement: true })
  .extend({
    currencyCode: CurrencyCode,
    paymentMethod: PaymentMethod.omit({ vaultOnSuccess: true, paymentType: true }).optional(),
    expiresAt: moment()
      .optional()
      .meta({
        description: `When the link no longer takes a payment: RFC 3339, at most ${MOST_LIFE_DAYS} days from now; ${DEFAULT_LIFE_DAYS} days without it.`,
      }),
  })
  .refine(({ amount, order }) => (amount ?? orderAmount(order) ?? 0) >= 1, {
    error: LINK_AMOUNT,
    path: ['amount'],
  })
  .meta({ id: 'CreatePaymentLink' });

export const linkStatuses = ['OPEN', 'PROCESSING', 'PAID', 'EXPIRED', 'CANCELLED'] as const;
export type LinkStatus = (typeof linkStatuses)[number];

export const LINK_STATUS_WORDS: { readonly [S in LinkStatus]: string } = {
  OPEN: 'The link can be paid.',
  PROCESSING: 'A payment has begun; its outcome is unknown, or its customer has to act.',
  PAID: 'The payment is authorized or captured.',
  EXPIRED: 'The time of the link is over.',
  CANCELLED: 'The link was cancelled.',
};

/**
 * The state of a link's session at `at` (ms). `payment`: the payment that holds the session, where it was created.
 * PROCESSING: its outcome is not known yet, or its customer has to act.
 */
export function linkStatus(session: OpenSession, payment: Payment | undefined, at: number): LinkStatus {
  if (session.link?.cancelledAt !== undefined) return 'CANCELLED';
  if (session.payment !== undefined && (payment === undefined || !isOver(payment)))
    return payment !== undefined && isKnown(payment) && payment.status !== 'PENDING' ? 'PAID' : 'PROCESSING';
  return isExpired(session, at) ? 'EXPIRED' : 'OPEN';
}

interface LinkNeeds extends SessionNeeds {
  readonly storeKey: Pick<StoreKey, 'name'>;
  /** Without a slash at its end. */
  readonly publicUrl: () => string;
}

export type PaymentLinks = ReturnType<typeof makePaymentLinks>;

export const makePaymentLinks = (needs: LinkNeeds) =>
  bind(needs, { createPaymentLink, cancelPaymentLink, openPaymentLink, paymentLinkUrl });

/** 128 bits that only this store can compute, so that the URL can be shown again and no store holds it. */
const secretOf = ({ storeKey }: Pick<LinkNeeds, 'storeKey'>, id: string): string => storeKey.name('payment-link', id);

/** The secret is in the fragment, which browsers send to no server: no log of ours or of a proxy has it. */
const paymentLinkUrl = (needs: Pick<LinkNeeds, 'storeKey' | 'publicUrl'>, id: string): string =>
  `${needs.publicUrl()}/pay/${id}#${secretOf(needs, id)}`;

/** Rejections: InsufficientScope, RequestValidationError, InvalidAgreementStatus, those of an idempotency key. */
async function createPaymentLink(
  needs: LinkNeeds,
  { expiresAt: wanted, ...fields }: z.output<typeof CreatePaymentLink>,
  caller: Caller,
): Promise<Answer<ClientSession>> {
  const { accountId, at } = caller;
  const refused = refuseCaptureMode(fields.paymentMethod, caller);
  if (refused !== undefined) return refused;
  const ofAgreement = await inAgreement(needs, fields, accountId);
  if ('kind' in ofAgreement) return ofAgreement;
  const { customerId, isOver } = ofAgreement;
  const expiresAt = wanted ?? at + DEFAULT_LIFE_DAYS * DAY_MS;
  const { sessions } = needs;
  using operation = await needs.idempotency.open(caller, 'create-payment-link');
  const begun = await operation.begin({ streams: sessions, resource: { prefix: 'cs' }, appendsOnce: true });
  if (begun.kind === 'rejected') return begun;
  const { resourceId: id } = begun;
  if (begun.kind === 'repeated') return replayed(completed(id, await sessions.at(id, begun.revision)));
  const isLate = refuseExpiry(expiresAt, at) ?? isOver;
  if (isLate !== undefined) return operation.end(begun, isLate, 'nothing');
  const whole = { orderId: id, ...fields, ...(customerId !== undefined && { customerId }) };
  const creation = { accountId, fields: whole, createdAt: at, expiresAt };
  const made = await transactFor(begun, sessions, createLink(creation));
  if (made.kind === 'rejected') return operation.end(begun, made, 'nothing');
  return operation.end(begun, completed(id, await leftBy(sessions, id, made)), 'appended');
}

function refuseExpiry(expiresAt: number, at: number): Rejection | undefined {
  if (expiresAt >= at + LEAST_LIFE_MS && expiresAt <= at + MOST_LIFE_DAYS * DAY_MS) return undefined;
  const description = `Must be at least a minute and at most ${MOST_LIFE_DAYS} days from now.`;
  return reject('RequestValidationError', 'The request is not valid.', {
    violations: [{ path: '$.expiresAt', description }],
  });
}

/** Rejections: NotFound, ClientSessionCompleted with the payment's id, those of an idempotency key. */
async function cancelPaymentLink(needs: LinkNeeds, id: string, caller: Caller): Promise<Answer<ClientSession>> {
  const { sessions } = needs;
  const { state } = await sessions.current(id);
  if (state.status === 'absent' || state.accountId !== caller.accountId || state.link === undefined) return noLink();
  using operation = await needs.idempotency.open(caller, 'cancel-payment-link');
  const begun = await operation.begin({ streams: sessions, resource: { id }, appendsOnce: true });
  if (begun.kind === 'rejected') return begun;
  if (begun.kind === 'repeated') return replayed(completed(id, await sessions.at(id, begun.revision)));
  const done = await onOpenSession(needs, begun, cancelLink(caller.at));
  if (done.kind === 'rejected') return operation.end(begun, done, 'nothing');
  const answer = completed(id, await leftBy(sessions, id, done));
  return operation.end(begun, answer, done.kind === 'unchanged' ? 'nothing' : 'appended');
}

interface OpenedLink {
  readonly kind: 'opened';
  readonly session: OpenSession;
  /** For a checkout of the session; it pays nothing once the link has ended. */
  readonly clientToken: string;
}

/**
 * The session of a link for who has its secret, with a client token that is on no record: opening a link changes
 * nothing, however often. NotFound for every other id and secret, alike.
 */
async function openPaymentLink(
  needs: LinkNeeds,
  id: string,
  secret: string,
  at: number,
): Promise<OpenedLink | Rejection> {
  if (!isSameBytes(Buffer.from(secretOf(needs, id)), Buffer.from(secret))) return noLink();
  const { state } = await needs.sessions.current(id);
  if (state.status === 'absent' || state.link === undefined) return noLink();
  const claims = { sessionId: id, accountId: state.accountId, issuedAt: at, expiresAt: at + TOKEN_LIFE_MS };
  return { kind: 'opened', session: state, clientToken: needs.tokens.issue(claims) };
}

const noLink = (): Rejection => reject('NotFound', 'There is no such resource.');
