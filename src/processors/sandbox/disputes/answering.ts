// The merchant's answer to a dispute, as the sandbox decides on it: taken once, while the dispute is open.
import type { DisputeRequest } from '../../processor.ts';
import type { Card } from '../card.ts';
import type { Manner } from '../faults/fault-table.ts';
import { type Announcement, EXPIRY_NUMBER, inManner } from '../notifications/announcement.ts';
import { type DisputeEntry, disputeStatusAt } from './dispute.ts';
import { announcementOf } from './opening.ts';

const DAYS = 86_400_000;
const DECIDED_BY_TEXT_MS = 5_000;
const DECIDED_MS = 60 * DAYS;

/** `taken`: to be recorded. `known`: the very answer that is on record. */
type AnswerDecision =
  | { readonly kind: 'taken'; readonly dispute: DisputeEntry }
  | { readonly kind: 'known' }
  | { readonly kind: 'refused'; readonly code: string };

export function decideAnswer(
  dispute: DisputeEntry,
  card: Card | undefined,
  request: DisputeRequest,
  now: number,
): AnswerDecision {
  if (dispute.answer?.reference === request.reference) return { kind: 'known' };
  const status = disputeStatusAt(dispute, now);
  if (status === undefined) return { kind: 'refused', code: 'DISPUTE_UNKNOWN' };
  if (status !== 'OPEN') return { kind: 'refused', code: status === 'EXPIRED' ? 'DISPUTE_EXPIRED' : 'DISPUTE_CLOSED' };
  const { reference } = request;
  if (request.answer === 'accept')
    return { kind: 'taken', dispute: { ...dispute, answer: { reference, kind: 'acceptance', at: now } } };
  const verdict = verdictOn(request.answer.evidence, card, now);
  return { kind: 'taken', dispute: { ...dispute, answer: { reference, kind: 'evidence', at: now, verdict } } };
}

function verdictOn(
  evidence: object,
  card: Card | undefined,
  now: number,
): { readonly at: number; readonly as: 'WON' | 'LOST' } {
  const text = 'text' in evidence && typeof evidence.text === 'string' ? evidence.text : '';
  const word = card?.disputes?.decided === 'by_text' ? /\b(win|lose)\b/i.exec(text)?.[1]?.toLowerCase() : undefined;
  if (word === undefined) return { at: now + DECIDED_MS, as: 'LOST' };
  return { at: now + DECIDED_BY_TEXT_MS, as: word === 'win' ? 'WON' : 'LOST' };
}

/**
 * That it was answered, and what the issuer decides. A verdict that takes months keeps nobody waiting before it is due.
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
  return [first, ...(verdict === undefined ? [] : [told(verdict.as, verdict.at, 2)])].flatMap((one) =>
    inManner(one, manner),
  );
}
