// A log that was forged whole: every stream chained again, and the log's own checkpoints signed by another secret.
import { z } from 'zod';
import { signedCheckpoint } from '../../src/audit/checkpoint.ts';
import { leafHash, MerkleTree } from '../../src/audit/merkle-tree.ts';
import { hashOf } from '../../src/journal/envelope.ts';
import { readLog } from '../../src/journal/read-log.ts';
import type { Secrets } from '../../src/secrets.ts';
import type { EventStore, NewEvent } from '../../src/stores/event-store.ts';

const Made = z.looseObject({ storeId: z.string(), treeSize: z.int(), position: z.string(), madeAt: z.string() });

export interface Entry {
  readonly stream: string;
  readonly event: NewEvent;
}
/** In the order of the log. */
export type Log = readonly Entry[];

export async function logOf(store: EventStore): Promise<Log> {
  const log: Entry[] = [];
  const nowhere = new AbortController().signal;
  for await (const { events } of readLog(store, { after: -1n, to: 'end', categories: [] }, nowhere))
    for (const { stream, id, type, data, metadata } of events)
      log.push({ stream, event: { id, type, data, metadata } });
  return log;
}

/** Appends one after the other, so that the log has this order. */
export async function writeLog(store: EventStore, log: Log): Promise<void> {
  const next = new Map<string, number>();
  for (const { stream, event } of log) {
    const revision = next.get(stream) ?? 0;
    const written = await store.append(stream, revision - 1, [event]);
    if (written !== 'written') throw new Error(`${stream}@${revision}: ${written}`);
    next.set(stream, revision + 1);
  }
}

/** Every stream chained again, as by a person who knows how. `signer`: signs the checkpoints of the log again. */
export function forged(log: Log, signer?: Secrets): Log {
  const streams = new Map<string, { readonly hash: string; readonly revision: number }>();
  const trees = new Map<number, string>();
  const tree = new MerkleTree();
  return log.map(({ stream, event }) => {
    const before = streams.get(stream);
    const metadata = event.metadata.replace(/"previousHash":"[0-9a-f]*"/, `"previousHash":"${before?.hash ?? ''}"`);
    const data = signer !== undefined && event.type === 'CheckpointMade' ? signedAgain(event.data, signer) : event.data;
    const chained = { ...event, data, metadata };
    const head = { hash: hashOf(chained), revision: (before?.revision ?? -1) + 1 };
    streams.set(stream, head);
    tree.add(leafHash(stream, head.revision, head.hash));
    trees.set(tree.size, tree.root());
    return { stream, event: chained };
  });

  function signedAgain(text: string, secrets: Secrets): string {
    const { extends: _extends, ...made } = Made.parse(JSON.parse(text));
    const { storeId, treeSize: events, position, madeAt } = made;
    const root = trees.get(events);
    if (root === undefined) throw new Error(`no tree of ${events} events`);
    const receipt = signedCheckpoint(
      { storeId, events, root, position: BigInt(position) },
      secrets,
      Date.parse(madeAt),
    );
    return JSON.stringify({ ...made, ...receipt });
  }
}
