// The words about a saved method that its card, or its bank account, leads to, days after the payment that saved it.
import { formatTime } from '../../world.ts';
import type { OperationRequest } from '../processor.ts';
import type { Card } from './card.ts';
import type { Entry } from './entry.ts';
import { mandateOf, notificationIdOf } from './names.ts';
import { type Announcement, EXPIRY_NUMBER } from './notifications.ts';
import type { SavedWord } from './saved-words.ts';

/** The expiry that the updater tells: later than any that a test enters. */
const NEW_EXPIRY = { expirationMonth: '12', expirationYear: '2049' } as const;
const NEW_LAST4 = '4242';

/**
 * None where the request keeps nothing, or nothing was approved. They are due like an expiry: nobody waits for them
 * before.
 */
export function wordsOn(request: OperationRequest, card: Card | undefined, entry: Entry): readonly Announcement[] {
  const { later } = card ?? {};
  if (request.operation !== 'authorization' || later === undefined || entry.keeps !== true) return [];
  if (entry.result === 'declined') return [];
  const { processorToken } = request;
  const word = wordOf(later.says, processorToken);
  const dueAt = entry.at + later.afterMs;
  const body = JSON.stringify({
    notificationId: notificationIdOf(processorToken, word.type),
    occurredAt: formatTime(dueAt),
    processorToken,
    ...word,
  });
  return [{ id: notificationIdOf(entry.reference, word.type), body, dueAt, number: EXPIRY_NUMBER, badAttempts: 0 }];
}

function wordOf(says: NonNullable<Card['later']>['says'], processorToken: string): SavedWord {
  switch (says) {
    case 'new_expiry':
      return { type: 'instrument.updated', card: NEW_EXPIRY };
    case 'new_number':
      return {
        type: 'instrument.updated',
        card: { ...NEW_EXPIRY, last4Digits: NEW_LAST4 },
        fingerprint: `reissued ${processorToken}`,
      };
    case 'closed':
      return { type: 'instrument.closed' };
    case 'mandate_withdrawn':
      return {
        type: 'mandate.updated',
        mandate: mandateOf(processorToken),
        status: 'inactive',
        because: 'withdrawn by the customer',
      };
    default:
      return says satisfies never;
  }
}
