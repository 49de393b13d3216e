// Streams of an account for its users: their events with the change that each made, the state at a revision, the
// proof of the chain; and which of the parked streams are its own. Only the first event of a stream says whose it
// is.
import { chained } from '../journal/chain.ts';
import { hashOf, metadataOf } from '../journal/envelope.ts';
import type { ParkedStream } from '../projections/engine/parked/parked-records.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { EventStore } from '../stores/event-store.ts';
import { formatTime } from '../world.ts';
import {
  type DocumentChange,
  type EventView,
  isSecretPath,
  namedStream,
  replayOf,
  replayStream,
  type Step,
  withoutSecrets,
} from './replay-stream.ts';

/** An event with the change that it made. `hash`: of its stored text; the next event names it. */
export interface StreamStep extends EventView {
  readonly hash: string;
  readonly changes: readonly DocumentChange[];
}

/** Where a stream stops, and why. */
interface StreamBreak {
  readonly revision: number;
  readonly fault: string;
}

interface StreamPage {
  readonly stream: string;
  readonly steps: readonly StreamStep[];
  /** More events follow. */
  readonly hasMore: boolean;
  readonly broken: StreamBreak | undefined;
}

interface StreamState {
  readonly stream: string;
  readonly revision: number;
  readonly recordedAt: string;
  readonly state: unknown;
  readonly broken: StreamBreak | undefined;
}

interface ChainLink {
  readonly revision: number;
  readonly type: string;
  readonly recordedAt: string;
  readonly previousHash: string;
  readonly hash: string;
}

interface ChainProof {
  readonly stream: string;
  /** Events that were checked; those after a break were not. */
  readonly events: number;
  readonly broken: StreamBreak | undefined;
  /** The newest `MOST_LINKS` of them, oldest first. */
  readonly links: readonly ChainLink[];
}

const MOST_LINKS = 200;

/** Each answers undefined for a text that names no stream of the account: another account's stream is none. */
export const makeOwnStreams = (events: Pick<EventStore, 'read'>) => ({
  /** Up to `limit` events after a revision. The stream is folded from its beginning. */
  async eventsOf(name: string, accountId: string, after: number, limit: number): Promise<StreamPage | undefined> {
    const own = await ownStream(events, name, accountId);
    if (own === undefined) return undefined;
    const { steps, broken } = await replayStream(
      events,
      own.stream,
      own.start,
      ({ revision }) => revision <= after + limit + 1,
    );
    const wanted = steps.filter(({ event }) => event.revision > after && event.revision <= after + limit);
    const hasMore = (steps.at(-1)?.event.revision ?? -1) > after + limit;
    return { stream: own.stream, steps: wanted.map(shown), hasMore, broken: breakOf(broken) };
  },

  /** After the event at this revision; after the last one where the stream is shorter. */
  async stateAt(name: string, accountId: string, at: number): Promise<StreamState | undefined> {
    const own = await ownStream(events, name, accountId);
    if (own === undefined) return undefined;
    const { state, steps, broken } = await replayStream(
      events,
      own.stream,
      own.start,
      ({ revision }) => revision <= at,
    );
    const last = steps.at(-1);
    if (last === undefined) return undefined;
    const { revision, recordedAt } = last.event;
    return { stream: own.stream, revision, recordedAt, state: withoutSecrets(state), broken: breakOf(broken) };
  },

  /** Holds every event against the hash of the one before it. */
  async verify(name: string, accountId: string): Promise<ChainProof | undefined> {
    const own = await ownStream(events, name, accountId);
    return own && proofOf(events, own.stream);
  },
});

async function ownStream(events: Pick<EventStore, 'read'>, name: string, accountId: string) {
  const stream = namedStream(name);
  const start = stream === undefined ? undefined : replayOf(stream);
  if (stream === undefined || start === undefined || !(await isStreamOf(events, stream, accountId))) return undefined;
  return { stream, start };
}

/** True if the stream's first event is of the account; false for one that cannot be read. */
export const isStreamOf = async (
  events: Pick<EventStore, 'read'>,
  stream: string,
  accountId: string,
): Promise<boolean> => (await accountOfStream(events, stream)) === accountId;

/** The account of the stream's first event; undefined if there is none that can be read. */
export async function accountOfStream(events: Pick<EventStore, 'read'>, stream: string): Promise<string | undefined> {
  try {
    for await (const stored of events.read(stream, -1)) return metadataOf(stored).accountId;
    return undefined;
  } catch (fault) {
    if (isBroken(fault)) return undefined;
    throw fault;
  }
}

async function proofOf(events: Pick<EventStore, 'read'>, stream: string): Promise<ChainProof> {
  const links: ChainLink[] = [];
  let count = 0;
  try {
    for await (const { stored, link } of chained(events, stream, -1)) {
      const { revision, type } = stored;
      const { previousHash, recordedAt } = metadataOf(stored);
      links.push({ revision, type, recordedAt: formatTime(recordedAt), previousHash, hash: link.hash });
      count += 1;
      if (links.length > MOST_LINKS) links.shift();
    }
  } catch (fault) {
    if (!isBroken(fault)) throw fault;
    return { stream, events: count, broken: breakOf(fault), links };
  }
  return { stream, events: count, broken: undefined, links };
}

const shown = ({ stored, event, changes }: Step): StreamStep => ({
  ...event,
  data: withoutSecrets(event.data),
  hash: hashOf(stored),
  changes: changes.map(shownChange),
});

function shownChange({ path, before, after }: DocumentChange): DocumentChange {
  const name = isSecretPath(path) ? 'secret' : '';
  return {
    path,
    ...(before !== undefined && { before: withoutSecrets(before, name) }),
    ...(after !== undefined && { after: withoutSecrets(after, name) }),
  };
}

const breakOf = (broken: BrokenStream | undefined): StreamBreak | undefined =>
  broken && { revision: broken.revision, fault: broken.message };

const isBroken = (fault: unknown): fault is BrokenStream => fault instanceof BrokenStream;

interface OwnParked {
  readonly own: readonly ParkedStream[];
  /** The number of streams of other accounts among those that were checked. */
  readonly others: number;
  /** True if every parked stream was looked at. */
  readonly isWhole: boolean;
}

/** `isOwn` reads an event. `most`: so many streams are looked at. */
export async function ownParked(
  parked: readonly ParkedStream[],
  isOwn: (one: ParkedStream) => Promise<boolean>,
  most: number,
): Promise<OwnParked> {
  const looked = parked.slice(0, most);
  const answers = await Promise.all(looked.map(isOwn));
  const own = looked.filter((_, place) => answers[place] === true);
  return { own, others: looked.length - own.length, isWhole: looked.length === parked.length };
}
