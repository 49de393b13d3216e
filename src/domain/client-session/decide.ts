// Decisions on a client session; its stream owns that it carries at most one live payment (contract §3).
import { accept, type Decision, type Rejection, reject, type Violation } from '../decider.ts';
import { sameJson } from '../json.ts';
import type { ClientSessionEvent, SessionAgreed, SessionCreated } from './events.ts';
import { areTooLarge, tooLarge } from './fields-json.ts';
import { assertFields, keptFields, patched, type SessionPatch } from './patch.ts';
import { amountOf, captureScopeMissing, capturesByItself, isMerchantInitiated } from './queries.ts';
import { SessionFields } from './recorded-fields.ts';
import { type ClientSession, expiryDueAt, isExpired, type OpenSession } from './state.ts';

type SessionDecision = Decision<ClientSessionEvent>;

export const LINK_AMOUNT = 'Required, at least 1, here or as the total of the order.';

/** A session expires 30 days after its newest token did (contract §3: until then a new one is given for the old). */
export const RENEWABLE_MS = 30 * 86_400_000;

/** Until when a token that expires then is good, and until when it can be renewed, ms. */
const expiryOf = (tokenExpiresAt: number) => ({ tokenExpiresAt, sessionExpiresAt: tokenExpiresAt + RENEWABLE_MS });

/**
 * Makes it, with its first token; again: nothing. The fields have passed CreateClientSessionFields.
 * RequestValidationError where they are too large.
 */
export const createSession =
  ({ tokenExpiresAt, fields, ...made }: Omit<SessionCreated, 'sessionExpiresAt'>) =>
  (session: ClientSession): SessionDecision => {
    if (session.status !== 'absent') return accept();
    const kept = keptFields(fields);
    if (areTooLarge(kept)) return tooLarge('client session');
    return (
      refuseForAgreement(kept) ??
      accept({ type: 'ClientSessionCreated', data: { ...made, ...expiryOf(tokenExpiresAt), fields: kept } })
    );
  };

/**
 * Makes the session of a payment link, which ends at `expiresAt` (ms); again: nothing. RequestValidationError where the
 * fields are too large.
 */
export const createLink =
  ({
    expiresAt,
    fields,
    ...made
  }: Omit<SessionCreated, 'tokenExpiresAt' | 'sessionExpiresAt'> & { readonly expiresAt: number }) =>
  (session: ClientSession): SessionDecision => {
    if (session.status !== 'absent') return accept();
    const kept = keptFields(fields);
    if (areTooLarge(kept)) return tooLarge('payment link');
    const expiry = { tokenExpiresAt: expiresAt, sessionExpiresAt: expiresAt };
    return accept(
      { type: 'ClientSessionCreated', data: { ...made, ...expiry, fields: kept } },
      { type: 'PaymentLinkCreated', data: { expiresAt } },
    );
  };

/**
 * Ends a payment link; nothing where it has ended. NotFound for a session that is not a link's; ClientSessionCompleted
 * while a payment holds it.
 */
export const cancelLink =
  (at: number) =>
  (session: ClientSession): SessionDecision => {
    if (session.status === 'absent' || session.link === undefined)
      return reject('NotFound', 'There is no such resource.');
    if (session.payment !== undefined) return completed(session.payment.paymentId);
    return isExpired(session, at) ? accept() : accept({ type: 'PaymentLinkCancelled', data: { cancelledAt: at } });
  };

/**
 * What a session with an agreement cannot be: the payment method is kept for the customer, who is there (contract §14).
 */
function refuseForAgreement({ agreement, agreementId, customerId, paymentMethod = {} }: SessionFields) {
  if (agreement === undefined && agreementId === undefined) return undefined;
  const violations: Violation[] = [];
  const broken = (path: string, description: string): void => void violations.push({ path, description });
  if (agreement !== undefined && agreementId !== undefined)
    broken('$.agreementId', 'Must be absent next to an agreement.');
  if (customerId === undefined) broken('$.customerId', 'Required for an agreement.');
  if (paymentMethod.vaultOnSuccess === false)
    broken('$.paymentMethod.vaultOnSuccess', 'Must not be false for an agreement: its payment method is kept.');
  if (isMerchantInitiated(paymentMethod.paymentType))
    broken('$.paymentMethod.paymentType', 'Must be FIRST_PAYMENT or ECOMMERCE for an agreement.');
  return violations.length === 0
    ? undefined
    : reject('RequestValidationError', 'The request is not valid.', { violations });
}

/** What stands once the customer has agreed, or an agreement is named: it was said of this customer. */
function refuseAgreed(patch: SessionPatch, { fields, agreed }: OpenSession): Rejection | undefined {
  const fixed: readonly string[] = [
    ...(agreed === undefined ? [] : ['agreement', 'customerId']),
    ...(fields.agreementId === undefined ? [] : ['agreementId', 'customerId']),
  ];
  const sent: Readonly<Record<string, unknown>> = patch;
  const kept: Readonly<Record<string, unknown>> = fields;
  const violations = [...new Set(fixed)]
    .filter((name) => sent[name] !== undefined && !sameJson(sent[name], kept[name]))
    .map((name) => ({ path: `$.${name}`, description: 'Cannot be changed: the customer has agreed.' }));
  return violations.length === 0
    ? undefined
    : reject('FieldNotUpdatable', 'The customer has agreed to it.', { violations });
}

/** What the customer was shown, and said yes to. */
interface SessionConsent {
  readonly agreed: SessionAgreed;
  readonly shown: Pick<SessionFields, 'agreement' | 'customerId'>;
}

export const termsChanged = (): Rejection =>
  reject('Conflict', 'The terms have changed since they were shown.', { retryAfterSeconds: 1 });

/**
 * Puts on record that the customer has agreed to the session's agreement; again, even in other words: nothing. Conflict
 * where it is not the shown one; ClientSessionCompleted while a payment holds the session.
 */
export const agreeInSession =
  ({ agreed, shown }: SessionConsent) =>
  (session: ClientSession): SessionDecision => {
    if (!isOpen(session, agreed.agreedAt)) return notOpen();
    if (session.agreed !== undefined) return accept();
    if (session.payment !== undefined) return completed(session.payment.paymentId);
    const { agreement, customerId } = session.fields;
    return sameJson(agreement, shown.agreement) && customerId === shown.customerId
      ? accept({ type: 'ClientSessionAgreed', data: agreed })
      : termsChanged();
  };

const isOpen = (session: ClientSession, at: number): session is OpenSession =>
  session.status === 'open' && !isExpired(session, at);

const notOpen = (): SessionDecision =>
  reject('ClientSessionValidationError', 'There is no such client session, or it has expired.');

const completed = (paymentId: string): SessionDecision =>
  reject('ClientSessionCompleted', 'A payment of this client session is in progress or complete.', { paymentId });

interface PatchConditions {
  /** Business time, ms. */
  readonly at: number;
  /** True if the caller will change the session at its revision (If-Match); left out: at any revision. */
  readonly ifMatch?: (revision: number) => boolean;
  /** True if the caller may change what a session with captureMode AUTOMATIC captures. */
  readonly mayCapture: boolean;
}

/**
 * Changes fields; no event if nothing changes. Rejections, in this order: PreconditionFailed,
 * ClientSessionValidationError, ClientSessionCompleted, FieldNotUpdatable, RequestValidationError, InsufficientScope.
 */
export const patchSession =
  (patch: SessionPatch, { at, ifMatch, mayCapture }: PatchConditions) =>
  (session: ClientSession, revision: number): SessionDecision => {
    if (session.status === 'open' && ifMatch?.(revision) === false) {
      return reject('PreconditionFailed', 'The client session has changed since the revision in If-Match.');
    }
    if (!isOpen(session, at)) return notOpen();
    const { fields, payment } = session;
    if (payment !== undefined) return completed(payment.paymentId);
    const fixed = refuseAgreed(patch, session);
    if (fixed !== undefined) return fixed;
    const after = patched(fields, patch);
    if (after.kind === 'rejected') return after;
    const unkept = refuseForAgreement(after.fields);
    if (unkept !== undefined) return unkept;
    const unfit = session.link === undefined ? undefined : refuseForLink(patch, after.fields);
    if (unfit !== undefined) return unfit;
    return changesCapture(fields, after.fields) && !mayCapture ? captureScopeMissing() : updated(fields, after.fields);
  };

/**
 * What POST /payment-links does not take either (contract §3, "Payment links"): a link may be passed on, and its page
 * has no way to another amount.
 */
function refuseForLink({ customerId, returnUrl, agreement, paymentMethod }: SessionPatch, after: SessionFields) {
  const { vaultOnSuccess, paymentType } = paymentMethod ?? {};
  const foreign = {
    customerId,
    returnUrl,
    agreement,
    'paymentMethod.vaultOnSuccess': vaultOnSuccess,
    'paymentMethod.paymentType': paymentType,
  };
  const violations: Violation[] = Object.entries(foreign)
    .filter(([, sent]) => sent !== undefined && sent !== null)
    .map(([name]) => ({ path: `$.${name}`, description: 'Must be absent: a payment link has none.' }));
  if ((amountOf(after) ?? 0) < 1) violations.push({ path: '$.amount', description: LINK_AMOUNT });
  if (after.currencyCode === undefined)
    violations.push({ path: '$.currencyCode', description: 'Required for a payment link.' });
  return violations.length === 0
    ? undefined
    : reject('RequestValidationError', 'The request is not valid.', { violations });
}

/**
 * True if the change lets the session capture a different amount or currency, or capture automatically for the first
 * time.
 */
const changesCapture = (before: SessionFields, after: SessionFields): boolean =>
  capturesByItself(after.paymentMethod) &&
  (!capturesByItself(before.paymentMethod) ||
    amountOf(before) !== amountOf(after) ||
    before.currencyCode !== after.currencyCode);

const FIELDS = SessionFields.keyof().options;

function updated(before: SessionFields, after: SessionFields): SessionDecision {
  const set: Record<string, unknown> = {};
  const cleared: (keyof SessionFields)[] = [];
  let isChanged = false;
  for (const name of FIELDS) {
    if (before[name] === after[name] || sameJson(before[name], after[name])) continue;
    isChanged = true;
    if (after[name] === undefined) cleared.push(name);
    else set[name] = after[name];
  }
  assertFields(set);
  return isChanged ? accept({ type: 'ClientSessionUpdated', data: { set, cleared } }) : accept();
}

/** Times in ms. */
interface TokenRequest {
  readonly at: number;
  readonly tokenExpiresAt: number;
  /** True if the caller may have a session with captureMode AUTOMATIC paid. */
  readonly mayCapture: boolean;
}

/**
 * A fresh token, which also prolongs the session; never that of a payment link, whose end is fixed.
 * ClientSessionCompleted while a payment holds the session; InsufficientScope.
 */
export const issueToken =
  ({ at, tokenExpiresAt, mayCapture }: TokenRequest) =>
  (session: ClientSession): SessionDecision => {
    if (!isOpen(session, at) || session.link !== undefined) return notOpen();
    const { fields, payment } = session;
    if (payment !== undefined) return completed(payment.paymentId);
    if (capturesByItself(fields.paymentMethod) && !mayCapture) return captureScopeMissing();
    return accept({ type: 'ClientTokenIssued', data: { tokenIssuedAt: at, ...expiryOf(tokenExpiresAt) } });
  };

/** All in ms. */
interface SessionClaim {
  readonly paymentId: string;
  readonly at: number;
  /** The claim is displaced after it, when the payment has not been made. */
  readonly abandonAfter: number;
  /** The customer has agreed to this amount and to no other. */
  readonly shown?: ShownAmount;
}

/** The amount on a pay button when it was pressed, in minor units. */
export interface ShownAmount {
  readonly amount: number;
  readonly currencyCode: string;
}

/** A session without an amount or currency is incomplete, which the terms of a payment report better (terms.ts). */
function amountChanged(fields: SessionFields, shown: ShownAmount | undefined): Rejection | undefined {
  const { currencyCode } = fields;
  const amount = amountOf(fields);
  if (shown === undefined || amount === undefined || currencyCode === undefined) return undefined;
  if (shown.amount === amount && shown.currencyCode === currencyCode) return undefined;
  return reject(
    'AmountChanged',
    'The amount of the client session differs from the amount that the customer was shown.',
    {
      amount,
      currencyCode,
    },
  );
}

const consentMissing = ({ fields, agreed }: OpenSession): Rejection | undefined =>
  fields.agreement === undefined || agreed !== undefined
    ? undefined
    : reject('ConsentMissing', 'The customer has not agreed to the agreement of the client session.');

/**
 * Claims the session for a payment; the same payment again: nothing. Rejections, in this order:
 * ClientSessionValidationError, ClientSessionCompleted with the holder's id, AmountChanged with the amount of now,
 * ConsentMissing.
 */
export const claimSession =
  ({ paymentId, at, abandonAfter, shown }: SessionClaim) =>
  (session: ClientSession): SessionDecision => {
    if (!isOpen(session, at)) return notOpen();
    const { fields, payment } = session;
    if (payment !== undefined) return payment.paymentId === paymentId ? accept() : completed(payment.paymentId);
    return (
      amountChanged(fields, shown) ??
      consentMissing(session) ??
      accept({ type: 'ClientSessionClaimed', data: { paymentId, claimedAt: at, abandonAfter } })
    );
  };

/**
 * Gives the session back; nothing unless this payment holds it. An expired session is given back too: the claim must
 * not outlive it.
 */
export const releaseSession =
  (paymentId: string) =>
  (session: ClientSession): SessionDecision =>
    session.status === 'open' && session.payment?.paymentId === paymentId
      ? accept({ type: 'ClientSessionReleased', data: { paymentId } })
      : accept();

/** Puts on record that it has expired; nothing before that, while a payment holds it, or again. */
export const expireSession =
  (at: number) =>
  (session: ClientSession): SessionDecision =>
    (expiryDueAt(session) ?? Number.POSITIVE_INFINITY) <= at
      ? accept({ type: 'ClientSessionExpired', data: { expiredAt: at } })
      : accept();
