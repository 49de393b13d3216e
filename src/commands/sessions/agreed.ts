// The agreement of a client session: what its customer is asked for, and has agreed to. The session's own stream has
// the whole consent, so that the agreement follows from it after any crash (contract §14).
import { proposeAgreement } from '../../domain/agreement/decide.ts';
import type { AgreementEvent, AgreementFact, AgreementTerms } from '../../domain/agreement/events.ts';
import type { Agreement } from '../../domain/agreement/state.ts';
import { ENDS_TOO_SOON, endsTooSoon, periodsBegun } from '../../domain/agreement/terms.ts';
import type { RecordedProposal } from '../../domain/client-session/recorded-fields.ts';
import type { ClientSession, OpenSession } from '../../domain/client-session/state.ts';
import { type Rejection, reject, type Violation } from '../../domain/decider.ts';
import type { Context } from '../../journal/context.ts';
import type { Streams } from '../../journal/streams.ts';
import { transact } from '../../journal/transact.ts';
import { parseTime } from '../../world.ts';

/** Times in ms; without a start it is the time of the consent. */
export type ProposedTerms = Omit<AgreementTerms, 'startsAt'> & { readonly startsAt?: number };

/** The terms of a session's agreement; the schema of requests has read the texts before. */
export const termsOf = ({ terms: { startsAt, endsAt, ...terms } }: RecordedProposal): ProposedTerms => ({
  ...terms,
  ...(startsAt !== undefined && { startsAt: parseTime(startsAt) ?? 0 }),
  ...(endsAt !== undefined && { endsAt: parseTime(endsAt) ?? 0 }),
});

/** RequestValidationError for terms that are over at `at` (ms), or whose periods have begun before the consent. */
export function refuseProposal(proposal: RecordedProposal, at: number): Rejection | undefined {
  const { startsAt = at, ...terms } = termsOf(proposal);
  const violations: Violation[] = [];
  if (endsTooSoon({ ...terms, startsAt }, at))
    violations.push({ path: '$.agreement.terms.endsAt', description: ENDS_TOO_SOON });
  if ((periodsBegun({ ...terms, startsAt }, at) ?? 0) > 1)
    violations.push({
      path: '$.agreement.terms.startsAt',
      description: 'Must be within the first period: the customer agrees to no charge of earlier ones.',
    });
  return violations.length === 0
    ? undefined
    : reject('RequestValidationError', 'The request is not valid.', { violations });
}

/** The agreement as its session has it on record; undefined before the consent. */
export function proposedBy(sessionId: string, session: OpenSession): AgreementFact<'AgreementProposed'> | undefined {
  const { accountId, fields, agreed } = session;
  const { agreement, customerId } = fields;
  if (agreed === undefined || agreement === undefined || customerId === undefined) return undefined;
  const { agreementId: _id, agreedAt, ...shown } = agreed;
  const { kind, retry, metadata } = agreement;
  return {
    accountId,
    customerId,
    sessionId,
    kind,
    terms: { startsAt: agreedAt, ...termsOf(agreement) },
    consent: { acceptedAt: agreedAt, channel: 'ONLINE', ...shown },
    createdAt: agreedAt,
    ...(retry !== undefined && { retry }),
    ...(metadata !== undefined && { metadata }),
  };
}

/**
 * Puts the agreement of a session in its own stream, where a crash after the consent left it out; its id, or undefined
 * before the consent. Throws StoreUnavailable.
 */
export async function proposeAgreed(
  agreements: Streams<Agreement, AgreementEvent>,
  sessionId: string,
  session: ClientSession,
  context: Context,
): Promise<string | undefined> {
  if (session.status === 'absent' || session.agreed === undefined) return undefined;
  const { agreementId } = session.agreed;
  const proposed = proposedBy(sessionId, session);
  if (proposed !== undefined)
    await transact(agreements, agreementId, context, proposeAgreement(proposed), { isFact: true });
  return agreementId;
}
