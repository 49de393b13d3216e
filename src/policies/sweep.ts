// Looks at each document once, a while after it got a key that may stay for ever; and reads the processors' own lists
// of events each hour, for what a lost notification told.

import type { AccountConnections, ConnectionRow } from '../commands/connections/connections.ts';
import { UnknownEvent } from '../journal/envelope.ts';
import { Alarm, movedAheadMs } from '../world.ts';
import { type DueParts, inRounds, type PolicyNode } from './policy.ts';
import { type Pages, type Walk, type WalkParts, walkOn } from './walk.ts';

/** `by`: a key in ms. */
export interface Sweep<Doc extends object, K extends string> extends Walk<Doc, K> {
  /** The other stores that it reads. */
  readonly needs: readonly { readonly name: string }[];
  /**
   * How far before the present it stays, ms. A document that is written with an older key than the swept ones (a slow
   * request, the clock of another node) is missed; so this time is longer than those take.
   */
  readonly graceMs: number;
  /** How often it goes on, ms. */
  readonly everyMs: number;
}

export interface SweepParts extends DueParts, WalkParts {}

/** A long backlog leaves nine tenths of the time to requests. */
const PAGES: Pages = { page: 100, pauseMs: 50 };

/**
 * Sweeps until the signal aborts, on the node that does due work. Nothing here is due at a time: a clock that is moved
 * does not hurry it, so that it meets no claim of a request that is under way at that moment.
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
export const sweepOn = <Doc extends object, K extends string>(
  sweep: Sweep<Doc, K>,
  parts: WalkParts,
  { world }: Pick<PolicyNode, 'world'>,
  signal: AbortSignal,
): Promise<void> => walkOn(sweep, PAGES, world.now() - sweep.graceMs, parts, world, signal);

/** The actor in the events that it causes. */
const NAME = 'sweep-events';
const HOUR_MS = 3_600_000;
/** How often it looks whether a list is to be read, ms. */
const LOOK_MS = 60_000;

export interface SweepingNeeds extends PolicyNode {
  readonly connections: Pick<AccountConnections, 'listAll'>;
  readonly sweepEvents: (row: ConnectionRow, policy: string) => Promise<unknown>;
}

/**
 * On the node that does due work, until the signal aborts. Disabled connections as well: their payments are captured
 * and refunded.
 */
export function sweepEvents(needs: SweepingNeeds, parts: DueParts, signal: AbortSignal): Promise<void> {
  /** When this node has read the list of a connection, ms; a list without events puts no place on record. */
  const sweptAt = new Map<string, number>();
  const round = async (): Promise<void> => {
    const now = needs.world.now() - movedAheadMs(needs.world);
    for (const row of await needs.connections.listAll()) {
      if (signal.aborted) return;
      const last = Math.max(row.doc.eventsSweptUntil ?? 0, sweptAt.get(row.id) ?? 0);
      if (now - last < HOUR_MS) continue;
      sweptAt.set(row.id, now);
      await needs.sweepEvents(row, NAME);
    }
  };
  return inRounds({ of: { name: 'connections' }, everyMs: LOOK_MS }, round, parts, needs, signal);
}
