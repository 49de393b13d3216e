// The plain append, a call of its own: the client uses it when an append has its own credentials.
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { failures } from '../grpc/failures.ts';
import { framed, type GrpcCall, type GrpcStatus, OK } from '../grpc/grpc-call.ts';
import type { ProposedEvent } from '../log/event-record.ts';
import { type AppendOutcome, MAX_APPEND_BYTES } from './append-answer.ts';
import { appendBytes, refusal } from './append-message.ts';
import type { Expected } from './append-rules.ts';
import type { Appends } from './appends.ts';

export function plainAppend(appends: Appends): (call: GrpcCall) => void {
  return (call) => {
    let options: streams.AppendReq.Options | undefined;
    const events: ProposedEvent[] = [];
    call.receive(
      (bytes) => {
        const message = streams.AppendReq.deserializeBinary(bytes);
        options ??= message.getOptions();
        const proposed = message.getProposedMessage();
        if (proposed !== undefined) events.push(proposedEvent(proposed));
      },
      () => {
        const stream = options?.getStreamIdentifier()?.getStreamName_asU8();
        if (options === undefined || stream === undefined)
          return call.end(failures.broken('Required field Options not set.'));
        const refused = events.map(refusal).find((reason) => reason !== undefined);
        if (refused !== undefined) return call.end(failures.broken(refused));
        if (appendBytes(events) > MAX_APPEND_BYTES) return call.end(failures.tooLarge(MAX_APPEND_BYTES));
        const name = Buffer.from(stream).toString();
        const expected = expectedIn(options);
        appends.submit({
          stream: name,
          expected,
          events,
          answer: (outcome) => call.end(...plainAnswer(name, expected, outcome)),
          call,
        });
      },
    );
  };
}

/** The status of the call. */
function plainAnswer(stream: string, expected: Expected, outcome: AppendOutcome): readonly [GrpcStatus, Buffer?] {
  switch (outcome.kind) {
    case 'written':
      return [OK, framed(plainSuccess(outcome.revision, outcome.position).serializeBinary())];
    case 'wrong_expected':
      return [OK, framed(plainWrongExpected(outcome.current, expected).serializeBinary())];
    case 'deleted':
      return [failures.deleted(stream)];
    case 'too_large':
      return [failures.tooLarge(MAX_APPEND_BYTES)];
    case 'timeout':
      return [failures.timeout()];
    case 'not_ready':
      return [failures.notReady()];
    case 'bad_request':
      return [failures.broken(outcome.reason)];
    default:
      return outcome satisfies never;
  }
}

function plainSuccess(revision: number | undefined, position: number | undefined): streams.AppendResp {
  const success = new streams.AppendResp.Success();
  if (revision === undefined) success.setNoStream(new shared.Empty());
  else success.setCurrentRevision(String(revision));
  if (position === undefined) success.setNoPosition(new shared.Empty());
  else
    success.setPosition(
      new streams.AppendResp.Position().setCommitPosition(String(position)).setPreparePosition(String(position)),
    );
  return new streams.AppendResp().setSuccess(success);
}

function plainWrongExpected(current: number | undefined, expected: Expected): streams.AppendResp {
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (current === undefined) wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(String(current));
  if (expected === 'any') wrong.setExpectedAny(new shared.Empty());
  else if (expected === 'no_stream') wrong.setExpectedNoStream(new shared.Empty());
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(new shared.Empty());
  else wrong.setExpectedRevision(String(expected));
  return new streams.AppendResp().setWrongExpectedVersion(wrong);
}

/** The expected revision in messages that append and that delete. */
export function expectedIn(options: {
  hasNoStream(): boolean;
  hasStreamExists(): boolean;
  hasRevision(): boolean;
  getRevision(): string;
}): Expected {
  if (options.hasRevision()) return Number(options.getRevision());
  if (options.hasNoStream()) return 'no_stream';
  return options.hasStreamExists() ? 'stream_exists' : 'any';
}

function proposedEvent(message: streams.AppendReq.ProposedMessage): ProposedEvent {
  const metadata = message.getMetadataMap();
  return {
    id: message.getId()?.getString().toLowerCase() ?? '',
    type: metadata.get('type') ?? '',
    contentType: metadata.get('content-type') ?? '',
    metadata: Buffer.from(message.getCustomMetadata_asU8()),
    data: Buffer.from(message.getData_asU8()),
  };
}
