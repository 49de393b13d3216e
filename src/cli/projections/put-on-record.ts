// Puts on record that an operator asked for work on read models; a log that the read models contradict gets no event.
import type { ActNeeds, RecordAct } from '../../commands/acts/record-act.ts';
import { actNeedsIn } from '../open/log-end.ts';
import type { RepairStores } from '../open/with-stores.ts';
import { tell } from '../output.ts';

/**
 * Read models that know more than the log say that the log is another one, or has lost events: an event more could make
 * both look alike, so none is appended then, and a line says so.
 */
export async function recordFor(stores: RepairStores): Promise<RecordAct> {
  const needs = await actsFor(stores);
  if (needs === undefined) {
    tell('No event records this request: the read models belong to another log.');
    return async () => undefined;
  }
  const { recordAct } = await import('../../commands/acts/record-act.ts');
  return recordAct(needs);
}

/** Where acts are put on record; undefined while the read models say that the log is another one. */
export async function actsFor({ projections, events, world, report }: RepairStores): Promise<ActNeeds | undefined> {
  if (await projections.areOfAnotherLog()) return undefined;
  return actNeedsIn(events, world, report);
}
