// Folds a log in the threads of its store, for all read models of streams that are built together, and hands their rows
// to the builders.

import { Digest } from '../../../stores/document-digest.ts';
import type { EventStore, Parcel } from '../../../stores/event-store.ts';
import { unpacked } from '../../../stores/packed-rows.ts';
import { StoreUnavailable } from '../../../stores/store-unavailable.ts';
import { type FoldedStreams, type Member, whenAllAbort } from './being-built.ts';
import { FoldNote, type FoldOrder } from './fold-work.ts';

/**
 * Resolves when each builder has taken every document up to `head`, or its member was told why not; undefined if the
 * store has no threads for this.
 */
export function foldInThreads(
  events: EventStore,
  module: URL,
  members: readonly Member[],
  head: bigint,
): Promise<void> | undefined {
  const going = new Map(members.map((member) => [member.of.name, new Folded(member, head)]));
  const take = async (parcel: Parcel, share: number): Promise<void> => {
    const note = FoldNote.parse(parcel.note);
    const folded = going.get(note.name);
    try {
      await folded?.take(parcel.bytes, note, share);
    } catch (fault) {
      going.delete(note.name);
      folded?.member.reject(fault);
      if (going.size === 0) throw fault; // the threads have nothing left to do
    }
  };
  const data: FoldOrder = members.map(({ of: { name, version } }) => ({ name, version }));
  const categories = [...new Set(members.flatMap(({ of }) => of.categories))];
  return events.spread?.({ module, data, categories, to: head, take }, whenAllAbort(members))?.then(
    () => {
      for (const folded of going.values()) folded.finish();
    },
    (fault: unknown) => {
      for (const { member } of going.values()) member.reject(member.signal.aborted ? member.signal.reason : fault);
    },
  );
}

class Folded implements FoldedStreams {
  readonly member: Member;
  readonly digest = new Digest();
  readonly unprojectable: string[] = [];
  readonly #head: bigint;
  #events = 0;

  constructor(member: Member, head: bigint) {
    this.member = member;
    this.#head = head;
  }

  async take(bytes: ArrayBuffer, { fault, digest, unprojectable, events }: FoldNote, share: number): Promise<void> {
    const { builder, signal } = this.member;
    signal.throwIfAborted();
    if (fault !== undefined) throw new StoreUnavailable(`A thread that reads the event log has failed: ${fault}`);
    this.digest.addAll(digest);
    this.unprojectable.push(...unprojectable);
    this.#events += events;
    this.#tell(BigInt(Math.floor(Number(this.#head) * share)));
    await (builder.writePacked?.(bytes) ?? builder.write(unpacked(bytes)));
  }

  finish(): void {
    const { resolve, reject } = this.member;
    try {
      this.#tell(this.#head);
      resolve({ position: this.#head, folded: this });
    } catch (fault) {
      reject(fault);
    }
  }

  #tell(position: bigint): void {
    this.member.onProgress({ events: this.#events, position, head: this.#head });
  }
}
