// The stand-in with real clients, for its own tests.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient, type JSONEventData, jsonEvent } from '@eventstore/db-client';
import {
  type EventStoreDbCounters,
  type EventStoreDbLoopback,
  openEventStoreDbLoopback,
} from './eventstoredb-loopback.ts';

export class Rig {
  readonly loopback: EventStoreDbLoopback;
  readonly directory: string;
  readonly #clients: EventStoreDBClient[] = [];

  private constructor(loopback: EventStoreDbLoopback, directory: string) {
    this.loopback = loopback;
    this.directory = directory;
  }

  static async open(): Promise<Rig> {
    const directory = await mkdtemp(join(tmpdir(), 'eventstoredb-loopback-'));
    return new Rig(await openEventStoreDbLoopback({ directory }), directory);
  }

  /** `settings` is appended to the connection string, e.g. `&defaultDeadline=500`. */
  client(settings = ''): EventStoreDBClient {
    const client = EventStoreDBClient.connectionString(this.loopback.url + settings);
    this.#clients.push(client);
    return client;
  }

  /**
   * Resolves when the server's counters satisfy `enough`. It polls, because the end of a client's call has no answer.
   */
  async counted(enough: (counters: EventStoreDbCounters) => boolean): Promise<void> {
    while (!enough(await this.loopback.counters()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.dispose()));
    await this.loopback.kill();
    await rm(this.directory, { recursive: true });
  }
}

export const someStream = (): string => `payment-${randomUUID()}`;

export const paid = (amount = 1, id: string = randomUUID()): JSONEventData =>
  jsonEvent({ id, type: 'paid', data: { amount }, metadata: { by: 'me' } });

export const someEvents = (count: number): JSONEventData[] => Array.from({ length: count }, (_, index) => paid(index));

export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The reason of the promise's rejection. A promise that resolves fails the test. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('the promise was expected to be rejected');
}

/** Resolves to the next event of the emitter under this name. */
export async function next(emitter: NodeJS.EventEmitter, name: string): Promise<unknown> {
  const [said]: unknown[] = await once(emitter, name);
  return said;
}
