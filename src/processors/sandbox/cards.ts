// The sandbox's one table of test cards: the processor follows it, GET /sandbox/scenarios lists it, and the tests walk
// through it.
import type { RefusalTold } from '../../domain/payment/outcome.ts';
import { METHODS, type PaymentMethodType } from '../../domain/payment-method.ts';
import type { Behaviour, Card, DeclineCode } from './card.ts';

const SECONDS = 1_000;
const MINUTES = 60_000;
const DAYS = 86_400_000;

type Rest = Pick<Card, 'outcome' | 'notifications' | 'disputes' | 'later' | 'method' | 'ibans'> &
  Partial<Pick<Card, 'on'>>;
const row = (id: string, numbers: string | readonly string[], title: string, { on = {}, ...rest }: Rest): Card => ({
  id,
  numbers: [numbers].flat(),
  title,
  on,
  ...rest,
});
const declined = (id: string, number: string, code: DeclineCode, title: string): Card =>
  row(id, number, title, {
    outcome: `Declined: ${code}.`,
    on: { authorization: { answer: { kind: 'decline', code } } },
  });
const absent = (id: string, number: string, title: string, code: DeclineCode, told?: RefusalTold): Card => {
  const { networkCode, networkAdviceCode } = told ?? {};
  const network = networkCode !== undefined ? `, network code ${networkCode}` : '';
  const advice = networkAdviceCode !== undefined ? `, network advice ${networkAdviceCode}` : '';
  return row(id, number, title, {
    outcome: `Approved while the customer is present; in their absence every authorization is declined: ${code}${network}${advice}.`,
    on: { authorization: { absent: code, ...(told !== undefined && { absentTold: told }) } },
  });
};
const advised = (networkAdviceCode: string): RefusalTold => ({ networkAdviceCode });
const later = (as: 'succeeded' | DeclineCode, afterMs = 5 * SECONDS): Behaviour => ({
  answer: { kind: 'later', afterMs, as, notified: true },
});
const SUBJECTS = { authorization: 'The authorization', capture: 'A capture', refund: 'A refund' };
const pending = (
  id: string,
  number: string,
  title: string,
  operation: keyof typeof SUBJECTS,
  as: 'succeeded' | DeclineCode,
  { ms, words } = { ms: 5 * SECONDS, words: '5 s' },
): Card => {
  const end = as === 'succeeded' ? as : `failed: ${as}`;
  const outcome = `${SUBJECTS[operation]} is pending; ${words} later a notification reports that it ${end}.`;
  return row(id, number, title, { outcome, on: { [operation]: later(as, ms) } });
};

/** The common behaviour of the cards with disputes. */
const ANSWERED = 'It expires after 7 days without a response.';

/** A method whose customer pays, fails or leaves on a page of the sandbox. */
const paged = (method: PaymentMethodType, name: string, whose: string, on: Card['on'] = {}): Card =>
  row(method.toLowerCase(), [], name, {
    method,
    outcome: `The customer goes to the page of ${whose}, and pays there, refuses, or leaves.`,
    on: { authorization: { authentication: 'challenge' }, ...on },
  });

/** A debit is known to have worked after so long, ms. */
const DEBIT_MS = 5 * DAYS;
const debit = (
  id: string,
  iban: string,
  title: string,
  end: string,
  authorization: Behaviour,
  later?: NonNullable<Card['later']>,
): Card =>
  row(id, [], title, {
    method: 'SEPA_DEBIT',
    ibans: [iban],
    outcome: `The payment is pending for 5 days; then a notification reports that it ${end}.`,
    on: { authorization },
    ...(later !== undefined && { later }),
  });

/** How long after the payment that saved a method its network, or bank, reports about it, ms. */
const TOLD_AFTER_MS = 10 * DAYS;
const toldLater = (id: string, number: string, title: string, says: NonNullable<Card['later']>['says'], what: string) =>
  row(id, number, title, {
    outcome: `Everything is approved. 10 days after the payment that saves the card the network reports ${what}.`,
    later: { afterMs: TOLD_AFTER_MS, says },
  });

export const CARDS: readonly Card[] = [
  row('approved', ['4242424242424242', '5555555555554444', '378282246310005', '6011111111111117'], 'Approved', {
    outcome: 'Everything is approved.',
  }),
  declined('generic-decline', '4000000000000002', 'GENERIC_DECLINE', 'Declined'),
  declined('insufficient-funds', '4000000000009995', 'INSUFFICIENT_FUNDS', 'Insufficient funds'),
  declined('lost-card', '4000000000009987', 'LOST_CARD', 'Lost card'),
  declined('stolen-card', '4000000000009979', 'STOLEN_CARD', 'Stolen card'),
  declined('expired-card', '4000000000000069', 'EXPIRED_CARD', 'Expired card'),
  declined('incorrect-cvc', '4000000000000127', 'INCORRECT_CVC', 'Wrong security code'),
  declined('processing-error', '4000000000000119', 'PROCESSING_ERROR', 'Processing error'),
  row('fails-when-charged', '4000000000000341', 'Vaults well, fails when charged', {
    outcome: 'Tokenization and vaulting succeed; every authorization is declined: GENERIC_DECLINE.',
    on: { authorization: { answer: { kind: 'decline', code: 'GENERIC_DECLINE' } } },
  }),
  row('challenge-then-approved', '4000000000003220', '3-D Secure challenge, then approved', {
    outcome:
      'The customer is asked to confirm on a page of the sandbox, and the authorization is approved. 5 s later a notification reports that.',
    on: { authorization: { authentication: 'challenge' } },
  }),
  row('challenge-then-declined', '4000008400001629', '3-D Secure challenge, then declined', {
    outcome:
      'The customer is asked to confirm on a page of the sandbox, and the authorization is declined anyway: GENERIC_DECLINE. 5 s later a notification reports that.',
    on: { authorization: { authentication: 'challenge', answer: { kind: 'decline', code: 'GENERIC_DECLINE' } } },
  }),
  row('frictionless', '4000009900005029', '3-D Secure without a challenge', {
    outcome: 'The customer is authenticated without any action, and the authorization is approved.',
    on: { authorization: { authentication: 'frictionless' } },
  }),
  row('demands-authentication', '4000009900005011', 'Soft decline that requires 3-D Secure', {
    outcome:
      'The authorization is declined because the issuer requires 3-D Secure. The next attempt, with 3-D Secure, has a challenge and is approved.',
    on: { authorization: { demanded: true, authentication: 'challenge' } },
  }),
  row(
    'demands-authentication-then-late-failure',
    '4000009900002042',
    'Requires 3-D Secure, then a late failure notification',
    {
      outcome:
        'The authorization is declined because the issuer requires 3-D Secure. The next attempt, with 3-D Secure, is approved without a challenge. 5 s later a notification reports that the first attempt failed.',
      on: { authorization: { demanded: true, demandNotifiedAfterMs: 5 * SECONDS, authentication: 'frictionless' } },
    },
  ),
  absent('mandate-revoked', '4000009900005037', 'Consent to later charges withdrawn', 'AUTHORIZATION_REVOKED'),
  absent('insufficient-funds-later', '4000009900005045', 'Later charges: no funds', 'INSUFFICIENT_FUNDS'),
  absent('expired-later', '4000009900005052', 'Later charges: the card has expired', 'EXPIRED_CARD'),
  absent('authentication-later', '4000009900005060', 'Later charges: 3-D Secure needed', 'AUTHENTICATION_REQUIRED'),
  absent('revoked-for-all-later', '4000009900005078', 'Later charges: all stopped', 'AUTHORIZATION_REVOKED', {
    networkCode: 'R1',
  }),
  absent('stolen-later', '4000009900005086', 'Later charges: stolen', 'STOLEN_CARD', { networkCode: '43' }),
  absent('updated-later', '5100099900005018', 'Later charges: new card details', 'EXPIRED_CARD', advised('01')),
  absent('retry-after-72-hours', '5100099900005026', 'Later charges: in 72 hours', 'INSUFFICIENT_FUNDS', advised('02')),
  absent('never-later', '5100099900005034', 'Later charges: never again', 'GENERIC_DECLINE', advised('03')),
  absent('cancelled-later', '5100099900005042', 'Later charges: cancelled', 'GENERIC_DECLINE', advised('21')),
  absent('retry-after-1-hour', '5100099900005059', 'Later charges: in an hour', 'INSUFFICIENT_FUNDS', advised('24')),
  row('link-needed-later', '5100099900005075', 'Later charges: only with the link', {
    outcome:
      'Approved while the customer is present; in their absence an authorization that does not name the TLID of the first payment, as agreements do, is declined: GENERIC_DECLINE, network advice 03.',
    on: { authorization: { absent: 'GENERIC_DECLINE', absentUnlessLinked: true, absentTold: advised('03') } },
  }),
  absent('retry-after-10-days', '5100099900005067', 'Later charges: in 10 days', 'INSUFFICIENT_FUNDS', advised('30')),
  toldLater('expiry-updated', '4000009900006019', 'Saved: a new expiry', 'new_expiry', 'a new expiry, 12/2049'),
  toldLater(
    'number-updated',
    '4000009900006027',
    'Saved: a new number',
    'new_number',
    'a new number, which ends with 4242, and the expiry 12/2049',
  ),
  toldLater('closed-later', '4000009900006035', 'Saved: the card is closed', 'closed', 'that the card was closed'),
  pending(
    'pending-then-authorized',
    '4000009900001010',
    'Pending authorization, then authorized',
    'authorization',
    'succeeded',
  ),
  pending(
    'pending-then-declined',
    '4000009900001028',
    'Pending authorization, then declined',
    'authorization',
    'GENERIC_DECLINE',
  ),
  row('pending-without-notification', '4000009900001036', 'Pending authorization, no notification', {
    outcome:
      'The authorization is pending and no notification is ever sent; from 5 s on a look-up reports that it succeeded.',
    on: { authorization: { answer: { kind: 'later', afterMs: 5 * SECONDS, as: 'succeeded', notified: false } } },
  }),
  row('timeout-after-effect', '4000009900001044', 'Timeout, the money moved', {
    outcome: 'The authorization happens, but its call gets no response; a look-up reports that it succeeded.',
    on: { authorization: { fault: { phase: 'after_effect_before_reply', fault: 'hang' } } },
  }),
  row('timeout-without-effect', '4000009900001051', 'Timeout, nothing happened', {
    outcome: 'The call of the authorization gets no response and nothing happens; a look-up reports not found.',
    on: { authorization: { fault: { phase: 'before_effect', fault: 'hang' } } },
  }),
  row('timeout-then-found', '4000009900001069', 'Timeout, the money moved, not found at first', {
    outcome:
      'The authorization happens, and the ledger shows it, but its call gets no response; a look-up reports not found for 60 s, then succeeded.',
    on: { authorization: { hiddenForMs: 60 * SECONDS, fault: { phase: 'after_effect_before_reply', fault: 'hang' } } },
  }),
  row('error-after-effect', '4000009900001077', 'Server error, the money moved', {
    outcome: 'The authorization happens, but its call returns status 500; a look-up reports that it succeeded.',
    on: { authorization: { fault: { phase: 'after_effect_before_reply', fault: '500' } } },
  }),
  row('connection-refused', '4000009900001085', 'Connection refused', {
    outcome: 'The authorization provably never reaches the processor.',
    on: { authorization: { fault: { phase: 'before_send', fault: 'reset' } } },
  }),
  row('notified-before-answered', '4000009900002018', 'Notification before the response', {
    outcome:
      'Everything is approved, and the notification of every operation is sent before the response to its call: the response waits until the notification is accepted, at most 5 s.',
    notifications: { always: true, first: true },
  }),
  row('notified-three-times', '4000009900002026', 'Every notification three times', {
    outcome:
      'Everything is approved, and the notification of every operation is sent three times with the same notificationId.',
    notifications: { always: true, copies: 2 },
  }),
  row('notified-in-reverse', '4000009900002034', 'Notifications in reverse order', {
    outcome:
      'Everything is approved, and notifications are sent in reverse order: a notification waits 10 s for a later one of the payment, and at most 60 s.',
    notifications: { always: true, heldBack: true },
  }),
  row('notification-lost', '4000009900002059', 'Notification lost', {
    outcome:
      'The authorization is pending and succeeds 5 s later; its notification is lost, so only a look-up finds the outcome.',
    on: { authorization: later('succeeded') },
    notifications: { lost: true },
  }),
  row('notification-badly-signed', '4000009900002067', 'Notification with a wrong signature, then correct', {
    outcome:
      'The authorization is pending; 5 s later a notification reports that it succeeded, first with a wrong signature and 1 s later with the right one.',
    on: { authorization: later('succeeded') },
    notifications: { badlySigned: true },
  }),
  row('success-after-cancellation', '4000009900002075', 'Success after we cancelled', {
    outcome:
      'The call of the authorization returns status 500, and look-ups report not found for too long. 10 min later a notification reports that it succeeded, when the payment was given up or cancelled.',
    on: {
      authorization: {
        ...later('succeeded', 10 * MINUTES),
        hiddenForMs: 10 * MINUTES,
        fault: { phase: 'after_effect_before_reply', fault: '500' },
      },
    },
  }),
  row('captures-less', '4000009900003016', 'Captures less than requested', {
    outcome: 'A capture succeeds with nine tenths of the requested amount.',
    on: { capture: { answer: { kind: 'less' } } },
  }),
  row('second-capture-declined', '4000009900003024', 'Refuses the second partial capture', {
    outcome: 'The first capture succeeds, every further one is declined: GENERIC_DECLINE.',
    on: { capture: { answer: { kind: 'first_only', code: 'GENERIC_DECLINE' } } },
  }),
  row('authorization-expires', '4000009900003032', 'Authorization expires after 7 days', {
    outcome:
      'The authorization is valid for 7 days. Then captures and cancellations are declined, and unless nothing is held by then, a notification reports that the authorization has expired.',
    on: { authorization: { heldForMs: 7 * DAYS } },
  }),
  pending('capture-later-succeeds', '4000009900003040', 'Asynchronous capture, confirmed', 'capture', 'succeeded'),
  pending('capture-later-fails', '4000009900003057', 'Asynchronous capture, refused', 'capture', 'PROCESSING_ERROR'),
  row('captures-other-currency', '4000009900003065', 'Captures in another currency', {
    outcome: 'A capture succeeds with the same number in another currency: USD, or EUR if USD was requested.',
    on: { capture: { answer: { kind: 'other_currency' } } },
  }),
  row('refund-declined', '4000009900004014', 'Refund refused immediately', {
    outcome: 'A refund is declined: GENERIC_DECLINE.',
    on: { refund: { answer: { kind: 'decline', code: 'GENERIC_DECLINE' } } },
  }),
  pending(
    'refund-fails-after-days',
    '4000009900004022',
    'Refund accepted, fails 3 days later',
    'refund',
    'GENERIC_DECLINE',
    {
      ms: 3 * DAYS,
      words: '3 days',
    },
  ),
  pending('refund-later-succeeds', '4000009900004055', 'Pending refund, then succeeded', 'refund', 'succeeded'),
  row('disputed', '4000000000000259', 'Disputed', {
    outcome: `Everything is approved; 5 s after a capture the customer disputes it. ${ANSWERED} A challenge is lost 60 days later.`,
    disputes: { on: 'capture', reason: 'FRAUDULENT', reasonCode: '10.4', decided: 'lost' },
  }),
  row('disputed-after-refund', '4000009900004030', 'Disputed after a full refund', {
    outcome: `Everything is approved; 5 s after the captured amount has been fully refunded the customer disputes it. ${ANSWERED} A challenge is lost 60 days later.`,
    disputes: { on: 'full_refund', reason: 'CREDIT_NOT_PROCESSED', reasonCode: '13.6', decided: 'lost' },
  }),
  row('disputed-and-decided', '4000009900004048', 'Disputed, decided by the evidence', {
    outcome: `Everything is approved; 5 s after a capture the customer disputes it. ${ANSWERED} Evidence with \`win\` or \`lose\` decides it 5 s later; any other is lost 60 days later.`,
    disputes: { on: 'capture', reason: 'PRODUCT_NOT_RECEIVED', reasonCode: '13.1', decided: 'by_text' },
  }),
  row('dispute-prevented', '4000009900004063', 'Dispute prevented', {
    outcome:
      'Everything is approved; 5 s after a capture a dispute of it is prevented: the customer gets the captured amount back, and there is nothing to answer.',
    disputes: { on: 'capture', reason: 'FRAUDULENT', reasonCode: '10.4', decided: 'prevented' },
  }),
  row('disputed-in-rounds', '4000009900004071', 'Disputed in several rounds', {
    outcome:
      'Everything is approved; 5 s after a capture the issuer inquires: RETRIEVAL. Evidence with `win` or `lose` decides a round 5 s later; `escalate` opens the next: DISPUTE, PREARBITRATION if won, APPEAL if lost.',
    disputes: { on: 'capture', reason: 'PRODUCT_NOT_RECEIVED', reasonCode: '13.1', decided: 'in_rounds' },
  }),
  paged('IDEAL', 'iDEAL', 'the bank', { refund: later('succeeded') }),
  paged('BANCONTACT', 'Bancontact', 'the bank', { refund: later('succeeded') }),
  paged('KLARNA', 'Klarna', 'Klarna'),
  paged('PAYPAL', 'PayPal', 'PayPal'),
  debit('sepa-debit', 'DE89370400440532013000', 'SEPA debit, paid', 'succeeds', later('succeeded', DEBIT_MS)),
  debit('sepa-debit-refused', 'DE62370400440532013001', 'SEPA debit, refused', 'is refused: INSUFFICIENT_FUNDS', {
    ...later('INSUFFICIENT_FUNDS', DEBIT_MS),
  }),
  debit(
    'sepa-debit-returned',
    'DE35370400440532013002',
    'SEPA debit, returned',
    'succeeds, and is returned 3 weeks later',
    {
      ...later('succeeded', DEBIT_MS),
      returnedAfterMs: 21 * DAYS,
    },
  ),
  debit(
    'sepa-debit-withdrawn',
    'DE08370400440532013003',
    'SEPA debit, mandate withdrawn',
    'succeeds. 10 days after the payment that saves the account the customer withdraws the mandate',
    later('succeeded', DEBIT_MS),
    { afterMs: TOLD_AFTER_MS, says: 'mandate_withdrawn' },
  ),
  row('multibanco', [], 'Multibanco voucher', {
    method: 'MULTIBANCO',
    outcome:
      'The customer gets the numbers of a voucher, which is valid for 3 days. On a page of the sandbox it is paid: in time, too late, or never. A refund is declined: ACCOUNT_REQUIRED.',
    on: {
      authorization: { authentication: 'challenge' },
      refund: { answer: { kind: 'decline', code: 'ACCOUNT_REQUIRED' } },
    },
  }),
];

/** A row of the table as GET /sandbox/scenarios shows it. */
export interface Scenario extends Pick<Card, 'id' | 'title' | 'outcome'> {
  numbers?: string[];
  paymentMethodType?: PaymentMethodType;
  ibans?: string[];
}

export const scenarios = (): Scenario[] =>
  CARDS.map(({ id, numbers, title, outcome, method, ibans }) => ({
    id,
    ...(numbers.length > 0 && { numbers: [...numbers] }),
    ...(method !== undefined && { paymentMethodType: method }),
    ...(ibans !== undefined && { ibans: [...ibans] }),
    title,
    outcome,
  }));

const byNumber = new Map(CARDS.flatMap((card) => card.numbers.map((number) => [number, card])));
const byId = new Map(CARDS.map((card) => [card.id, card]));

/** The row of a number; spaces between its digits are ignored. */
export const cardOfNumber = (number: string): Card | undefined => byNumber.get(number.replaceAll(' ', ''));
export const cardOfId = (id: string): Card | undefined => byId.get(id);

/** The row of a method other than a debit, or of a debit's bank account. */
export const rowOfMethod = (type: PaymentMethodType, iban?: string): Card | undefined =>
  CARDS.find(({ method, ibans = [] }) => method === type && (iban === undefined || ibans.includes(iban)));

/** The row of an operation, if a success of its authorization has taken the money. */
export const takesMoneyAtOnce = (id: string | undefined): boolean => {
  const method = id === undefined ? undefined : byId.get(id)?.method;
  return method !== undefined && METHODS[method].capture === 'with_authorization';
};

/** Every number of the row is Mastercard's. */
export const isMastercard = (card: Card | undefined): boolean =>
  card !== undefined && card.numbers.length > 0 && card.numbers.every((number) => number.startsWith('5'));
