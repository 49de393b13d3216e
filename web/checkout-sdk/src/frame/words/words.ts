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
  | 'incomplete'
  | 'cardGone'
  | 'cardRefused'
  | 'tooManyAttempts'
  | 'unavailable';

export interface Words extends UnreachableWords {
  readonly title: string;
  readonly loading: string;
  readonly order: string;
  readonly shipping: string;
  readonly fees: string;
  readonly total: string;
  readonly chooseCard: string;
  readonly anotherCard: string;
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
  readonly offline: string;
  readonly offlineText: string;
  readonly withoutMethod: string;
  readonly withoutMethodText: string;
  readonly complete: string;
  readonly completeText: (amount: string) => string;
  readonly over: string;
  readonly overText: string;
  readonly faults: { readonly [fault in CardFault]: string };
  readonly notices: { readonly [notice in Notice]: string };
}
