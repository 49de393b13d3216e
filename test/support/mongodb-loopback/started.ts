// A started stand-in with its own data directory, and real clients of it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collection, type Document, MongoClient, type MongoClientOptions } from 'mongodb';
import { type MongoDbLoopback, openMongoDbLoopback } from './mongodb-loopback.ts';

export interface Row extends Document {
  readonly _id: string;
}

export class Started {
  readonly loopback: MongoDbLoopback;
  readonly directory: string;
  readonly #clients: MongoClient[] = [];
  #collections = 0;

  constructor(loopback: MongoDbLoopback, directory: string) {
    this.loopback = loopback;
    this.directory = directory;
  }

  /** Another client. It is closed at the end. */
  client(options: MongoClientOptions = {}): MongoClient {
    const client = new MongoClient(this.loopback.url, options);
    this.#clients.push(client);
    return client;
  }

  /** A collection of this test alone, on a client of its own. */
  rows(options: MongoClientOptions = {}): Collection<Row> {
    this.#collections += 1;
    return this.client(options).db().collection<Row>(`rows-${this.#collections}`);
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    await this.loopback.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}

export async function startLoopback(): Promise<Started> {
  const directory = await mkdtemp(join(tmpdir(), 'counterfoil-mongodb-loopback-'));
  return new Started(await openMongoDbLoopback({ directory }), directory);
}

/** The reason of the promise's rejection. A promise that resolves fails the test. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('the promise was not rejected');
}
