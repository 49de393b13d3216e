// The names that the sandbox gives: all derive from the caller's reference, so that the same requests give the same
// bytes.
import { createHmac, hash } from 'node:crypto';
import type { Operation } from '../../domain/operation.ts';

const digest = (...parts: readonly string[]): string => hash('sha256', parts.join('\n'), 'hex');

export const transactionIdOf = (operation: Operation, reference: string): string =>
  `sbx_${operation.slice(0, 4)}_${digest(operation, reference).slice(0, 24)}`;
/** As the networks name a transaction: some 15 characters, and Mastercard's link of 22 besides. */
export const networkNamesOf = (
  transactionId: string,
  isMastercard: boolean,
): { readonly networkTransactionId: string; readonly transactionLinkId?: string } => {
  const name = digest('network', transactionId);
  return {
    networkTransactionId: name.slice(0, 15).toUpperCase(),
    ...(isMastercard && { transactionLinkId: name.slice(-22) }),
  };
};
export const tokenOf = (accountId: string, reference: string): string =>
  `sbx_card_${digest(accountId, reference).slice(0, 32)}`;
/** The bank's name of the permission to debit an account. */
export const mandateOf = (processorToken: string): string =>
  `sbx_mandate_${digest('mandate', processorToken).slice(0, 24)}`;
export const notificationIdOf = (reference: string, type: string): string =>
  `sbx_ntf_${digest(type, reference).slice(0, 24)}`;
export const disputeIdOf = (reference: string): string => `sbx_disp_${digest('dispute', reference).slice(0, 24)}`;
/** The id of the page that the customer of an operation is challenged on: no caller can guess it. */
export const challengeIdOf = (secret: Buffer, reference: string): string =>
  createHmac('sha256', secret).update(`challenge\n${reference}`).digest('hex').slice(0, 48);
/** The reference of an act of a person at the acquirer: no caller's reference has such a character. */
export const actReferenceOf = (authorizationId: string, number: number): string => `hand_${authorizationId}_${number}`;
export const isByHand = ({ reference }: { readonly reference: string }): boolean => reference.startsWith('hand_');
/** The type of the notification that a person has changed something at the acquirer. */
export const CHANGED = 'payment.changed';
/** The type of the notification that nothing is held any longer. */
export const EXPIRED = 'authorization.expired';
/** The type of the notification that the money of an authorization was taken back. */
export const RETURNED = 'capture.returned';
/** Looks like a reference of ours, and names a payment that does not exist. */
export const strangeReferenceOf = (reference: string, paymentId: string): string =>
  `${digest('stranger', paymentId).slice(0, 32)}${digest(reference).slice(0, 8)}`;
/** The currency of an answer that mistakes the currency. */
export const otherCurrencyThan = (currencyCode: string): string => (currencyCode === 'USD' ? 'EUR' : 'USD');
