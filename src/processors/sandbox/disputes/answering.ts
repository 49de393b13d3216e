// The merchant's answer to a dispute, as the sandbox decides on it: taken once, while the dispute is open.
import type { DisputeType } from '../../../domain/dispute-status.ts';
import type { DisputeRequest } from '../../processor.ts';
import type { Card } from '../card.ts';
import type { Manner } from '../faults/fault-table.ts';
import { type Announcement, EXPIRY_NUMBER, inManner } from '../notifications/announcement.ts';
import { type DisputeEntry, disputeStatusAt, inRoundAt } from './dispute.ts';
import { announcementOf, openingOf } from './opening.ts';

const DAYS = 86_400_000;
const DECIDED_BY_TEXT_MS = 5_000;
const DECIDED_MS = 60 * DAYS;

/** `taken`: to be recorded. `known`: the very answer that is on record. */
type AnswerDecision =
  | { readonly kind: 'taken'; readonly dispute: DisputeEntry }
  | { readonly kind: 'known' }
  | { readonly kind: 'refused'; readonly code: string };

export function decideAnswer(
  recorded: DisputeEntry,
  card: Card | undefined,
  request: DisputeRequest,
  now: number,
): AnswerDecision {
  const dispute = inRoundAt(recorded, now);
  if (dispute.answer?.reference === request.reference || dispute.answered.includes(request.reference))
    return { kind: 'known' };
  const status = disputeStatusAt(dispute, now);
  if (status === undefined) return { kind: 'refused', code: 'DISPUTE_UNKNOWN' };
  if (status !== 'OPEN') return { kind: 'refused', code: status === 'EXPIRED' ? 'DISPUTE_EXPIRED' : 'DISPUTE_CLOSED' };
  const { reference } = request;
  if (request.answer === 'accept')
    return { kind: 'taken', dispute: { ...dispute, answer: { reference, kind: 'acceptance', at: now } } };
  const verdict = verdictOn(request.answer.evidence, dispute.type, card, now);
  return { kind: 'taken', dispute: { ...dispute, answer: { reference, kind: 'evidence', at: now, verdict } } };
}

type Verdict = NonNullable<NonNullable<DisputeEntry['answer']>['verdict']>;

/** What `escalate` leads to: how the round ends, and the one that follows. */
const ESCALATED: { readonly [T in DisputeType]?: { readonly as: Verdict['as']; readonly to: DisputeType } } = {
  RETRIEVAL: { as: 'WON', to: 'DISPUTE' },
  DISPUTE: { as: 'WON', to: 'PREARBITRATION' },
  PREARBITRATION: { as: 'LOST', to: 'APPEAL' },
};

function verdictOn(evidence: object, type: DisputeType, card: Card | undefined, now: number): Verdict {
  const text = 'text' in evidence && typeof evidence.text === 'string' ? evidence.text : '';
  const decided = card?.disputes?.decided;
  const isByText = decided === 'by_text' || decided === 'in_rounds';
  const word = isByText ? /\b(win|lose|escalate)\b/i.exec(text)?.[1]?.toLowerCase() : undefined;
  const at = now + DECIDED_BY_TEXT_MS;
  const escalated = word === 'escalate' && decided === 'in_rounds' ? ESCALATED[type] : undefined;
  if (escalated !== undefined)
    return { at, as: escalated.as, next: { at: at + DECIDED_BY_TEXT_MS, type: escalated.to } };
  if (word === undefined || word === 'escalate') return { at: now + DECIDED_MS, as: 'LOST' };
  return { at, as: word === 'win' ? 'WON' : 'LOST' };
}

/**
 * That it was answered, what the issuer decides, and the round that follows. A verdict that takes months keeps nobody
 * waiting before it is due.
 */
export function answersTold(dispute: DisputeEntry, manner: Manner): readonly Announcement[] {
  const { answer } = dispute;
  if (answer === undefined) return [];
  const { kind, at, verdict } = answer;
  const told = (status: 'CHALLENGED' | 'ACCEPTED' | 'WON' | 'LOST', since: number, later: number): Announcement => ({
    ...announcementOf(dispute, status, since),
    number: since - at > DECIDED_BY_TEXT_MS ? EXPIRY_NUMBER : dispute.number + later,
  });
  const first = told(kind === 'evidence' ? 'CHALLENGED' : 'ACCEPTED', at, 1);
  const news = [first, ...(verdict === undefined ? [] : [told(verdict.as, verdict.at, 2)])];
  const next = verdict?.next && openingOf(inRoundAt(dispute, verdict.next.at), manner, verdict.next.at);
  return [...news.flatMap((one) => inManner(one, manner)), ...(next ?? [])];
}
