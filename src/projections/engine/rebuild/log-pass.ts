// One reading of the log for all read models that are built together: every event is read, hashed and parsed once.
import { readLog } from '../../../journal/read-log.ts';
import type { EventStore, StoredEvent } from '../../../stores/event-store.ts';
import { isOneOf } from '../../../stores/stream-name.ts';
import { type BeingBuilt, type Filled, type Member, whenAllAbort } from './being-built.ts';
import { foldInThreads } from './thread-folding.ts';

export interface LogPassParts {
  readonly events: EventStore;
  /** The module by which threads know the projections (foldWorkOf); without it, one thread folds. */
  readonly foldModule?: URL | undefined;
}

/** Begins when each of the read models reads, or has left: one that fails, or is over, stops none of the others. */
export class LogPass {
  readonly #parts: LogPassParts;
  readonly #awaited: Set<string>;
  readonly #members: Member[] = [];

  constructor(parts: LogPassParts, names: readonly string[]) {
    this.#parts = parts;
    this.#awaited = new Set(names);
  }

  /**
   * Reads the categories of a read model. Rejects with the signal's reason when it aborts, and with StoreUnavailable.
   */
  read(reading: BeingBuilt): Promise<Filled> {
    return new Promise((resolve, reject) => {
      this.#members.push({ ...reading, resolve, reject });
      this.leave(reading.of.name);
    });
  }

  /** The others wait for this one no longer. */
  leave(name: string): void {
    if (this.#awaited.delete(name) && this.#awaited.size === 0 && this.#members.length > 0) void this.#run();
  }

  /** Each member hears of its own fault. */
  async #run(): Promise<void> {
    const { events, foldModule } = this.#parts;
    const head = this.#members.reduce((furthest, { head: its }) => (its > furthest ? its : furthest), -1n);
    const streams = this.#members.filter(({ of }) => foldModule !== undefined && of.kind === 'stream');
    const inThreads = foldModule && streams.length > 0 ? foldInThreads(events, foldModule, streams, head) : undefined;
    const here = inThreads === undefined ? this.#members : this.#members.filter((one) => !streams.includes(one));
    await Promise.all([inThreads, here.length > 0 ? readHere(events, here, head) : undefined]);
  }
}

async function readHere(events: EventStore, members: readonly Member[], head: bigint): Promise<void> {
  let going = members.map((member) => new Share(member, head));
  const categories = [...new Set(members.flatMap(({ of }) => of.categories))];
  try {
    for await (const batch of readLog(events, { after: -1n, to: head, categories }, whenAllAbort(members))) {
      const handed = going.length === 1 ? batch.events : batch.events.map((stored) => ({ ...stored, known: {} }));
      const left: Share[] = [];
      for (const one of going) if (await one.take(handed, batch.position)) left.push(one);
      going = left;
      if (going.length === 0) return;
    }
    for (const one of going) await one.finish();
  } catch (fault) {
    for (const { member } of going) member.reject(member.signal.aborted ? member.signal.reason : fault);
  }
}

/** A member's part of the events that are read. */
class Share {
  readonly member: Member;
  readonly #head: bigint;
  #events = 0;
  #position = -1n;

  constructor(member: Member, head: bigint) {
    this.member = member;
    this.#head = head;
  }

  /** False once it has ended with a fault. */
  async take(events: readonly StoredEvent[], position: bigint): Promise<boolean> {
    const { of, filling, onProgress, signal, reject } = this.member;
    try {
      signal.throwIfAborted();
      const its = events.filter((stored) => isOneOf(of.categories, stored.stream));
      await filling.take(its);
      this.#events += its.length;
      this.#position = position;
      onProgress({ events: this.#events, position, head: this.#head });
      return true;
    } catch (fault) {
      reject(fault);
      return false;
    }
  }

  async finish(): Promise<void> {
    const { filling, resolve, reject } = this.member;
    await filling.finish().then(() => resolve({ position: this.#position }), reject);
  }
}
