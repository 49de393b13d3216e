// The fold of the merchant's answers to disputes: what was asked to be sent, and what is known of it.
import type { Recorded } from '../decider.ts';
import type { Fact } from './events.ts';
import type { AnswerToDispute, Dispute } from './payment.ts';

type AnswerEvent = Fact<
  | 'DisputeEvidenceDrafted'
  | 'DisputeAnswerRequested'
  | 'DisputeAnswerDeclined'
  | 'DisputeAnswerPending'
  | 'DisputeAnswerNotSent'
  | 'DisputeAnswerOutcomeUnknown'
  | 'DisputeAnswerNotFound'
  | 'DisputeLookUpRecorded'
>;

/** The disputes after an event about the answer to one of them. */
export const answeredDisputes = (
  disputes: readonly Dispute[],
  event: AnswerEvent,
  recorded: Recorded,
): readonly Dispute[] =>
  disputes.map((dispute) =>
    dispute.disputeId === event.data.disputeId ? { ...dispute, ...changeOf(dispute, event, recorded) } : dispute,
  );

function changeOf(
  { answer, submission, round, drafts = 0, lookUps = 0 }: Dispute,
  event: AnswerEvent,
  { revision, at }: Recorded,
): Partial<Dispute> {
  if (event.type === 'DisputeEvidenceDrafted') return { submission: event.data.submission, drafts: drafts + 1 };
  if (event.type === 'DisputeAnswerRequested') {
    const { answerId, answer: kind, reference, requestedAt, sendBy, nextLookUpAt } = event.data;
    const sent = kind === 'evidence' && submission !== undefined ? { submission } : {};
    const asked = {
      answerId,
      kind,
      ...sent,
      reference,
      round,
      requestedAt,
      requestedRevision: revision,
      sendBy,
      hasEnded: false,
      lookUps: 0,
    };
    return { answer: { ...asked, state: 'open', nextLookUpAt } };
  }
  if (event.type === 'DisputeLookUpRecorded' && event.data.answerId === undefined)
    return { lookUps: lookUps + 1, nextLookUpAt: event.data.nextLookUpAt };
  if (answer === undefined || answer.answerId !== event.data.answerId)
    throw new Error(`${event.type} before DisputeAnswerRequested`);
  return { answer: afterWord(answer, event, at) };
}

type AnswerOutcome = Exclude<AnswerEvent, Fact<'DisputeEvidenceDrafted' | 'DisputeAnswerRequested'>>;

function afterWord(answer: AnswerToDispute, { type, data }: AnswerOutcome, at: number): AnswerToDispute {
  const { answerId, kind, submission, reference, round, requestedAt, requestedRevision, sendBy, lookUps, notFoundAt } =
    answer;
  const sent = submission === undefined ? {} : { submission };
  const hasEnded = answer.hasEnded || data.evidence.source === 'answer';
  const asked = {
    answerId,
    kind,
    ...sent,
    reference,
    round,
    requestedAt,
    requestedRevision,
    sendBy,
    hasEnded,
    lookUps,
  };
  const looked = { ...asked, ...(notFoundAt !== undefined && { notFoundAt }) };
  switch (type) {
    case 'DisputeAnswerDeclined':
      return { ...asked, state: 'declined', code: data.code };
    case 'DisputeAnswerPending':
      return { ...asked, state: 'pending', nextLookUpAt: data.nextLookUpAt };
    case 'DisputeAnswerNotSent':
      return { ...asked, state: 'not_sent' };
    case 'DisputeAnswerOutcomeUnknown':
      return { ...looked, state: 'unknown', nextLookUpAt: data.nextLookUpAt };
    case 'DisputeAnswerNotFound':
      return { ...asked, state: 'not_found' };
    case 'DisputeLookUpRecorded': {
      const missed = data.answer === 'not_found' ? { notFoundAt: notFoundAt ?? data.evidence.sentAt ?? at } : {};
      const state = answer.state === 'open' || answer.state === 'pending' ? answer.state : 'unknown';
      return {
        ...looked,
        ...missed,
        lookUps: lookUps + 1,
        state: state === 'open' ? 'unknown' : state,
        nextLookUpAt: data.nextLookUpAt,
      };
    }
    default:
      return type satisfies never;
  }
}
