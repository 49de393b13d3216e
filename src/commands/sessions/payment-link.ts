// Payment links: sessions whose payment a page of ours takes, by a URL with a secret (contract §3, "Payment links").
import type { z } from 'zod';
import { cancelLink, createLink, LINK_AMOUNT } from '../../domain/client-session/decide.ts';
import { type ClientSession, isExpired, type OpenSession } from '../../domain/client-session/state.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import { orderAmount } from '../../domain/order-amount.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { isKnown, isOver } from '../../domain/payment/queries.ts';
import { isSameBytes, type StoreKey } from '../../secrets.ts';
import { type Answer, type Caller, completed } from '../caller.ts';
import { refuseCaptureMode } from '../capture-scope.ts';
import { leftBy, transactFor } from '../effect.ts';
import { CurrencyCode } from '../fields/currency.ts';
import { moment } from '../fields/moment.ts';
import { CreateClientSessionFields, PaymentMethod } from '../fields/session-fields.ts';
import type { SessionNeeds } from './needs.ts';
import { TOKEN_LIFE_MS } from './token-claims.ts';

const DAY_MS = 86_400_000;
const DEFAULT_LIFE_DAYS = 7;
const MOST_LIFE_DAYS = 90;
/** A link that ends sooner could not be sent and paid. */
const LEAST_LIFE_MS = 60_000;

/**
 * The body of POST /payment-links: a session without a customer id, because a link may be passed on, and saved cards
 * are for the customer alone.
 */
export const CreatePaymentLink = CreateClientSessionFields.omit({ customerId: true, returnUrl: true })
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

export interface LinkNeeds extends SessionNeeds {
  readonly storeKey: Pick<StoreKey, 'name'>;
  /** Without a slash at its end. */
  readonly publicUrl: () => string;
}

/** 128 bits that only this store can compute, so that the URL can be shown again and no store holds it. */
const secretOf = ({ storeKey }: Pick<LinkNeeds, 'storeKey'>, id: string): string => storeKey.name('payment-link', id);

/** The secret is in the fragment, which browsers send to no server: no log of ours or of a proxy has it. */
export const paymentLinkUrl =
  (needs: Pick<LinkNeeds, 'storeKey' | 'publicUrl'>) =>
  (id: string): string =>
    `${needs.publicUrl()}/pay/${id}#${secretOf(needs, id)}`;

/** Rejections: InsufficientScope, RequestValidationError, those of an idempotency key. */
export const createPaymentLink =
  (needs: LinkNeeds) =>
  async (
    { expiresAt: wanted, ...fields }: z.output<typeof CreatePaymentLink>,
    caller: Caller,
  ): Promise<Answer<ClientSession>> => {
    const { accountId, at } = caller;
    const expiresAt = wanted ?? at + DEFAULT_LIFE_DAYS * DAY_MS;
    return (
      refuseCaptureMode(fields.paymentMethod, caller) ??
      needs.idempotency.once(caller, {
        name: 'create-payment-link',
        target: needs.sessions,
        resource: { prefix: 'cs' },
        appendsOnce: true,
        async work(effect) {
          const refused = refuseExpiry(expiresAt, at);
          if (refused !== undefined) return { answer: refused, appended: false };
          const { resourceId } = effect;
          const creation = { accountId, fields: { orderId: resourceId, ...fields }, createdAt: at, expiresAt };
          const made = await transactFor(effect, needs.sessions, createLink(creation));
          if (made.kind === 'rejected') return { answer: made, appended: false };
          return { answer: completed(resourceId, await leftBy(needs.sessions, resourceId, made)), appended: true };
        },
        replay: async ({ resourceId }, revision) =>
          completed(resourceId, await needs.sessions.at(resourceId, revision)),
      })
    );
  };

function refuseExpiry(expiresAt: number, at: number): Rejection | undefined {
  if (expiresAt >= at + LEAST_LIFE_MS && expiresAt <= at + MOST_LIFE_DAYS * DAY_MS) return undefined;
  const description = `Must be at least a minute and at most ${MOST_LIFE_DAYS} days from now.`;
  return reject('RequestValidationError', 'The request is not valid.', {
    violations: [{ path: '$.expiresAt', description }],
  });
}

/** Rejections: NotFound, ClientSessionCompleted with the payment's id, those of an idempotency key. */
export const cancelPaymentLink =
  (needs: LinkNeeds) =>
  async (id: string, caller: Caller): Promise<Answer<ClientSession>> => {
    const { state } = await needs.sessions.current(id);
    if (state.status === 'absent' || state.accountId !== caller.accountId || state.link === undefined) return noLink();
    return needs.idempotency.once(caller, {
      name: 'cancel-payment-link',
      target: needs.sessions,
      resource: { id },
      appendsOnce: true,
      async work(effect) {
        const decide = cancelLink(caller.at);
        let done = await transactFor(effect, needs.sessions, decide);
        if (
          done.kind === 'rejected' &&
          done.errorId === 'ClientSessionCompleted' &&
          (await needs.displaceSessionClaim(id, effect.context))
        ) {
          done = await transactFor(effect, needs.sessions, decide);
        }
        if (done.kind === 'rejected') return { answer: done, appended: false };
        const answer = completed(id, await leftBy(needs.sessions, id, done));
        return { answer, appended: done.kind !== 'unchanged' };
      },
      replay: async ({ resourceId }, revision) => completed(resourceId, await needs.sessions.at(resourceId, revision)),
    });
  };

export interface OpenedLink {
  readonly kind: 'opened';
  readonly session: OpenSession;
  /** For a checkout of the session; it pays nothing once the link has ended. */
  readonly clientToken: string;
}

/**
 * The session of a link for who has its secret, with a client token that is on no record: opening a link changes
 * nothing, however often. NotFound for every other id and secret, alike.
 */
export const openPaymentLink =
  (needs: LinkNeeds) =>
  async (id: string, secret: string, at: number): Promise<OpenedLink | Rejection> => {
    if (!isSameBytes(Buffer.from(secretOf(needs, id)), Buffer.from(secret))) return noLink();
    const { state } = await needs.sessions.current(id);
    if (state.status === 'absent' || state.link === undefined) return noLink();
    const claims = { sessionId: id, accountId: state.accountId, issuedAt: at, expiresAt: at + TOKEN_LIFE_MS };
    return { kind: 'opened', session: state, clientToken: needs.tokens.issue(claims) };
  };

const noLink = (): Rejection => reject('NotFound', 'There is no such resource.');
