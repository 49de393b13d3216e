// Connects to MongoDB with the guarantees that read models rely on, and says in plain words why it cannot.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, type DbOptions, MongoClient, type MongoClientOptions, MongoServerError, ReadConcern } from 'mongodb';
import { AppError } from '../../app-error.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { isClosedConnection, isPoolInUse, isSilence, isUnavailable, reasonOf } from './faults.ts';

/** All in ms. */
export interface MongoDbTimings {
  /** A read without an answer is given up after this. */
  readonly readMs: number;
  /** The deadline of a write. */
  readonly writeMs: number;
  /** How often the driver asks each server how it is. */
  readonly heartbeatMs: number;
  /** A server that is asked how it is, or connected to, and says nothing for so long has its connections closed. */
  readonly silenceMs: number;
  /** The deadline of one connection during work that may take as long as a collection is large. */
  readonly longWorkMs: number;
  /** After so long without any answer other clients are tried in place of these; 10 s if left out. */
  readonly renewMs?: number;
}

export const defaultTimings: MongoDbTimings = {
  readMs: 2_000,
  writeMs: 5_000,
  heartbeatMs: 1_000,
  silenceMs: 2_000,
  longWorkMs: 600_000,
};
const RENEW_MS = 10_000;

/** Where a URL names no database. */
const DEFAULT_DATABASE = 'counterfoil';
const MAX_CONNECTIONS = 50;
const LONG_WORK_CONNECTIONS = 10;
/** The server gives up a little before we do, so that its own reason is heard. */
export const serverMs = (ms: number): number => Math.ceil(ms * 0.9);

/** The database by the clients that are in use now: ask for it again for each question. */
export interface MongoDatabase {
  readonly database: Db;
  /**
   * The database over separate connections, opened when they are first needed: for work that may take hours, such as an
   * index. It waits for the majority without a limit, because a majority that is slow for a moment would count as a
   * failure.
   */
  readonly longWork: Db;
}

/**
 * The clients of one store. A driver can miss for ever that its server is back (7.9 waited on a destroyed connection),
 * and a client that was closed cannot be opened again: other clients take the place of those that get no answer.
 */
export class MongoConnection implements MongoDatabase {
  /** Hosts and database, without credentials. */
  readonly where: string;
  readonly #url: string;
  readonly #timings: MongoDbTimings;
  #opened: MongoDatabase;
  /** Of performance.now(): since when nothing was answered, or since the last try of other clients. */
  #silentSince: number | undefined;
  #renewing: Promise<void> | undefined;
  #isClosed = false;
  #onPoolCleared: () => void = () => undefined;

  constructor(where: string, url: string, timings: MongoDbTimings, opened: MongoDatabase) {
    this.where = where;
    this.#url = url;
    this.#timings = timings;
    this.#opened = opened;
  }

  get database(): Db {
    return this.#opened.database;
  }

  get longWork(): Db {
    return this.#opened.longWork;
  }

  /** Called whenever the driver closes the connections of the database. */
  onPoolCleared(listener: () => void): void {
    this.#onPoolCleared = listener;
    this.database.client.on('connectionPoolCleared', listener);
  }

  /** Does the work, whose answer says whether the clients are good. */
  async watched<T>(work: () => Promise<T>): Promise<T> {
    try {
      const answer = await work();
      this.#silentSince = undefined;
      return answer;
    } catch (fault) {
      if (isSilence(fault) || isUnavailable(fault) || isClosedConnection(fault)) this.#noteSilence();
      else this.#silentSince = undefined;
      throw fault;
    }
  }

  /** Resolves when the connections are closed, or will be without a caller waiting for it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#renewing;
    await close(this.#opened);
  }

  #noteSilence(): void {
    const now = performance.now();
    this.#silentSince ??= now;
    if (now - this.#silentSince < (this.#timings.renewMs ?? RENEW_MS)) return;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
      this.#silentSince = performance.now();
    });
  }

  async #renew(): Promise<void> {
    const others = openedBy(this.#url, this.#timings);
    const isAnswered = await probeOf(
      others,
      this.#timings,
    )(AbortSignal.timeout(this.#timings.writeMs)).then(
      () => true,
      () => false,
    );
    const silent = isAnswered && !this.#isClosed ? this.#opened : others;
    if (silent !== others) {
      this.#opened = others;
      others.database.client.on('connectionPoolCleared', this.#onPoolCleared);
    }
    await close(silent);
  }
}

/**
 * An idle connection is closed before the firewalls and balancers in between forget it (after 4 to 6 minutes, mostly).
 */
const IDLE_MS = 60_000;

/**
 * `timeoutMS` has no effect in this driver (7.9), so deadlines are ours (availability.ts). Three rules free a
 * connection that hangs: a server that does not answer the driver's own questions loses all of them, a read that is
 * given up closes its own, and so does a write that has no caller left.
 */
const optionsOf = ({ readMs, writeMs, heartbeatMs, silenceMs }: MongoDbTimings): MongoClientOptions => ({
  appName: 'counterfoil',
  maxPoolSize: MAX_CONNECTIONS,
  readPreference: 'primary',
  retryReads: true,
  retryWrites: true,
  serverSelectionTimeoutMS: serverMs(readMs),
  connectTimeoutMS: silenceMs,
  heartbeatFrequencyMS: heartbeatMs,
  waitQueueTimeoutMS: serverMs(readMs), // a pool in use does not make the store unavailable
  socketTimeoutMS: 2 * writeMs,
  maxIdleTimeMS: IDLE_MS,
  enableUtf8Validation: false, // the texts are our own
});

const longWorkOptions = (timings: MongoDbTimings): MongoClientOptions => ({
  ...optionsOf(timings),
  maxPoolSize: LONG_WORK_CONNECTIONS,
  waitQueueTimeoutMS: 0,
  socketTimeoutMS: timings.longWorkMs,
});

/**
 * The concerns of the database rather than of the client, where a URL could override them; a write waits for the
 * majority for `wtimeoutMS`, or without end.
 */
const concernsOf = (wtimeoutMS?: number): DbOptions => ({
  readPreference: 'primary',
  // Documents that another server may never have seen are not shown: a document that was read stays, even if the
  // primary is lost.
  readConcern: new ReadConcern('majority'),
  writeConcern: { w: 'majority', journal: true, ...(wtimeoutMS !== undefined && { wtimeoutMS }) },
});

/**
 * Throws AppError 'WrongSettings' for a URL, credentials or a server that cannot be used as they are, StoreUnavailable
 * for a server that does not answer. No message contains a password.
 */
export async function connect(url: string, timings: MongoDbTimings): Promise<MongoConnection> {
  const opened = openedBy(url, timings);
  const { database } = opened;
  const { srvHost, hosts: named } = database.client.options;
  const hosts = srvHost ?? named.map(String).join(',');
  const where = `${hosts}/${database.databaseName}`;
  try {
    checkServer(where, await database.admin().command({ hello: 1 }));
    await database.listCollections({}, { nameOnly: true }).toArray(); // may this user?
  } catch (fault) {
    await close(opened);
    throw startFault(where, fault);
  }
  return new MongoConnection(where, url, timings, opened);
}

/**
 * Checks that the store can be read and written. The query matches nothing and writes nothing, and is answered after a
 * majority has all earlier writes. If all connections are in use, it goes over one of the others: that is not an
 * absence.
 */
export const probeOf =
  (at: MongoDatabase, { writeMs }: MongoDbTimings) =>
  async (signal: AbortSignal): Promise<unknown> => {
    const { database, longWork } = at;
    const question = {
      update: 'generations',
      updates: [{ q: { _id: '' }, u: { $set: { r: 0 } } }],
      writeConcern: { w: 'majority', j: true, wtimeout: serverMs(writeMs) },
    };
    try {
      return await database.command(question, { signal });
    } catch (fault) {
      if (!isPoolInUse(fault)) throw fault;
      return longWork.command(question, { signal });
    }
  };

/** Connections that a paused server keeps from closing properly are closed later. */
const CLOSE_MS = 1_000;

/** Resolves when the connections are closed, or will be without a caller waiting for it. */
async function close({ database, longWork }: MongoDatabase): Promise<void> {
  const enough = new AbortController();
  const closed = Promise.allSettled([database, longWork].map(({ client }) => client.close()));
  await Promise.race([closed, sleep(CLOSE_MS, undefined, { signal: enough.signal }).catch(() => undefined)]);
  enough.abort();
}

function openedBy(url: string, timings: MongoDbTimings): MongoDatabase {
  try {
    const name = databaseIn(url);
    return {
      database: new MongoClient(url, optionsOf(timings)).db(name, concernsOf(serverMs(timings.writeMs))),
      longWork: new MongoClient(url, longWorkOptions(timings)).db(name, concernsOf()),
    };
  } catch (fault) {
    throw wrongSettings(`The URL of the read models cannot be used: ${reasonOf(fault)}.`, fault);
  }
}

function databaseIn(url: string): string {
  const path = /^[^/]+\/\/[^/?]+\/([^?]+)/.exec(url)?.[1];
  return path === undefined ? DEFAULT_DATABASE : decodeURIComponent(path);
}

const AUTHENTICATION_CODES: ReadonlySet<unknown> = new Set([18, 8000]);
const UNAUTHORIZED = 13;

function startFault(where: string, fault: unknown): AppError {
  if (fault instanceof AppError) return fault;
  const code = fault instanceof MongoServerError ? fault.code : undefined;
  if (AUTHENTICATION_CODES.has(code)) {
    return wrongSettings(
      `MongoDB at ${where} refuses the user or the password of the URL. Correct them; a user that is kept in another database needs ?authSource=<database>.`,
      fault,
    );
  }
  if (code === UNAUTHORIZED) {
    return wrongSettings(
      `MongoDB at ${where} does not let this user use the database: the user needs the role readWrite on it.`,
      fault,
    );
  }
  return new StoreUnavailable(
    `MongoDB at ${where} cannot be reached: ${reasonOf(fault)}. Start it or correct the URL; a replica set must have been initiated, have a primary, and name its members so that they can be reached from here. Sharded clusters are not supported.`,
    { cause: fault },
  );
}

/**
 * Majority writes, linearizable reads and writes that are retried once all need a replica set; one server can be one.
 */
function checkServer(where: string, hello: { readonly [field: string]: unknown }): void {
  if (hello['msg'] === 'isdbgrid') {
    throw wrongSettings(
      `MongoDB at ${where} is a sharded cluster, which lacks guarantees that the read models rely on. Name a replica set in the URL; one server is enough.`,
    );
  }
  if (hello['setName'] !== undefined) return;
  throw wrongSettings(
    `MongoDB at ${where} is not a member of a replica set. Start it with --replSet rs0 and run rs.initiate() on it once; one server is enough.`,
  );
}

const wrongSettings = (message: string, cause?: unknown): AppError => new AppError('WrongSettings', message, cause);
