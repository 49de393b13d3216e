// The messages that the endpoints of an account have not taken since a time: counted by endpoint, and walked in batches
// for a person who resends them all.
import pLimit from 'p-limit';
import type { Untaken } from '../domain/webhook-queue/decide.ts';
import type { ReadModels } from '../stores/read-models.ts';
import { COUNTED, countUntaken, endpointsOf, type UntakenPlace, untakenQueues } from './list-deliveries.ts';
import { ofOneRequest } from './pages.ts';

interface UntakenOfEndpoint {
  readonly endpointId: string;
  readonly url: string;
  readonly count: number;
  /** True if there are more than were counted. */
  readonly isMore: boolean;
}

/** Where a walk over the endpoints goes on. */
interface AccountUntakenPlace {
  readonly endpointId: string;
  readonly within?: UntakenPlace | undefined;
}

interface AccountUntakenBatch {
  /** Undefined: none of the endpoints that were looked at has untaken messages. */
  readonly endpointId?: string;
  readonly queueIds: readonly string[];
  readonly next?: AccountUntakenPlace;
}

/** In the order of their ids: an endpoint that is added or ends meanwhile moves no other. */
const enabledEndpoints = async (readModels: ReadModels, accountId: string) =>
  (await endpointsOf(readModels, accountId))
    .filter(({ doc }) => doc.status === 'enabled')
    .sort((a, b) => (a.id < b.id ? -1 : 1));

/** Endpoints that are counted at a time. */
const AT_ONCE = 3;
/** Queues that are looked at for each endpoint of an account that has many. */
const LEAST_COUNTED = 200;

/** The enabled endpoints that have untaken messages. `at`: now, in ms. */
export const countUntakenOfAccount =
  (readModels: ReadModels) =>
  async (accountId: string, untaken: Untaken, at: number): Promise<readonly UntakenOfEndpoint[]> => {
    const endpoints = await enabledEndpoints(readModels, accountId);
    const most = Math.max(LEAST_COUNTED, Math.floor(COUNTED / Math.max(1, endpoints.length)));
    const limited = pLimit(AT_ONCE);
    const counted = await Promise.all(
      endpoints.map(({ id, doc }) =>
        limited(async () => ({
          endpointId: id,
          url: doc.url,
          ...(await countUntaken(readModels, { endpointId: id, ...untaken }, at, most)),
        })),
      ),
    );
    return counted.filter(({ count, isMore }) => count > 0 || isMore);
  };

/** Pages that one batch looks at: most endpoints have nothing to resend. */
const MOST_PAGES = 10;

/**
 * The next queues with untaken messages, of one endpoint. `at`: now, in ms. `limit`: the queues of a page, 1 to 1000.
 */
export const nextUntakenOfAccount =
  (readModels: ReadModels) =>
  async (
    accountId: string,
    untaken: Untaken,
    at: number,
    limit: number,
    after?: AccountUntakenPlace,
  ): Promise<AccountUntakenBatch> => {
    const ids = (await enabledEndpoints(readModels, accountId)).map(({ id }) => id);
    const finds = ofOneRequest(readModels);
    const placeAt = (index: number): AccountUntakenPlace | undefined => {
      const endpointId = ids[index];
      return endpointId === undefined ? undefined : { endpointId };
    };
    const first = after === undefined ? 0 : ids.findIndex((id) => id >= after.endpointId);
    const begun = placeAt(first);
    let place = begun?.endpointId === after?.endpointId ? after : begun;
    for (let pages = 0; place !== undefined && pages < MOST_PAGES; pages += 1) {
      const { endpointId, within }: AccountUntakenPlace = place;
      const page = await untakenQueues(finds, { endpointId, ...untaken }, at, limit, within);
      const next: AccountUntakenPlace | undefined =
        page.next === undefined ? placeAt(ids.indexOf(endpointId) + 1) : { endpointId, within: page.next };
      if (page.queueIds.length > 0) return { endpointId, queueIds: page.queueIds, ...(next !== undefined && { next }) };
      place = next;
    }
    return { queueIds: [], ...(place !== undefined && { next: place }) };
  };
