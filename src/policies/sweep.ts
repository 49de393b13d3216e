// Looks at each document once, in the order of a key that may stay for ever: the last document is kept on record, so that none is looked at again.
import { UnknownEvent } from '../journal/envelope.ts';
import type { Collection, Key, Stored } from '../stores/read-models.ts';
import { Alarm } from '../world.ts';
import { type DueParts, inRounds, type PolicyNode } from './policy.ts';

export interface Sweep<Doc extends object, K extends string> {
  /** kebab-case; its last document is kept under this name: a renamed sweep begins anew. */
  readonly name: string;
  readonly of: Collection<Doc, K>;
  /** The other stores that it reads. */
  readonly needs: readonly { readonly name: string }[];
  /** The key, in ms, that documents get when there is something to look at. */
  readonly by: K;
  /**
   * How far before the present it stays, ms. A document that is written with an older key than the swept ones (a slow
   * request, the clock of another node) is missed; so this time is longer than those take.
   */
  readonly graceMs: number;
  /** How often it goes on, ms. */
  readonly everyMs: number;
  /** A page of documents. A fault of one document that is no absence of a store must not leave here: all later documents would wait. */
  readonly look: (rows: readonly Stored<Doc>[]) => Promise<void>;
}

/** The last document that was looked at. */
interface SweptTo {
  readonly key: Key;
  readonly id: string;
}
interface Kept extends SweptTo {
  /** The log that its documents are of: read models may be built again from another one. */
  readonly log: string;
}
export const sweeps: Collection<Kept, never> = { name: 'sweeps', version: 1, keys: {}, indexes: [] };

export interface SweepParts extends DueParts {
  /** Tells the log from any other one. */
  readonly nameOfLog: () => Promise<string | undefined>;
}

const PAGE = 100;
/** Between two pages: a long backlog leaves nine tenths of the time to requests. */
const PAUSE_MS = 50;

/**
 * Sweeps until the signal aborts, on the node that does due work. Nothing here is due at a time: a clock that is moved does not
 * hurry it, so that it meets no claim of a request that is under way at that moment.
 */
export const runSweep = <Doc extends object, K extends string>(
  sweep: Sweep<Doc, K>,
  parts: SweepParts,
  node: PolicyNode,
  signal: AbortSignal,
): Promise<void> => {
  const isBuilt = (name: string): boolean => [{ name }, ...sweep.needs].every((one) => parts.isBuilt(one.name));
  const round = (): Promise<void> =>
    sweepOn(sweep, parts, node, signal).catch((fault: unknown) => {
      if (!(fault instanceof UnknownEvent)) throw fault; // a newer node wrote it, and goes on from there
    });
  return inRounds(sweep, round, { ...parts, isBuilt, alarm: new Alarm() }, node, signal);
};

/** Goes on from where the last one stopped, on any node, to documents that are `graceMs` old. */
export async function sweepOn<Doc extends object, K extends string>(
  { name, of, by, graceMs, look }: Sweep<Doc, K>,
  { readModels, nameOfLog }: Pick<SweepParts, 'readModels' | 'nameOfLog'>,
  { world }: Pick<PolicyNode, 'world'>,
  signal: AbortSignal,
): Promise<void> {
  const log = (await nameOfLog()) ?? '';
  const [kept] = await readModels.get(sweeps, [name]);
  let swept: SweptTo | undefined = kept?.doc.log === log ? kept.doc : undefined;
  let revision = kept?.revision ?? -1;
  const where: { [N in K]?: { readonly to: number } } = {};
  where[by] = { to: world.now() - graceMs };
  while (!signal.aborted) {
    const rows = await readModels.find(of, {
      where,
      order: { by, descending: false },
      limit: PAGE,
      ...(swept && { after: { key: swept.key, id: swept.id } }),
    });
    const last = rows.at(-1);
    const key = last === undefined ? undefined : of.keys[by](last.doc);
    if (last === undefined || key === undefined) return;
    await look(rows);
    swept = { key, id: last.id };
    revision += 1;
    // Two nodes that sweep at the same time write the same revision: either record is good, and documents in between are looked at again.
    await readModels.write(sweeps, [{ id: name, revision, doc: { ...swept, log } }]);
    if (rows.length < PAGE) return;
    await world.sleep(PAUSE_MS, signal).catch(() => undefined);
  }
}
