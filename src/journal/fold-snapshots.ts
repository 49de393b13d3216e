// Folds of long streams, kept with the read models so that no command folds ten thousand events. Each has a MAC: a
// snapshot that was altered, or that another version of the fold made, is not valid, and the stream itself is read
// instead.
import { LRUCache } from 'lru-cache';
import type { StoreKey } from '../secrets.ts';
import type { Collection, ReadModels, Stored } from '../stores/read-models.ts';
import type { Head } from './envelope.ts';

/** Events between two snapshots of a stream: a cold fold reads twice as many at most, however long the stream is. */
export const SNAPSHOT_EVERY = 100;

export interface Snapshot {
  readonly head: Head;
  /** JSON of the fold's state. */
  readonly text: string;
}

/** As it is stored. */
export interface KeptSnapshot extends Snapshot {
  readonly stream: string;
  /** The version of the fold. */
  readonly version: number;
  /** HMAC under the store key over stream, head, version and text. */
  readonly mac: string;
}

export const foldSnapshots: Collection<KeptSnapshot, 'stream' | 'revision'> = {
  name: 'fold-snapshots',
  version: 1,
  keys: { stream: ({ stream }) => stream, revision: ({ head }) => head.revision },
  indexes: [['stream', 'revision']],
};

/** The snapshots as Streams uses them. */
export interface Snapshots {
  /**
   * The newest valid snapshot, after `after` and up to `until`; undefined also when the read models are
   * unavailable.
   */
  newest(stream: string, after: number, until: number): Promise<Snapshot | undefined>;
  /** Keeps one; no caller waits for it. */
  keep(stream: string, snapshot: Snapshot): void;
}

interface SnapshotParts {
  readonly readModels: Pick<ReadModels, 'find' | 'write'>;
  /** Its fingerprints are the MACs: they survive a rotation of the master secret. */
  readonly storeKey: Pick<StoreKey, 'fingerprint'>;
  readonly report: (fault: unknown) => void;
}

/** How many of the found snapshots are tried, newest first, until one is valid. */
const TRIED = 4;
const REMEMBERED = 1_000;

/**
 * `version`: of the fold; raised with that of the read model which keeps its state, it makes every older snapshot
 * worthless.
 */
export function foldSnapshotsOf({ readModels, storeKey, report }: SnapshotParts, version: number): Snapshots {
  /** By id, the revisions of invalid rows, so that they can be overwritten. */
  const disbelieved = new LRUCache<string, number>({ max: REMEMBERED });
  const macOf = (stream: string, { head, text }: Snapshot): string =>
    storeKey.fingerprint(
      'fold-snapshot',
      `${stream}\n${head.revision}\n${head.hash}\n${head.recordedAt}\n${version}\n${text}`,
    );
  const isBelieved = (stream: string, { doc }: Stored<KeptSnapshot>): boolean =>
    doc.version === version && doc.mac === macOf(stream, doc);
  return {
    async newest(stream, after, until) {
      const where = { stream: [stream], revision: { from: after + 1, ...(Number.isFinite(until) && { to: until }) } };
      const found = await readModels
        .find(foldSnapshots, { where, order: { by: 'revision', descending: true }, limit: TRIED })
        .catch(() => []);
      const believed = found.find((row) => isBelieved(stream, row));
      for (const row of found) if (row !== believed && !isBelieved(stream, row)) disbelieved.set(row.id, row.revision);
      return believed?.doc;
    },
    keep(stream, snapshot) {
      const id = `${stream}@${snapshot.head.revision}`;
      const doc = { ...snapshot, stream, version, mac: macOf(stream, snapshot) };
      readModels.write(foldSnapshots, [{ id, revision: (disbelieved.get(id) ?? -1) + 1, doc }]).catch(report);
      disbelieved.delete(id);
    },
  };
}

/** Overwrites the snapshots of streams whose personal data was erased: they are made again from the stream. */
export async function forgetSnapshots(
  readModels: Pick<ReadModels, 'find' | 'write'>,
  streams: readonly string[],
): Promise<void> {
  for (const stream of streams) {
    for (let after = -1; ; ) {
      const where = { stream: [stream], revision: { from: after + 1 } };
      const order = { by: 'revision', descending: false } as const;
      const found = await readModels.find(foldSnapshots, { where, order, limit: FORGOTTEN_TOGETHER });
      const empty = found.map(({ id, revision, doc }) => ({
        id,
        revision: revision + 1,
        doc: { ...doc, text: '', mac: '' },
      }));
      if (empty.length > 0) await readModels.write(foldSnapshots, empty);
      after = found.at(-1)?.doc.head.revision ?? after;
      if (found.length < FORGOTTEN_TOGETHER) break;
    }
  }
}
const FORGOTTEN_TOGETHER = 100;
