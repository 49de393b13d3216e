// GET /agreements/{id}, and an account's newest.
import { noSuchAgreement } from '../domain/agreement/decide.ts';
import type { AgreementEvent } from '../domain/agreement/events.ts';
import type { Agreement, AgreementStatus, KnownAgreement } from '../domain/agreement/state.ts';
import type { Rejection } from '../domain/decider.ts';
import type { Streams } from '../journal/streams.ts';
import { agreements } from '../projections/models/agreements.ts';
import type { ReadModels, Stored } from '../stores/read-models.ts';
import { type ChargeTry, triesIn } from './agreement-tries.ts';
import { type NewestCursor, type NewestPage, newest } from './pages.ts';
import { stateAt } from './past.ts';

export const readAgreement =
  (readModels: Pick<ReadModels, 'get'>) =>
  async (id: string, accountId: string): Promise<Stored<KnownAgreement> | Rejection> => {
    const [row] = await readModels.get(agreements, [id]);
    if (row === undefined || row.doc.status === 'absent' || row.doc.accountId !== accountId) return noSuchAgreement();
    return { ...row, doc: row.doc };
  };

/** As it was recorded at a past time, ms; NotFound before it was created. See stateAt. */
export const readAgreementAt =
  (streams: Streams<Agreement, AgreementEvent>) =>
  async (
    id: string,
    accountId: string,
    at: number,
  ): Promise<Pick<Stored<KnownAgreement>, 'revision' | 'doc'> | Rejection> => {
    const isOwn = (agreement: Agreement): boolean => agreement.status === 'absent' || agreement.accountId === accountId;
    const then = await stateAt(streams, id, { at }, isOwn);
    if (then === undefined || then.state.status === 'absent') return noSuchAgreement();
    return { revision: then.revision, doc: then.state };
  };

/** Every try of the periods that the agreement shows, in the order of their claims. */
export const readAgreementTries =
  (readModels: Pick<ReadModels, 'get'>, streams: Streams<Agreement, AgreementEvent>) =>
  async (id: string, accountId: string): Promise<{ readonly tries: readonly ChargeTry[] } | Rejection> => {
    const agreement = await readAgreement(readModels)(id, accountId);
    if ('kind' in agreement) return agreement;
    const shown = new Set(agreement.doc.periods.map(({ periodKey }) => periodKey));
    const tries = await triesIn(streams.history(id, -1));
    return { tries: tries.filter(({ periodKey }) => shown.has(periodKey)) };
  };

export interface AgreementFilter {
  readonly customerId?: string | undefined;
  readonly status?: AgreementStatus | undefined;
}

/** `limit`: 1 to 100. */
export const listAgreements =
  (readModels: Pick<ReadModels, 'find'>) =>
  (
    accountId: string,
    { customerId, status }: AgreementFilter,
    limit: number,
    after?: NewestCursor,
  ): Promise<NewestPage<KnownAgreement>> => {
    const where = {
      accountId: [accountId],
      ...(customerId !== undefined && { customerId: [customerId] }),
      ...(status !== undefined && { status: [status] }),
    };
    const isMade = (doc: Agreement): doc is KnownAgreement => doc.status !== 'absent';
    return newest(readModels, agreements, { where, limit, after }, isMade);
  };
