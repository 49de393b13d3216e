// The last links of recently folded streams: the next event of each has to follow its link. A document itself holds no
// hash.
import { boundedCache } from '../../../journal/bounded-cache.ts';
import { anchorAt, type Link } from '../../../journal/chain.ts';
import { beforeFirst } from '../../../journal/envelope.ts';
import { BrokenStream } from '../../../stores/broken-stream.ts';
import type { EventStore } from '../../../stores/event-store.ts';

/** Some 200 bytes each. */
const REMEMBERED = 50_000;
const READS_AT_ONCE = 16;

/** A link that is not remembered is made of the event itself, as it is in the log: one short read. */
export class Heads {
  readonly #events: Pick<EventStore, 'read'>;
  readonly #links = boundedCache<Link>(REMEMBERED);

  constructor(events: Pick<EventStore, 'read'>) {
    this.#events = events;
  }

  keep(stream: string, link: Link): void {
    this.#links.set(stream, link);
  }

  /** The link at exactly this revision, where it is remembered. */
  at(stream: string, revision: number): Link | undefined {
    if (revision < 0) return beforeFirst;
    const link = this.#links.get(stream);
    return link?.revision === revision ? link : undefined;
  }

  /** Remembers the link of each stream at its revision; not of one whose event is no longer there. */
  async learn(wanted: ReadonlyMap<string, number>): Promise<void> {
    const unknown = [...wanted].filter(([stream, revision]) => this.at(stream, revision) === undefined);
    for (let from = 0; from < unknown.length; from += READS_AT_ONCE)
      await Promise.all(
        unknown.slice(from, from + READS_AT_ONCE).map(([stream, revision]) => this.#read(stream, revision)),
      );
  }

  async #read(stream: string, revision: number): Promise<void> {
    try {
      for await (const stored of this.#events.read(stream, revision - 1)) {
        if (stored.revision === revision) this.keep(stream, anchorAt(revision, stored));
        return;
      }
    } catch (fault) {
      if (!(fault instanceof BrokenStream)) throw fault; // the fold of the stream meets it again
    }
  }
}
