// Why an agreement is as it is: its events, with the state before and after each.
import type { AgreementEvent } from '../domain/agreement/events.ts';
import type { Agreement, KnownAgreement } from '../domain/agreement/state.ts';
import type { Rejection } from '../domain/decider.ts';
import type { Unsealed } from '../journal/envelope.ts';
import type { Streams } from '../journal/streams.ts';
import type { ReadModels, Stored } from '../stores/read-models.ts';
import { keyNames } from './accounts.ts';
import { readAgreement } from './read-agreements.ts';

/** `before` and `after`: the agreement without and with the event. */
export interface AgreementStep {
  readonly one: Unsealed<AgreementEvent>;
  readonly before: Agreement;
  readonly after: Agreement;
}

export interface AgreementWhy {
  readonly agreement: Stored<KnownAgreement>;
  /** Oldest first. */
  readonly steps: readonly AgreementStep[];
  /** Ids of all events up to the last step: what a step may name as its cause. */
  readonly known: ReadonlySet<string>;
  /** Names of the API keys among the actors. */
  readonly names: ReadonlyMap<string, string>;
  /** Revision of the last event on this page, when there are more. */
  readonly next?: number;
}

/**
 * The events of the agreement after a revision, `limit` of them. Reads its stream from the beginning up to there.
 * NotFound, including for an agreement of another account. Throws StoreUnavailable and BrokenStream.
 */
export const readAgreementWhy =
  (readModels: ReadModels, agreements: Streams<Agreement, AgreementEvent>) =>
  async (agreementId: string, accountId: string, after: number, limit: number): Promise<AgreementWhy | Rejection> => {
    const agreement = await readAgreement(readModels)(agreementId, accountId);
    if ('kind' in agreement) return agreement;
    const steps: AgreementStep[] = [];
    const known = new Set<string>();
    let next: number | undefined;
    let before = agreements.decider.initial;
    for await (const one of agreements.history(agreementId, -1)) {
      const { event, recorded } = one;
      if (recorded.revision > after + limit) {
        next = after + limit;
        break;
      }
      const state = agreements.decider.evolve(before, event, recorded);
      known.add(recorded.id);
      if (recorded.revision > after) steps.push({ one, before, after: state });
      before = state;
    }
    const actors = steps.map(({ one: { metadata } }) => metadata.actor);
    const names = await keyNames(readModels)(accountId, actors);
    return { agreement, steps, known, names, ...(next !== undefined && { next }) };
  };
