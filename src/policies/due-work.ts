// Work that falls due at a time, a policy a row: its name, the key that says when, how often it looks, and the command
// that does the work.
import type { Due } from '../commands/due.ts';
import type { Instruments } from '../commands/instruments/instruments.ts';
import type { Notifications } from '../commands/notifications/notifications.ts';
import type { Payments } from '../commands/payments/payments.ts';
import type { Sessions } from '../commands/sessions/sessions.ts';
import type { Agreement, KnownAgreement } from '../domain/agreement/state.ts';
import type { ClientSession, OpenSession } from '../domain/client-session/state.ts';
import type { Notification } from '../domain/notification/state.ts';
import type { Payment } from '../domain/payment/payment.ts';
import { isKnown } from '../domain/payment/queries.ts';
import type { PaymentInstrument, UsableInstrument } from '../domain/payment-instrument/state.ts';
import { type AgreementKey, agreements } from '../projections/models/agreements.ts';
import { type ClientSessionKey, clientSessions } from '../projections/models/client-sessions.ts';
import { type NotificationKey, notifications } from '../projections/models/notifications.ts';
import { type PaymentInstrumentKey, paymentInstruments } from '../projections/models/payment-instruments.ts';
import { type PaymentKey, payments } from '../projections/models/payments.ts';
import type { Collection } from '../stores/read-models.ts';
import type { Policy } from './policy.ts';

const SOON = { graceMs: 0, everyMs: 1_000, elsewhereMs: 30_000 };
const LATER = { graceMs: 0, everyMs: 5_000, elsewhereMs: 60_000 };
/** Work that a crash left undone. A request needs far less than 10 s to do it. */
const LEFT = { graceMs: 10_000, everyMs: 5_000, elsewhereMs: 30_000 };

/**
 * Policies for the documents of a read model that `isThere`: the work on one of them is a command for `due`, whose
 * actor is `policy`.
 */
const policiesOf =
  <Doc extends object, There extends Doc & { readonly accountId: string }, K extends string>(
    of: Collection<Doc, K>,
    isThere: (doc: Doc) => doc is There,
  ) =>
  (
    name: string,
    due: K,
    times: typeof SOON,
    act: (due: Due, policy: string, doc: There) => Promise<unknown>,
  ): Policy<Doc, K> => ({
    ...times,
    name,
    of,
    due,
    act: async ({ id, revision, doc }) => {
      if (isThere(doc)) await act({ id, revision, accountId: doc.accountId }, name, doc);
    },
  });
const ofPayments = policiesOf(payments, isKnown);
const ofSessions = policiesOf(clientSessions, (doc: ClientSession): doc is OpenSession => doc.status !== 'absent');
const ofAgreements = policiesOf(agreements, (doc: Agreement): doc is KnownAgreement => doc.status !== 'absent');
const ofInstruments = policiesOf(
  paymentInstruments,
  (doc: PaymentInstrument): doc is UsableInstrument => doc.status !== 'absent',
);

/** Looks up attempts whose outcome is unknown, including those that a crash left. */
export const resolveUnknownOutcomes = ({
  lookUpPayment,
}: Pick<Payments, 'lookUpPayment'>): Policy<Payment, PaymentKey> =>
  ofPayments('resolve-unknown-outcomes', 'dueAt', SOON, (due, policy) => lookUpPayment(due, 'due', policy));

/** Tries declined periods of agreements again, as their policies have planned (contract §14). */
export const retryDeclinedCharges = ({
  retryCharges,
}: Pick<Payments, 'retryCharges'>): Policy<Agreement, AgreementKey> =>
  ofAgreements('retry-charges', 'retryAt', LATER, retryCharges);

/** Releases holds that the issuer has ended, at the time that the processor named when it authorized (contract §4). */
export const expireAuthorizations = ({
  expireAuthorization,
}: Pick<Payments, 'expireAuthorization'>): Policy<Payment, PaymentKey> =>
  ofPayments('expire-authorizations', 'expiresAt', SOON, expireAuthorization);

/** Looks up answers with an unknown outcome, disputes whose time to answer is over, and challenged ones. */
export const attendDisputes = ({ lookUpDisputes }: Pick<Payments, 'lookUpDisputes'>): Policy<Payment, PaymentKey> =>
  ofPayments('attend-disputes', 'disputeDueAt', SOON, lookUpDisputes);

/**
 * Records the expiry of client sessions: 30 days after their newest token, when no payment holds them (contract §3).
 */
export const expireSessions = (needs: Pick<Sessions, 'expireClientSession'>): Policy<ClientSession, ClientSessionKey> =>
  ofSessions('expire-sessions', 'expiresAt', LATER, needs.expireClientSession);

type InstrumentPolicy = Policy<PaymentInstrument, PaymentInstrumentKey>;

/** Records the expiry of single-use tokens that neither paid nor were vaulted within their 24 hours (contract §5). */
export const expireInstruments = ({ expireInstrument }: Pick<Instruments, 'expireInstrument'>): InstrumentPolicy =>
  ofInstruments('expire-instruments', 'expiresAt', LATER, expireInstrument);

/** Finishes the vaulting of instruments that a crash left between the instrument's stream and the customer's wallet. */
export const finishVaulting = (needs: Pick<Instruments, 'finishVaulting'>): InstrumentPolicy =>
  ofInstruments('finish-vaulting', 'vaultingSince', LEFT, (due, policy, doc) => needs.finishVaulting(due, doc, policy));

type HandlesNotifications = Pick<Notifications, 'handleStoredNotification'>;
type NotificationPolicy = Policy<Notification, NotificationKey>;

/** Handles notifications that a crash left unhandled. */
export const handleNotifications = ({ handleStoredNotification }: HandlesNotifications): NotificationPolicy => ({
  ...LEFT,
  name: 'handle-notifications',
  of: notifications,
  due: 'receivedAt',
  act: async ({ id }) => void (await handleStoredNotification(id)),
});

/** Handles notifications again that were parked before their payment was known. */
export const retryParkedNotifications = (needs: HandlesNotifications): NotificationPolicy => ({
  ...handleNotifications(needs),
  graceMs: 0,
  name: 'retry-parked-notifications',
  due: 'retryAt',
});
