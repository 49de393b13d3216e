// The work of counterfoil projections: the read models, and the streams that are parked in them. What is asked for is
// on record as an act of an operator.
import { type ActNeeds, type RecordAct, recordAct } from '../../commands/acts/record-act.ts';
import { recordRelease } from '../../commands/acts/record-release.ts';
import { breakIn } from '../../journal/chain.ts';
import type { Projections } from '../../projections/engine/engine.ts';
import { LOG, type ParkedStream } from '../../projections/engine/parked/parked-records.ts';
import { accountOfStream } from '../../queries/own-streams.ts';
import { formatTime } from '../../world.ts';
import { streamNameOf, wholeStream } from '../audit/stream-name.ts';
import type { CommonOptions, GivenValues } from '../command.ts';
import { interruptible, Refused } from '../exit.ts';
import { actNeedsIn } from '../open/log-end.ts';
import { checkStoreKey, type RepairStores, withProjections } from '../open/with-stores.ts';
import { type CommandResult, tell } from '../output.ts';
import type { projections as rows } from '../rows/projections.ts';
import { listing, toSecond } from '../table.ts';

/** For commands that append nothing. */
const LOOKING = { onlyLooks: true };

export async function list(given: CommonOptions): Promise<CommandResult> {
  const all = await withProjections(given, ({ projections }) => projections.status(), LOOKING);
  const lines = all.map(({ name, version, state, documents, checkpoint, lagEvents, lagSeconds, parked: count }) => [
    name,
    String(version),
    state,
    String(documents),
    checkpoint,
    lagEvents === 0 && lagSeconds === 0 ? 'nothing' : `${lagEvents} events, ${lagSeconds} s`,
    String(count),
  ]);
  const headings = ['name', 'version', 'state', 'documents', 'checkpoint', 'behind', 'parked'];
  return {
    json: { data: all.map((one) => ({ ...one, generation: one.generation ?? null })) },
    text: listing('read models', headings, lines),
  };
}

export async function parked(given: GivenValues<typeof rows.parked>): Promise<CommandResult> {
  const withReleased = given.released === true;
  const found = await withProjections(
    given,
    ({ projections }) => projections.parked(given.name, { withReleased }),
    LOOKING,
  );
  const data = found.map(({ projection, stream, revision, type, reason, fault, at, isReleased = false }) => {
    return { projection, stream, revision, type, reason, fault, since: formatTime(at), isReleased };
  });
  const lines = data.map((one) => [
    one.projection,
    one.stream,
    String(one.revision),
    one.type,
    toSecond(one.since),
    one.isReleased ? `${one.reason}, released` : one.reason,
    one.fault,
  ]);
  const headings = ['read model', 'stream', 'revision', 'event', 'since', 'reason', 'fault'];
  return {
    json: { data },
    text: listing(withReleased ? 'parked or released streams' : 'parked streams', headings, lines),
  };
}

export const discard = (given: GivenValues<typeof rows.discard>): Promise<CommandResult> =>
  unpark(given, 'ParkedStreamDiscardRequested', (projections, stream, signal) =>
    projections.discard(given.name, stream, signal),
  );

export const retry = (given: GivenValues<typeof rows.retry>): Promise<CommandResult> =>
  unpark(given, 'ParkedStreamRetryRequested', (projections, stream, signal) =>
    projections.retry(given.name, stream, signal),
  );

/** Refused if the stream is parked again. */
async function unpark(
  given: GivenValues<typeof rows.retry>,
  type: 'ParkedStreamRetryRequested' | 'ParkedStreamDiscardRequested',
  goOn: (projections: Projections, stream: string, signal: AbortSignal) => Promise<boolean>,
): Promise<CommandResult> {
  const { name } = given;
  const named = streamNameOf(given.stream);
  const work = async (stores: RepairStores, signal: AbortSignal): Promise<CommandResult> => {
    const { projections, events } = stores;
    await checkStoreKey(stores, name);
    const stream = await wholeStream(events, named);
    const found = (await projections.parked(name, { withReleased: true })).find((one) => one.stream === stream);
    // One that is not parked, and a break that cannot be passed over, are refused below and leave no event.
    if (found !== undefined && !(name === LOG.name && type === 'ParkedStreamDiscardRequested')) {
      const accountId = (await accountOfStream(events, stream)) ?? '';
      const data = { projection: name, stream, revision: found.revision };
      await (await recordFor(stores))(accountId, { type, data });
    }
    const goesOn = await goOn(projections, stream, signal);
    return {
      json: { projection: name, stream, goesOn },
      text: goesOn ? `${stream} is no longer parked.` : `${stream} is still parked.`,
      warnings: goesOn ? [] : [`${stream} is parked again: \`counterfoil projections parked ${name}\` says why.`],
      isRefused: !goesOn,
    };
  };
  return interruptible('Stopping. Run the same command again to continue.', (signal) =>
    withProjections(given, (stores) => work(stores, signal), { signal }),
  );
}

/** Lets every read model go on without a stream, from the event on that parks it. */
export async function release(given: GivenValues<typeof rows.release>): Promise<CommandResult> {
  const named = streamNameOf(given.stream);
  return withProjections(given, async (stores) => {
    const stream = await wholeStream(stores.events, named);
    const { from, isNew } = await releaseOf(stores, stream);
    const said = `Every read model continues without ${stream} from revision ${from} on.`;
    return {
      json: { stream, from, isNew },
      text: isNew ? said : `${said} The stream was already released.`,
    };
  });
}

/** Puts the release on record, and then does it. Throws Refused for a stream that is not parked. */
async function releaseOf(
  work: RepairStores,
  stream: string,
): Promise<{ readonly from: number; readonly isNew: boolean }> {
  const { projections, events } = work;
  const parked = (await projections.parked()).filter((one) => one.stream === stream);
  const waiting = parked.filter(({ reason }) => reason !== 'limited');
  let isNew = false;
  if (waiting.length > 0) {
    const needs = await actsFor(work);
    if (needs === undefined) throw new Refused(`${stream} cannot be released: the read models belong to another log.`);
    const accountId = (await accountOfStream(events, stream)) ?? '';
    isNew = await recordRelease(
      { ...needs, events },
      { accountId, stream, parkedAt: waiting.map(({ revision }) => revision) },
    );
  }
  await projections.release(stream);
  const from = (await projections.releasedOf(stream)).at(-1)?.from;
  if (from === undefined) throw new Refused(await whyNot(work, stream, parked));
  return { from, isNew };
}

async function whyNot({ events }: RepairStores, stream: string, parked: readonly ParkedStream[]): Promise<string> {
  if (parked.length > 0)
    return `${stream} is not parked, but the metadata of the stream tells the event store to delete events of it. The stream is complete so far. Remove the limit from its metadata.`;
  const broken = await breakIn(events, stream);
  // a start or a rebuild meets the break, and a read of its resource
  if (broken !== undefined)
    return `${broken.message}. It is not parked, because no read model has met the break yet: restore the log, or start the service and release the stream then.`;
  for await (const _ of events.read(stream, -1, 1)) return `${stream} is not parked: every read model can read it.`;
  return `There is no stream ${stream} in the log.`;
}

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
  return recordAct(needs);
}

/** Where acts are put on record; undefined while the read models say that the log is another one. */
async function actsFor({ projections, events, world, report }: RepairStores): Promise<ActNeeds | undefined> {
  if (await projections.areOfAnotherLog()) return undefined;
  return actNeedsIn(events, world, report);
}
