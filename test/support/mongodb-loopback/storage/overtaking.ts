// The ordered overtaking: another writer's document is inserted just before an upsert inserts its own.
import type { Collection } from './collection.ts';
import { idKey, idOf } from './id-key.ts';

interface Overtaker {
  readonly collection: string;
  readonly doc: Buffer;
}

export class Overtaking {
  #waiting: readonly Overtaker[] = [];

  order(collection: string, doc: Buffer): void {
    this.#waiting = [...this.#waiting, { collection, doc }];
  }

  /** An upsert calls this after it found no document and before it inserts one. */
  insert(collection: Collection, id: unknown): void {
    if (this.#waiting.length === 0) return;
    const met = this.#waiting.find(
      ({ doc, ...by }) => collection.namespace.endsWith(`.${by.collection}`) && idKey(idOf(doc)) === idKey(id),
    );
    if (met === undefined) return;
    this.#waiting = this.#waiting.filter((one) => one !== met);
    collection.insert(idKey(id), met.doc);
  }

  clear(): void {
    this.#waiting = [];
  }
}
