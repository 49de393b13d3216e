// Everything that a shopper reads in the frame, as one shape that each language fills.
import type { UnreachableWords } from '../../shared/unreachable-words.ts';

/** The errors of fields. */
export type CardFault =
  | 'numberMissing'
  | 'numberIncomplete'
  | 'numberWrong'
  | 'numberUnknownInTest'
  | 'networkNotTaken'
  | 'expiryMissing'
  | 'expiryIncomplete'
  | 'expiryWrong'
  | 'expired'
  | 'cvcMissing'
  | 'cvcIncomplete'
  | 'nameMissing'
  | 'nameWrong';

/** What later charges need. */
export type AgreementFault = 'agreementMissing';

/** The errors of a bank account for a debit. */
export type DebitFault =
  | 'ibanMissing'
  | 'ibanIncomplete'
  | 'ibanWrong'
  | 'ibanUnknownInTest'
  | 'holderMissing'
  | 'consentMissing';

/** The reasons why the form is shown again, or still. */
export type Notice =
  | 'declined'
  | 'insufficientFunds'
  | 'incorrectCvc'
  | 'expiredCard'
  | 'tryLater'
  | 'needsAuthentication'
  | 'authenticationFailed'
  | 'notSent'
  | 'givenUp'
  | 'lastAttempt'
  | 'amountChanged'
  | 'termsChanged'
  | 'incomplete'
  | 'cardGone'
  | 'cardRefused'
  | 'tooManyAttempts'
  | 'unavailable'
  | 'methodDeclined'
  | 'methodRefused'
  | 'notPaidInTime'
  | 'otherWay';

export interface Words extends UnreachableWords {
  readonly title: string;
  readonly loading: string;
  readonly order: string;
  readonly shipping: string;
  readonly fees: string;
  readonly total: string;
  /** Between the buttons of wallets and the list of methods. */
  readonly or: string;
  readonly chooseCard: string;
  readonly anotherCard: string;
  readonly anotherAccount: string;
  readonly number: string;
  readonly expiry: string;
  readonly expiryHint: string;
  readonly cvc: string;
  readonly cvcHint: string;
  readonly name: string;
  readonly save: string;
  readonly pay: (amount: string) => string;
  readonly nothingToPay: string;
  readonly paying: string;
  readonly payingLong: string;
  readonly cardEnding: (network: string, lastFour: string) => string;
  readonly card: string;
  readonly validUntil: (month: string) => string;
  readonly cardExpired: string;
  readonly testMode: string;
  readonly secure: string;
  readonly checking: string;
  readonly pending: string;
  readonly pendingText: string;
  readonly pendingLong: string;
  readonly challenge: string;
  readonly challengeText: string;
  readonly challengeGo: string;
  readonly challengeClose: string;
  readonly challengeOther: string;
  readonly challengeBound: string;
  readonly leaving: string;
  readonly leavingText: string;
  readonly payWith: (amount: string, method: string) => string;
  readonly debit: string;
  readonly pageHint: (method: string) => string;
  readonly voucherHint: string;
  readonly walletDeclines: string;
  readonly iban: string;
  readonly holder: string;
  readonly mandate: string;
  readonly consent: string;
  readonly page: (method: string) => string;
  readonly pageText: string;
  readonly pageUnpaid: string;
  readonly pageGo: (method: string) => string;
  readonly otherWay: string;
  readonly awaiting: string;
  readonly awaitingText: (amount: string) => string;
  readonly voucher: (amount: string) => string;
  readonly voucherText: string;
  readonly entity: string;
  readonly reference: string;
  readonly amount: string;
  readonly copy: string;
  readonly copied: string;
  readonly timeLeft: (time: string) => string;
  readonly voucherDone: string;
  readonly voucherOver: string;
  readonly voucherOverText: string;
  readonly awaitingYou: string;
  readonly awaitingYouText: string;
  readonly showNumbers: string;
  readonly offline: string;
  readonly offlineText: string;
  readonly withoutMethod: string;
  readonly withoutMethodText: string;
  readonly complete: string;
  readonly completeText: (amount: string) => string;
  readonly over: string;
  readonly overText: string;
  readonly faults: { readonly [fault in CardFault | DebitFault | AgreementFault]: string };
  readonly notices: { readonly [notice in Notice]: string };
}
