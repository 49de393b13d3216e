// Puts on record that an operator releases a stream, as the command line does, for tests of the engine.
import { recordRelease } from '../../../../src/commands/acts/record-release.ts';
import { act } from '../../../../src/domain/act.ts';
import { Streams } from '../../../../src/journal/streams.ts';
import type { EventStore } from '../../../../src/stores/event-store.ts';
import { calmWorld } from '../../../support/calm-world.ts';

/** True if it was not on record before. */
export const putRelease = (events: EventStore, stream: string, revision: number): Promise<boolean> => {
  const acts = new Streams(act, { events, world: calmWorld, report: () => undefined }, async () => undefined);
  return recordRelease(
    { acts, events, world: calmWorld, mayWrite: () => undefined },
    { accountId: '', stream, parkedAt: [revision] },
  );
};
