// Decodes the request of a read or subscription: its start, direction and filter.
import streams from '@eventstore/db-client/generated/streams_pb.js';

/** A revision in a stream, or a position in the log. */
export type From = 'start' | 'end' | number;

export interface EventFilter {
  readonly on: 'stream' | 'type';
  readonly matches: (name: string) => boolean;
  /** The number of events, matching or not, from one checkpoint to the next. */
  readonly checkpointEvents: number;
}

export interface ReadRequest {
  /** Undefined for $all. */
  readonly stream: string | undefined;
  readonly from: From;
  readonly backwards: boolean;
  /** The most events to read; undefined for a subscription, which never ends. */
  readonly count: number | undefined;
  readonly filter: EventFilter | undefined;
}

/** A real server filters this many events at a time, unless the client names a number. */
const SEARCH_WINDOW_EVENTS = 32;

type Options = streams.ReadReq.Options;

export function readRequest(message: Buffer): ReadRequest {
  const options = streams.ReadReq.deserializeBinary(message).getOptions();
  if (options === undefined) throw new Error('a read without options');
  const stream = options.getStream();
  const name = stream?.getStreamIdentifier()?.getStreamName_asU8();
  return {
    stream: name === undefined ? undefined : Buffer.from(name).toString(),
    from: fromOf(options),
    backwards: options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS,
    count: options.hasSubscription() ? undefined : Number(options.getCount()),
    filter: filterOf(options),
  };
}

function fromOf(options: Options): From {
  const [stream, all] = [options.getStream(), options.getAll()];
  const source = stream ?? all;
  if (source?.hasEnd() === true) return 'end';
  if (stream?.hasRevision() === true) return Number(stream.getRevision());
  const position = all?.getPosition();
  if (position === undefined) return 'start';
  const [commit, prepare] = [Number(position.getCommitPosition()), Number(position.getPreparePosition())];
  // No event of this server has two different positions.
  return commit === prepare ? commit : Number.NaN;
}

function filterOf(options: Options): EventFilter | undefined {
  const filter = options.getFilter();
  if (filter === undefined) return undefined;
  const onStream = filter.getStreamIdentifier();
  const expression = onStream ?? filter.getEventType();
  if (expression === undefined) return undefined;
  const window = filter.hasMax() ? filter.getMax() : SEARCH_WINDOW_EVENTS;
  return {
    on: onStream === undefined ? 'type' : 'stream',
    matches: matcher(expression.getRegex(), expression.getPrefixList()),
    checkpointEvents: window * Math.max(1, filter.getCheckpointintervalmultiplier()),
  };
}

function matcher(regex: string, prefixes: readonly string[]): (name: string) => boolean {
  if (regex === '') return (name) => prefixes.some((prefix) => name.startsWith(prefix));
  const expression = new RegExp(regex);
  return (name) => expression.test(name);
}
