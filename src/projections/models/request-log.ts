// The newest requests of each account: not a projection, because requests are not events; bounded rings of pages, kept
// with the read models.

/**
 * An account has a ring for its API keys and one for its checkouts: shoppers, who hold a client token, displace no
 * request of the merchant. A ring has PAGES documents of PAGE_ENTRIES requests each. A page has a number that only
 * grows, and its place in the ring is that number modulo PAGES, so the ring never holds more than its pages, whatever
 * the number of processes. A page grows by whole writes, each at the revision after the last one: of two processes that
 * write at once one wins, and the other reads and writes again.
 */
import type { Collection, ReadModels, Stored } from '../../stores/read-models.ts';
import type { World } from '../../world.ts';

export interface LoggedRequest {
  readonly id: string;
  /** ms, business time: when the caller's credentials were judged. */
  readonly at: number;
  /** From the first layer to the answer. */
  readonly ms: number;
  readonly method: string;
  /** The route's own path, never the real one: paths hold tokens. */
  readonly route: string;
  /** 499: the caller hung up before the answer. */
  readonly status: number;
  readonly errorId?: string;
  /** The `diagnosticsId` of errors, and the correlation id of events. */
  readonly requestId: string;
  /** The caller: an API key, or a checkout by its session. */
  readonly keyId?: string;
  readonly sessionId?: string;
  readonly paymentId?: string;
  /** A payment method token, masked. */
  readonly instrument?: string;
}

/** A request on its way into the log. */
export interface NotedRequest extends Omit<LoggedRequest, 'id'> {
  readonly accountId: string;
}

/** A request in its page; its id follows from its place there. Pages of earlier versions have ids of their own. */
type Entry = Omit<LoggedRequest, 'id'> & { readonly id?: string };

interface Page {
  readonly page: number;
  /** 1 or more; at most two for each entry, which comes and leaves. */
  readonly writes: number;
  /** How many older entries of the page have left after their days; absent: none. Places count them. */
  readonly left?: number;
  /** Oldest first. */
  readonly entries: readonly Entry[];
}

/** Requests that are kept of an account's API keys, and as many of its checkouts. */
export const KEPT_REQUESTS = 1_000;
/** Requests of one checkout that a process notes in a while: a shopper can evict only a few of other shoppers. */
export const NOTED_OF_SESSION = 100;
const WHILE_MS = 15 * 60_000;
/** The most checkouts whose requests are counted; beyond that number the counts start again. */
const COUNTED_SESSIONS = 10_000;
const PAGE_ENTRIES = 50;
/** Two more than the kept requests fill: the newest page is seldom full, and processes write a little out of order. */
const PAGES = KEPT_REQUESTS / PAGE_ENTRIES + 2;
/** More than the writes of a page, so that a later page is always newer than the one whose place it takes. */
const REVISIONS_A_PAGE = 1_024;

const requestLog: Collection<Page, never> = { name: 'request-log', version: 1, keys: {}, indexes: [] };

/** A ring's name: of the account's API keys, and of its checkouts. */
const ofKeys = (accountId: string): string => accountId;
const ofCheckouts = (accountId: string): string => `${accountId}.checkouts`;

const placeOf = (ring: string, page: number): string => `${ring}.${page % PAGES}`;
const placesOf = (ring: string): readonly string[] => Array.from({ length: PAGES }, (_, place) => placeOf(ring, place));
const rowOf = (ring: string, doc: Page): Stored<Page> => ({
  id: placeOf(ring, doc.page),
  revision: doc.page * REVISIONS_A_PAGE + doc.writes,
  doc,
});

/**
 * The id of a request: unique in an account's two rings, and never used again, because the number of a page only grows.
 */
const idOf = (page: number, place: number, { sessionId }: Entry): string =>
  `rq_${sessionId === undefined ? 'a' : 'c'}${(page * PAGE_ENTRIES + place).toString(16)}`;

/** The kept requests of an account, the newest first. Rejects with StoreUnavailable. */
export async function loggedRequests(
  readModels: Pick<ReadModels, 'get'>,
  accountId: string,
): Promise<readonly LoggedRequest[]> {
  const pages = await readModels.get(requestLog, [ofKeys(accountId), ofCheckouts(accountId)].flatMap(placesOf));
  const inOrder = pages.map(({ doc }) => doc).sort((a, b) => a.page - b.page);
  const newest = inOrder
    .flatMap(({ page, left = 0, entries }) =>
      entries.map((entry, place) => ({ id: idOf(page, left + place, entry), ...entry })),
    )
    .reverse()
    .sort((a, b) => b.at - a.at);
  const [checkouts, keys] = [true, false].map((isCheckout) =>
    newest.filter(({ sessionId }) => (sessionId !== undefined) === isCheckout),
  );
  return [...(keys ?? []).slice(0, KEPT_REQUESTS), ...(checkouts ?? []).slice(0, KEPT_REQUESTS)].sort(
    (a, b) => b.at - a.at,
  );
}

/** Pages that are read at once. */
const PAGES_READ = 50;

/**
 * Removes the requests from before a time, ms, of all accounts; answers how many. A page that another process writes at
 * the same moment keeps them until the next call. Rejects with StoreUnavailable.
 */
export async function forgetRequests(
  readModels: Pick<ReadModels, 'find' | 'write'>,
  before: number,
  rest: () => Promise<void>,
): Promise<number> {
  let removed = 0;
  for (let after: Stored<Page> | undefined; ; await rest()) {
    const place = after && { after: { key: '', id: after.id } };
    const rows = await readModels.find(requestLog, { where: {}, limit: PAGES_READ, isDueWork: true, ...place });
    const changed = rows.flatMap((row) => {
      const { writes, left = 0, entries, ...page } = row.doc;
      // the clocks of processes differ, so an entry may be older than the previous one
      const young = entries.findIndex(({ at }) => at >= before);
      const old = young === -1 ? entries.length : young;
      const doc = { ...page, writes: writes + 1, left: left + old, entries: entries.slice(old) };
      return old === 0 ? [] : [{ id: row.id, revision: row.revision + 1, doc, old }];
    });
    const written = new Set(await readModels.write<Page, never>(requestLog, changed));
    for (const { id, old } of changed) if (written.has(id)) removed += old;
    if (rows.length < PAGES_READ) return removed;
    after = rows.at(-1);
  }
}

/** Requests that wait for the next write; of more than these the older ones are left out. */
const WAITING = 5_000;
const WRITE_EVERY_MS = 1_000;
/**
 * A write of so many takes some 15 ms of the thread that answers requests, and most of them are displaced by the next
 * one.
 */
const MANY = 1_000;
const WRITE_MANY_EVERY_MS = 4_000;
/** Pages that one write makes of a ring, those that other processes were faster with among them. */
const STEPS = 100;
/** Rings whose newest page is remembered. */
const REMEMBERED = 200;

/** By the name of their ring, oldest first. */
type Waiting = Map<string, readonly Entry[]>;

/** The newest requests that wait for the next write. */
class Noted {
  readonly #requests: (NotedRequest | undefined)[] = [];
  #next = 0;

  get count(): number {
    return this.#next;
  }

  note(request: NotedRequest): void {
    this.#requests[this.#next % WAITING] = request;
    this.#next += 1;
  }

  /** Oldest first; none of them waits any more. */
  take(): readonly NotedRequest[] {
    const start = this.#next % WAITING;
    const inOrder =
      this.#next <= WAITING ? [...this.#requests] : [...this.#requests.slice(start), ...this.#requests.slice(0, start)];
    this.#requests.length = 0;
    this.#next = 0;
    return inOrder.flatMap((request) => request ?? []);
  }
}

/** Remembers requests on their path, and writes them off it. */
export class RequestLog {
  readonly #readModels: Pick<ReadModels, 'get' | 'write'>;
  readonly #world: World;
  readonly #byKeys = new Noted();
  readonly #byCheckouts = new Noted();
  /** How many requests of each checkout were noted since `#countedSince`. */
  readonly #ofSession = new Map<string, number>();
  #countedSince = 0;
  /** By the names of their rings. */
  readonly #newest = new Map<string, Page>();

  constructor(readModels: Pick<ReadModels, 'get' | 'write'>, world: World) {
    this.#readModels = readModels;
    this.#world = world;
  }

  /** Cheap: called for every request. */
  note(request: NotedRequest): void {
    const { sessionId } = request;
    if (sessionId === undefined) this.#byKeys.note(request);
    else if (this.#isNoted(sessionId)) this.#byCheckouts.note(request);
  }

  #isNoted(sessionId: string): boolean {
    const now = this.#world.monotonic();
    if (now - this.#countedSince >= WHILE_MS || this.#ofSession.size >= COUNTED_SESSIONS) {
      this.#ofSession.clear();
      this.#countedSince = now;
    }
    const count = (this.#ofSession.get(sessionId) ?? 0) + 1;
    this.#ofSession.set(sessionId, count);
    return count <= NOTED_OF_SESSION;
  }

  /**
   * Writes what was noted. When the store is unavailable, or other processes win every race, the requests are left out
   * of the log.
   */
  async write(): Promise<void> {
    let waiting = this.#take();
    for (let step = 0; waiting.size > 0 && step < STEPS; step += 1) waiting = await this.#writeOnePage(waiting);
  }

  /** Writes every second, after many requests every four, until the signal aborts, and a last time then. */
  async run(report: (fault: unknown) => void, signal: AbortSignal): Promise<void> {
    let pauseMs = WRITE_EVERY_MS;
    while (!signal.aborted) {
      await this.#world.sleep(pauseMs, signal).catch(() => undefined);
      pauseMs = this.#byKeys.count + this.#byCheckouts.count >= MANY ? WRITE_MANY_EVERY_MS : WRITE_EVERY_MS;
      await this.write().catch(report);
    }
  }

  /** Takes the requests of a ring, no more than it keeps. */
  #take(): Waiting {
    const taken = new Map<string, Entry[]>();
    for (const { accountId, ...request } of [...this.#byKeys.take(), ...this.#byCheckouts.take()]) {
      const ring = request.sessionId === undefined ? ofKeys(accountId) : ofCheckouts(accountId);
      const requests = taken.get(ring) ?? [];
      requests.push(request);
      taken.set(ring, requests);
    }
    return new Map([...taken].map(([ring, requests]) => [ring, requests.slice(-KEPT_REQUESTS)]));
  }

  /** Writes one page of each ring, so that every page but the newest is full. Answers the requests that are left. */
  async #writeOnePage(waiting: Waiting): Promise<Waiting> {
    await this.#lookUpNewest([...waiting.keys()].filter((ring) => !this.#newest.has(ring)));
    const steps = [...waiting].map(([ring, requests]) => ({
      ring,
      requests,
      ...nextPage(this.#newest.get(ring), requests),
    }));
    const rows = steps.filter(({ added }) => added > 0).map(({ ring, page }) => rowOf(ring, page));
    const written = new Set(await this.#readModels.write<Page, never>(requestLog, rows));
    const left: Waiting = new Map();
    for (const { ring, page, added, missing } of steps) {
      const isWritten = written.has(placeOf(ring, page.page));
      if (isWritten) this.#newest.set(ring, page);
      else this.#newest.delete(ring); // another process was there first
      const after = isWritten ? missing.slice(added) : missing;
      if (after.length > 0) left.set(ring, after);
    }
    return left;
  }

  async #lookUpNewest(rings: readonly string[]): Promise<void> {
    if (this.#newest.size + rings.length > REMEMBERED) this.#newest.clear();
    if (rings.length === 0) return;
    for (const { id, doc } of await this.#readModels.get(requestLog, rings.flatMap(placesOf))) {
      const ring = id.slice(0, id.lastIndexOf('.'));
      const known = this.#newest.get(ring);
      if (known === undefined || known.page < doc.page) this.#newest.set(ring, doc);
    }
  }
}

/**
 * The page that takes the first of the requests, and how many of those it takes; `missing`: those that are not in the
 * newest page yet.
 */
function nextPage(
  newest: Page = { page: 0, writes: 0, entries: [] },
  requests: readonly Entry[],
): { readonly page: Page; readonly added: number; readonly missing: readonly Entry[] } {
  const there = new Set(newest.entries.map(markOf)); // a store may have written what it could not acknowledge
  const missing = requests.filter((request) => !there.has(markOf(request)));
  const placesTaken = (newest.left ?? 0) + newest.entries.length;
  const isFull = placesTaken >= PAGE_ENTRIES;
  const { entries, ...page } = isFull ? { page: newest.page + 1, writes: 0, entries: [] } : newest;
  const added = missing.slice(0, PAGE_ENTRIES - (isFull ? 0 : placesTaken));
  const grown = { ...page, writes: page.writes + 1, entries: [...entries, ...added] };
  return { page: grown, added: added.length, missing };
}

/** A caller may give several requests one id: their times differ, or nothing distinguishes them. */
const markOf = ({ requestId, at, ms, route }: Entry): string => `${requestId} ${at} ${ms} ${route}`;
