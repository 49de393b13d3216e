// The requests of reads and subscriptions.
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, { type ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { METADATA_OF } from './recorded-event.ts';

type ReadOptions = ReadReq.Options;

/** The events of a stream with revision > after, at most `count`. */
export function readStreamRequest(stream: string, after: number, count: number): ReadReq {
  const from = new streams.ReadReq.Options.StreamOptions()
    .setStreamIdentifier(identifierOf(stream))
    .setRevision(String(after + 1));
  return request(new streams.ReadReq.Options().setStream(from).setCount(String(count)).setNoFilter(new shared.Empty()));
}

/** The last event of a stream. */
export function readLastRequest(stream: string): ReadReq {
  const end = new streams.ReadReq.Options.StreamOptions()
    .setStreamIdentifier(identifierOf(stream))
    .setEnd(new shared.Empty());
  const options = new streams.ReadReq.Options().setStream(end).setCount('1').setNoFilter(new shared.Empty());
  return request(options.setReadDirection(streams.ReadReq.Options.ReadDirection.BACKWARDS));
}

/** A position as the server sends it: events of its own may have two different numbers. */
export interface LogPosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** The log backwards from a position or its end, at most `count` events. */
export function readAllBackwardsRequest(from: LogPosition | 'end', count: number): ReadReq {
  const all = new streams.ReadReq.Options.AllOptions();
  if (from === 'end') all.setEnd(new shared.Empty());
  else all.setPosition(positionOf(from));
  const options = new streams.ReadReq.Options().setAll(all).setCount(String(count)).setNoFilter(new shared.Empty());
  return request(options.setReadDirection(streams.ReadReq.Options.ReadDirection.BACKWARDS));
}

/** Streams whose names begin so; none: all but the server's own. */
export type Prefixes = readonly string[];

/** The log after a position, then live, with the metadata of streams. */
export function subscribeRequest(after: bigint, prefixes: Prefixes): ReadReq {
  const all = new streams.ReadReq.Options.AllOptions();
  if (after < 0n) all.setStart(new shared.Empty());
  else all.setPosition(positionOf({ commit: after, prepare: after }));
  const name = new streams.ReadReq.Options.FilterOptions.Expression();
  if (prefixes.length > 0) name.setPrefixList([...prefixes, ...prefixes.map((prefix) => METADATA_OF + prefix)]);
  else name.setRegex('^([^\\$]|\\$\\$[^\\$]).*');
  // Checkpoints are never used: they may name positions of the server's own events, which no head ever is.
  const filter = new streams.ReadReq.Options.FilterOptions()
    .setStreamIdentifier(name)
    .setCheckpointintervalmultiplier(1_000);
  if (prefixes.length > 0) filter.setMax(SEARCH_WINDOW_EVENTS);
  else filter.setCount(new shared.Empty());
  return request(
    new streams.ReadReq.Options()
      .setAll(all)
      .setSubscription(new streams.ReadReq.Options.SubscriptionOptions())
      .setFilter(filter),
  );
}

/**
 * How many events the server looks through at a time for the wanted ones; its own number, 32, is slow where they are
 * few.
 */
const SEARCH_WINDOW_EVENTS = 500;

function request(options: ReadOptions): ReadReq {
  const uuid = new streams.ReadReq.Options.UUIDOption().setString(new shared.Empty());
  return new streams.ReadReq().setOptions(options.setResolveLinks(false).setUuidOption(uuid));
}

const identifierOf = (stream: string): InstanceType<typeof shared.StreamIdentifier> =>
  new shared.StreamIdentifier().setStreamName(Buffer.from(stream));

const positionOf = ({ commit, prepare }: LogPosition): ReadReq.Options.Position =>
  new streams.ReadReq.Options.Position().setCommitPosition(String(commit)).setPreparePosition(String(prepare));
