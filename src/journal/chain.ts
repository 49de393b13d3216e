// The chain of a stream: every event is the next one and names the hash of the one before it. Every reader checks it.
import { BrokenStream } from '../stores/broken-stream.ts';
import type { EventStore, StoredEvent } from '../stores/event-store.ts';
import { beforeFirst, checkReadable, type Head, hashOf, metadataOf } from './envelope.ts';
import { endsInPreviousHash, textIn } from './metadata-text.ts';

/** The link that the next event of a stream has to follow. */
export type Link = Pick<Head, 'revision' | 'hash'>;

/** The link that an event makes which follows `before`. Throws BrokenStream for any other one. */
export function linkOf(before: Link, stored: StoredEvent): Link {
  checkOrder(before.revision, stored);
  checkHash(before.hash, stored);
  return { revision: stored.revision, hash: hashOf(stored) };
}

/**
 * Throws BrokenStream unless an event follows `before`, the one before it in its stream; undefined: it is the first.
 * For a reader of whole streams: it need not hash the last event of each.
 */
export function checkFollows(before: StoredEvent | undefined, stored: StoredEvent): void {
  checkOrder(before?.revision ?? -1, stored);
  checkHash(before === undefined ? '' : hashOf(before), stored);
}

function checkOrder(before: number, stored: StoredEvent): void {
  if (stored.revision !== before + 1)
    throw new BrokenStream(stored, before < 0 ? 'the events before it are missing' : `it comes after ${before}`);
}

function checkHash(before: string, stored: StoredEvent): void {
  if (!endsInPreviousHash(stored.metadata, before) && previousHashOf(stored) !== before)
    throw new BrokenStream(
      stored,
      'its previousHash is not the hash of the previous event; one of the two was altered',
    );
}

/**
 * The link of an event that is taken as it is, because it is where a reader begins. Throws BrokenStream if it is not
 * there.
 */
export function anchorAt(revision: number, stored: StoredEvent): Link {
  if (stored.revision !== revision) throw new BrokenStream(stored, `event ${revision} before it is missing`);
  return { revision, hash: hashOf(stored) };
}

/**
 * Events of a stream after a revision, with the link that each makes; the first is held against the event at that
 * revision.
 */
export async function* chained(
  events: Pick<EventStore, 'read'>,
  stream: string,
  after: number,
): AsyncGenerator<{ readonly stored: StoredEvent; readonly link: Link }, void> {
  let link: Link | undefined = after < 0 ? beforeFirst : undefined;
  for await (const stored of events.read(stream, Math.max(-1, after - 1))) {
    if (link === undefined) {
      link = anchorAt(after, stored);
      continue;
    }
    link = linkOf(link, stored);
    yield { stored, link };
  }
}

/**
 * Hands each event of a stream to `take`, oldest first, until `take` returns false. Resolves to the break if the stream
 * has an earlier one.
 */
export async function readUntilBreak(
  events: Pick<EventStore, 'read'>,
  stream: string,
  take: (stored: StoredEvent) => boolean | Promise<boolean>,
): Promise<BrokenStream | undefined> {
  try {
    for await (const { stored } of chained(events, stream, -1)) if (!(await take(stored))) break;
    return undefined;
  } catch (fault) {
    if (fault instanceof BrokenStream) return fault;
    throw fault;
  }
}

/**
 * The first break of a stream, which is read to its end. Of an event that nothing follows, only its text shows that it
 * was damaged.
 */
export const breakIn = (events: Pick<EventStore, 'read'>, stream: string): Promise<BrokenStream | undefined> =>
  readUntilBreak(events, stream, (stored) => {
    checkReadable(stored);
    return true;
  });

const previousHashOf = (stored: StoredEvent): string =>
  textIn(stored.metadata, 'previousHash') ?? metadataOf(stored).previousHash;
