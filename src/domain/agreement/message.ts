// The events of an agreement that are sent to merchants, and their types (contract §14, "Webhooks"): at most one
// message for each event.
import type { Recorded } from '../decider.ts';
import type { AgreementEvent } from './events.ts';
import { type Agreement, agreement, type KnownAgreement, type Period } from './state.ts';

/** The types of messages about agreements; these are all. */
export const AGREEMENT_MESSAGE_TYPES = ['AGREEMENT.STATUS', 'AGREEMENT.ACTION_REQUIRED', 'AGREEMENT.CHARGE'] as const;
export type AgreementMessageType = (typeof AGREEMENT_MESSAGE_TYPES)[number];

/** When each is sent, in a sentence. */
export const AGREEMENT_MESSAGE_WORDS: { readonly [T in AgreementMessageType]: string } = {
  'AGREEMENT.STATUS': 'The status of the agreement changed.',
  'AGREEMENT.ACTION_REQUIRED': 'The agreement was suspended; `action` is what the customer has to do.',
  'AGREEMENT.CHARGE': 'A try of a period has its outcome, a success or not; `charge` is the period.',
};

/** An agreement as a message reports it. */
export interface ToldAgreement {
  readonly agreement: KnownAgreement;
  /** The period whose try ended with the event. */
  readonly charge?: Period;
}

/**
 * The agreement after an event, and the type of the message that the event makes: the most specific one. `before` may
 * be an earlier result of this function, which keeps no periods: a projection has thousands of these.
 */
export function tellOfAgreement(
  before: Agreement,
  event: AgreementEvent,
  recorded: Recorded,
): { readonly told: Agreement; readonly type?: AgreementMessageType } {
  const after = agreement.evolve(before, event, recorded);
  if (after.status === 'absent') return { told: after };
  const { metadata: _metadata, ...kept } = after;
  const told: Agreement = { ...kept, periods: [] };
  // a new agreement is the answer to the request that made it
  const type = event.type === 'AgreementProposed' ? undefined : typeOf(event, before.status !== after.status);
  return { told, ...(type !== undefined && { type }) };
}

function typeOf({ type }: AgreementEvent, isChanged: boolean): AgreementMessageType | undefined {
  if (type === 'ChargeSettled') return 'AGREEMENT.CHARGE';
  if (type === 'AgreementSuspended') return 'AGREEMENT.ACTION_REQUIRED';
  return isChanged ? 'AGREEMENT.STATUS' : undefined;
}
