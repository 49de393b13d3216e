// Requests out of the request log: those of an account that fit a filter, and one by its id.
import { type LoggedRequest, loggedRequests } from '../projections/models/request-log.ts';
import type { ReadModels } from '../stores/read-models.ts';

interface RequestFilter {
  /** 2 to 5: the first digits of statuses. */
  readonly statusClasses?: readonly number[] | undefined;
  readonly methods?: readonly string[] | undefined;
  /** The route's own path. */
  readonly route?: string | undefined;
  readonly keyId?: string | undefined;
  readonly paymentId?: string | undefined;
  /** The request's `X-Request-Id`, and the `diagnosticsId` of its error. */
  readonly requestId?: string | undefined;
  /** Business time in ms, both ends included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

interface RequestPage {
  /** The newest first. */
  readonly requests: readonly LoggedRequest[];
  readonly hasMore: boolean;
  /** The routes of every kept request of the account, whatever the filter: the choices of a filter. */
  readonly routes: readonly string[];
  readonly keyIds: readonly string[];
}

type Gets = Pick<ReadModels, 'get'>;

/**
 * The last request of a page. Its time finds the place where the next page begins when the request itself is kept no
 * longer.
 */
export interface RequestCursor {
  /** ms. */
  readonly at: number;
  readonly id: string;
}

/** `limit`: 1 or more. */
export const listRequests =
  (readModels: Gets) =>
  async (accountId: string, filter: RequestFilter, limit: number, after?: RequestCursor): Promise<RequestPage> => {
    const all = await loggedRequests(readModels, accountId);
    const fitting = all.filter(fits(filter));
    const start = after === undefined ? 0 : startAfter(fitting, after);
    return {
      requests: fitting.slice(start, start + limit),
      hasMore: fitting.length > start + limit,
      routes: [...new Set(all.map(({ route }) => route))].sort(),
      keyIds: [...new Set(all.flatMap(({ keyId }) => keyId ?? []))].sort(),
    };
  };

/**
 * `requests`: the newest first. The log loses its oldest requests first, so none after a lost one is of the same time
 * and was not shown.
 */
function startAfter(requests: readonly LoggedRequest[], { at, id }: RequestCursor): number {
  const place = requests.findIndex((request) => request.id === id);
  if (place !== -1) return place + 1;
  const older = requests.findIndex((request) => request.at < at);
  return older === -1 ? requests.length : older;
}

/** Undefined if the account no longer has such a request. */
export const readRequest =
  (readModels: Gets) =>
  async (accountId: string, id: string): Promise<LoggedRequest | undefined> =>
    (await loggedRequests(readModels, accountId)).find((request) => request.id === id);

const fits =
  ({ statusClasses, methods, route, keyId, paymentId, requestId, from, to }: RequestFilter) =>
  (request: LoggedRequest): boolean =>
    (statusClasses === undefined || statusClasses.includes(Math.floor(request.status / 100))) &&
    (methods === undefined || methods.includes(request.method)) &&
    (route === undefined || request.route === route) &&
    (keyId === undefined || request.keyId === keyId) &&
    (paymentId === undefined || request.paymentId === paymentId) &&
    (requestId === undefined || request.requestId === requestId) &&
    (from === undefined || request.at >= from) &&
    (to === undefined || request.at <= to);
