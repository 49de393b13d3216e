// The replica set of one member: the answer to hello, and the clients that wait for a change of it.
import { Long, ObjectId } from 'bson';
import { encode, isRecord } from './bson/elements.ts';
import type { Command } from './commands/command.ts';
import { CommandError } from './commands/command-error.ts';

export const SET_NAME = 'loopback';
/** The wire version of MongoDB 6.0, below those where a driver sends `bulkWrite` as one command. */
const WIRE_VERSION = 17;

/** Later elections have higher ids, even those of the next process. */
const electionId = (): ObjectId => new ObjectId(`7fffffff${Date.now().toString(16).padStart(16, '0')}`);

export class Membership {
  readonly #processId = new ObjectId();
  readonly #address: string;
  #version = 1;
  #isPrimary = true;
  #isStandalone = false;
  #election = electionId();
  readonly #waiting = new Set<() => void>();

  constructor(port: number) {
    this.#address = `127.0.0.1:${port}`;
  }

  get primary(): boolean {
    return this.#isPrimary;
  }

  set primary(isPrimary: boolean) {
    if (isPrimary === this.#isPrimary) return;
    this.#isPrimary = isPrimary;
    if (isPrimary) this.#election = electionId();
    this.news();
  }

  set standalone(isStandalone: boolean) {
    if (isStandalone === this.#isStandalone) return;
    this.#isStandalone = isStandalone;
    this.news();
  }

  hello({ name }: Command): Buffer {
    return encode({
      helloOk: true,
      [name === 'hello' ? 'isWritablePrimary' : 'ismaster']: this.#isPrimary,
      topologyVersion: this.topologyVersion(),
      ...(this.#isStandalone ? {} : this.#set()),
      maxBsonObjectSize: 16 * 1024 * 1024,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      localTime: new Date(),
      logicalSessionTimeoutMinutes: 30,
      minWireVersion: 0,
      maxWireVersion: WIRE_VERSION,
      readOnly: false,
      ok: 1,
    });
  }

  #set(): object {
    const common = {
      secondary: !this.#isPrimary,
      hosts: [this.#address],
      setName: SET_NAME,
      setVersion: 1,
      me: this.#address,
    };
    return this.#isPrimary ? { ...common, primary: this.#address, electionId: this.#election } : common;
  }

  topologyVersion(): { readonly processId: ObjectId; readonly counter: Long } {
    return { processId: this.#processId, counter: Long.fromNumber(this.#version) };
  }

  /** How long an awaitable hello waits for a change, in milliseconds; 0 when the client has not seen the newest one. */
  patience({ body }: Command): number {
    const known = body['topologyVersion'];
    if (!isRecord(known) || body['maxAwaitTimeMS'] === undefined) return 0;
    const newest = String(known['processId']) === String(this.#processId) && Number(known['counter']) === this.#version;
    return newest ? Number(body['maxAwaitTimeMS']) : 0;
  }

  /** Calls back once, at a change or after that time. The returned function withdraws it. */
  await(ms: number, tell: () => void): () => void {
    const end = (): void => {
      clearTimeout(timer);
      this.#waiting.delete(once);
    };
    const once = (): void => {
      end();
      tell();
    };
    const timer = setTimeout(once, ms);
    this.#waiting.add(once);
    return end;
  }

  /** The refusal of a member that is not primary. `retryable` adds the real server's label of a retryable write. */
  notPrimary(write: boolean, retryable: boolean): CommandError {
    const details = {
      topologyVersion: this.topologyVersion(),
      ...(retryable ? { errorLabels: ['RetryableWriteError'] } : {}),
    };
    return write
      ? new CommandError(10107, 'NotWritablePrimary', 'not primary', details)
      : new CommandError(13435, 'NotPrimaryNoSecondaryOk', 'not primary and secondaryOk=false', details);
  }

  /** Wakes waiting clients, although hello itself has not changed. */
  news(): void {
    this.#version += 1;
    for (const tell of [...this.#waiting]) tell(); // a client that was told waits again
  }
}
