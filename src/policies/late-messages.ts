// Takes the queueing of messages back to those that come late: a parked payment was taken in after later messages were queued.
import type { Collection } from '../stores/read-models.ts';
import { sweeps, type WalkParts } from './walk.ts';

/** The positions of the events at which streams are parked, by stream. */
export type ParkedPositions = ReadonlyMap<string, number>;

/** The parked streams that were seen last: kept, because the node that does the work may die before it sees one taken in. */
const lateMessages: Collection<{ readonly parked: Readonly<Record<string, number>> }, never> = {
  name: 'late-messages',
  version: 1,
  keys: {},
  indexes: [],
};
const ID = 'all';

/**
 * Where streams that were parked are so no longer, the walk of this name goes on from the first of their events: messages that are queued
 * already are not queued again. Throws StoreUnavailable, and does no harm when it is repeated.
 */
export async function goBackToLate(walk: string, parked: ParkedPositions, { readModels, nameOfLog }: WalkParts): Promise<void> {
  const [kept] = await readModels.get(lateMessages, [ID]);
  const before = kept?.doc.parked ?? {};
  const takenIn = Object.entries(before).filter(([stream]) => !parked.has(stream));
  if (takenIn.length > 0) await goBack(walk, Math.min(...takenIn.map(([, position]) => position)), { readModels, nameOfLog });
  if (takenIn.length === 0 && [...parked.keys()].every((stream) => stream in before)) return;
  const doc = { parked: Object.fromEntries(parked) };
  await readModels.write(lateMessages, [{ id: ID, revision: (kept?.revision ?? -1) + 1, doc }]);
}

async function goBack(walk: string, position: number, { readModels, nameOfLog }: WalkParts): Promise<void> {
  const log = (await nameOfLog()) ?? '';
  const [place] = await readModels.get(sweeps, [walk]);
  if (place === undefined || place.doc.log !== log || Number(place.doc.key) < position) return;
  await readModels.write(sweeps, [{ id: walk, revision: place.revision + 1, doc: { key: position - 1, id: '', log } }]);
}
