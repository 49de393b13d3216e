// One reading of the log for all read models that are built together: every event is read, hashed and parsed once.
import { readLog } from '../../../journal/read-log.ts';
import { BrokenStream } from '../../../stores/broken-stream.ts';
import { Digest } from '../../../stores/document-digest.ts';
import type { EventStore, Parcel, StoredEvent } from '../../../stores/event-store.ts';
import type { Builder } from '../../../stores/read-models.ts';
import { StoreUnavailable } from '../../../stores/store-unavailable.ts';
import type { AnyProjection } from '../../projection.ts';
import type { ProjectionFault } from '../parked/projection-fault.ts';
import { type FoldOrder, LogFold } from './fold.ts';
import { FoldNote } from './folded-model.ts';
import { SumDocuments } from './sum-documents.ts';

/** The module by which threads know the projections (foldWorkOf), and what else it needs. It can be cloned. */
export interface FoldModule {
  readonly url: URL;
  readonly secret?: Uint8Array | undefined;
}

export interface BuildPassParts {
  readonly events: EventStore;
  /** Without it this process folds alone. */
  readonly foldModule?: FoldModule | undefined;
}

export interface BuildProgress {
  readonly events: number;
  readonly position: bigint;
  /** Where the log ended when this began. */
  readonly head: bigint;
}

/** What the pass needs of a read model's builder, and where it gets its rows. */
export interface BeingBuilt {
  readonly of: AnyProjection;
  readonly builder: Pick<Builder, 'get' | 'write'>;
  /** Up to where it wants the log at least. */
  readonly head: bigint;
  /** The ids of discarded events. */
  readonly discards: ReadonlySet<string>;
  readonly onProgress: (progress: BuildProgress) => void;
  readonly signal: AbortSignal;
}

interface Filled {
  /** Up to where the builder has everything. */
  readonly position: bigint;
  /** Of all documents. */
  readonly digest: Digest;
  /** Where streams end, before an event that cannot be projected or before a break. */
  readonly faults: readonly ProjectionFault[];
}

/** Begins when each of the read models reads, or has left: one that fails, or is over, stops none of the others. */
export class BuildPass {
  readonly #parts: BuildPassParts;
  readonly #awaited: Set<string>;
  readonly #members: Member[] = [];

  constructor(parts: BuildPassParts, names: readonly string[]) {
    this.#parts = parts;
    this.#awaited = new Set(names);
  }

  /** Rejects with the signal's reason when it aborts, and with StoreUnavailable. */
  fill(reading: BeingBuilt): Promise<Filled> {
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
    const models = this.#members.map(({ of }) => of);
    const categories = [...new Set(models.flatMap((of) => of.categories))];
    const to = this.#members.reduce((furthest, { head }) => (head > furthest ? head : furthest), -1n);
    const signal = whenAllAbort(this.#members);
    const going = new Map<string, Target>();
    try {
      const discards = new Set(this.#members.flatMap((member) => [...member.discards]));
      for (const member of this.#members) going.set(member.of.name, new Target(member, to, discards));
      const take = (parcel: Parcel): Promise<void> => takeIn(going, parcel);
      const tell = (name: string, ahead: number, position: bigint): void => going.get(name)?.tell(position, ahead);
      const order: FoldOrder = {
        models: models.map(({ name, version }) => ({ name, version })),
        discards: [...discards],
      };
      const inThreads =
        foldModule &&
        events.spread?.(
          {
            module: foldModule.url,
            data: { order, secret: foldModule.secret },
            categories,
            to,
            async take(parcel, share) {
              const position = BigInt(Math.floor(Number(to) * share));
              await take(parcel);
              for (const target of going.values()) target.tell(position, 0);
            },
          },
          signal,
        );
      await inThreads;
      const fold = inThreads === undefined ? new LogFold(models, discards) : undefined;
      const position = fold === undefined ? to : await foldHere(fold, events, { to, categories, take, tell }, signal);
      for (const target of going.values()) await target.finish(position);
    } catch (fault) {
      const left = going.size > 0 ? [...going.values()].map(({ member }) => member) : this.#members;
      for (const { signal: its, reject } of left) reject(its.aborted ? its.reason : fault);
    }
  }
}

interface Member extends BeingBuilt {
  readonly resolve: (filled: Filled) => void;
  readonly reject: (fault: unknown) => void;
}

async function takeIn(going: Map<string, Target>, { bytes, note }: Parcel): Promise<void> {
  const its = FoldNote.parse(note);
  const target = going.get(its.name);
  try {
    await target?.take(bytes, its);
  } catch (fault) {
    going.delete(its.name);
    target?.member.reject(fault);
    if (going.size === 0) throw fault; // there is nothing left to do
  }
}

/** Streams that are read again side by side. */
const READS_AT_ONCE = 16;

interface Reading {
  readonly to: bigint;
  readonly categories: readonly string[];
  readonly take: (parcel: Parcel) => Promise<void>;
  /** `ahead`: the events of a read model that were folded, and whose parcel is not full. */
  readonly tell: (name: string, ahead: number, position: bigint) => void;
}

/** Folds in this process, in the order of the log; answers up to where. */
async function foldHere(
  fold: LogFold,
  events: EventStore,
  { to, categories, take, tell }: Reading,
  signal: AbortSignal,
): Promise<bigint> {
  let position = -1n;
  const hand = async (isLast: boolean): Promise<void> => {
    for (const parcel of fold.parcels(isLast)) await take(parcel);
  };
  for await (const batch of readLog(events, { after: -1n, to, categories }, signal)) {
    const forgotten = fold.forgotten(batch.events);
    for (let from = 0; from < forgotten.length; from += READS_AT_ONCE) {
      const some = forgotten.slice(from, from + READS_AT_ONCE);
      for (const earlier of await Promise.all(some.map((stored) => eventsBefore(events, stored)))) fold.resume(earlier);
    }
    fold.take(batch.events);
    position = batch.position;
    await hand(false);
    for (const { out } of fold.models) tell(out.name, out.events, position);
  }
  await hand(true);
  return position;
}

/** The events of the stream before this one; as far as they are there, which the fold meets. */
async function eventsBefore(events: EventStore, { stream, revision }: StoredEvent): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = [];
  try {
    for await (const stored of events.read(stream, -1)) {
      if (stored.revision >= revision) break;
      found.push(stored);
    }
  } catch (fault) {
    if (!(fault instanceof BrokenStream)) throw fault;
  }
  return found;
}

/** Documents over many streams, without their type. */
type Sums = Pick<SumDocuments<object, never>, 'take' | 'finish' | 'digest' | 'faults'>;

/** A member, and what came for it. */
class Target {
  readonly member: Member;
  readonly #head: bigint;
  readonly #digest = new Digest();
  /** By stream. */
  readonly #faults = new Map<string, ProjectionFault>();
  readonly #sums: Sums | undefined;
  #events = 0;

  constructor(member: Member, head: bigint, discards: ReadonlySet<string>) {
    this.member = member;
    this.#head = head;
    this.#sums = member.of.open((of): Sums | undefined =>
      of.kind === 'log' && of.add !== undefined ? new SumDocuments(of, member.builder, discards) : undefined,
    );
  }

  async take(bytes: ArrayBuffer, { failed, digest, faults, upTo, events }: FoldNote): Promise<void> {
    const { builder, signal } = this.member;
    signal.throwIfAborted();
    if (failed !== undefined) throw new StoreUnavailable(`A read model cannot be folded: ${failed}`);
    for (const fault of faults) this.#faults.set(fault.stored.stream, fault);
    this.#events += events;
    if (this.#sums !== undefined) return this.#sums.take(bytes, upTo);
    this.#digest.addAll(digest);
    await builder.write(bytes);
  }

  async finish(position: bigint): Promise<void> {
    const { resolve, reject } = this.member;
    try {
      await this.#sums?.finish();
      this.tell(position, 0);
      const faults = [...this.#faults.values(), ...(this.#sums?.faults ?? [])];
      resolve({ position, digest: this.#sums?.digest ?? this.#digest, faults });
    } catch (fault) {
      reject(fault);
    }
  }

  /** `ahead`: events of which nothing was taken yet. */
  tell(position: bigint, ahead: number): void {
    this.member.onProgress({ events: this.#events + ahead, position, head: this.#head });
  }
}

/** Aborts when nobody reads any longer. */
function whenAllAbort(members: readonly Pick<BeingBuilt, 'signal'>[]): AbortSignal {
  const over = new AbortController();
  const look = (): void => {
    if (members.every(({ signal }) => signal.aborted)) over.abort(members[0]?.signal.reason);
  };
  for (const { signal } of members) signal.addEventListener('abort', look, { once: true });
  look();
  return over.signal;
}
