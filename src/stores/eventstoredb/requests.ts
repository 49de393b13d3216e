// The messages that the adapter sends: appends, reads and subscriptions.
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, { type BatchAppendReq, type ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { NewEvent } from '../event-store.ts';

type ReadOptions = ReadReq.Options;

/** Larger appends go in several messages: the server takes no message of more than 4 MiB. */
const MESSAGE_BYTES = 1024 * 1024;
/** What an event takes in a message besides its texts: id, content type, keys and lengths. */
const EVENT_BYTES = 128;

/** One append, in as many messages as it takes. */
export type AppendRequest = readonly BatchAppendReq[];

/** Without a deadline, because the server measures that by its own clock. */
export function appendRequest(stream: string, after: number, events: readonly NewEvent[]): AppendRequest {
  const options = new streams.BatchAppendReq.Options().setStreamIdentifier(identifierOf(stream));
  if (after < 0) options.setNoStream(new shared.Empty());
  else options.setStreamPosition(String(after));
  const messages = [new streams.BatchAppendReq().setOptions(options)];
  let bytes = 0;
  for (const event of events) {
    const data = Buffer.from(event.data);
    const metadata = Buffer.from(event.metadata);
    const size = EVENT_BYTES + event.type.length * 3 + data.length + metadata.length;
    if (bytes > 0 && bytes + size > MESSAGE_BYTES) {
      messages.push(new streams.BatchAppendReq());
      bytes = 0;
    }
    bytes += size;
    messages.at(-1)?.addProposedMessages(proposed(event, data, metadata));
  }
  messages.at(-1)?.setIsFinal(true);
  return messages;
}

function proposed({ id, type }: NewEvent, data: Uint8Array, metadata: Uint8Array): BatchAppendReq.ProposedMessage {
  const message = new streams.BatchAppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(id))
    .setData(data)
    .setCustomMetadata(metadata);
  message.getMetadataMap().set('type', type).set('content-type', 'application/json');
  return message;
}

export const correlation = (id: string): InstanceType<typeof shared.UUID> => new shared.UUID().setString(id);

/** The events of a stream with revision > after, at most `count`. */
export function readStreamRequest(stream: string, after: number, count: number): ReadReq {
  const from = new streams.ReadReq.Options.StreamOptions().setStreamIdentifier(identifierOf(stream)).setRevision(String(after + 1));
  return request(new streams.ReadReq.Options().setStream(from).setCount(String(count)).setNoFilter(new shared.Empty()));
}

/** A position as the server sends it: events of its own may have two different numbers. */
export interface LogPosition {
  readonly commit: string;
  readonly prepare: string;
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

/** The log after a position, then live. */
export function subscribeRequest(after: bigint, prefixes: Prefixes): ReadReq {
  const all = new streams.ReadReq.Options.AllOptions();
  if (after < 0n) all.setStart(new shared.Empty());
  else all.setPosition(positionOf({ commit: String(after), prepare: String(after) }));
  const name = new streams.ReadReq.Options.FilterOptions.Expression();
  if (prefixes.length > 0) name.setPrefixList([...prefixes]);
  else name.setRegex('^[^\\$].*');
  // Checkpoints are never used: they may name positions of the server's own events, which no head ever is.
  const filter = new streams.ReadReq.Options.FilterOptions().setStreamIdentifier(name).setCheckpointintervalmultiplier(1_000);
  if (prefixes.length > 0) filter.setMax(SEARCH_WINDOW_EVENTS);
  else filter.setCount(new shared.Empty());
  return request(
    new streams.ReadReq.Options().setAll(all).setSubscription(new streams.ReadReq.Options.SubscriptionOptions()).setFilter(filter),
  );
}

/** How many events the server looks through at a time for the wanted ones; its own number, 32, is slow where they are few. */
const SEARCH_WINDOW_EVENTS = 500;

function request(options: ReadOptions): ReadReq {
  const uuid = new streams.ReadReq.Options.UUIDOption().setString(new shared.Empty());
  return new streams.ReadReq().setOptions(options.setResolveLinks(false).setUuidOption(uuid));
}

const identifierOf = (stream: string): InstanceType<typeof shared.StreamIdentifier> =>
  new shared.StreamIdentifier().setStreamName(Buffer.from(stream));

const positionOf = ({ commit, prepare }: LogPosition): ReadReq.Options.Position =>
  new streams.ReadReq.Options.Position().setCommitPosition(commit).setPreparePosition(prepare);
