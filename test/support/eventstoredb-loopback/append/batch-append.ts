// The batch append, the client's default: many appends on one call, each answered under its correlation id.
import type { Counters } from '../counters.ts';
import type { Faults } from '../faults.ts';
import { type GrpcCall, OK } from '../grpc/grpc-call.ts';
import type { ProposedEvent } from '../log/event-record.ts';
import { type AppendOutcome, batchAnswer, MAX_APPEND_BYTES } from './append-answer.ts';
import { appendBytes, type BatchAppendMessage, type BatchAppendOptions, readBatchAppend } from './append-message.ts';
import { type Appends, WRITE_TIMEOUT_MS } from './appends.ts';

/** An append with parts still to come. */
interface Unfinished {
  readonly options: BatchAppendOptions;
  readonly events: ProposedEvent[];
}

export function batchAppend(appends: Appends, faults: Faults, counters: Counters): (call: GrpcCall) => void {
  return (call) => {
    counters.opened('batchAppends', call);
    const unfinished = new Map<string, Unfinished>();
    let answers: Buffer[] = [];
    const send = (answer: Buffer): void => {
      // The answers of one turn go out in one write.
      if (answers.push(answer) > 1) return;
      queueMicrotask(() => {
        call.send(answers.length === 1 ? answer : Buffer.concat(answers));
        answers = [];
      });
    };
    call.receive(
      (bytes) => {
        const message = readBatchAppend(bytes);
        const append =
          message.final && message.options !== undefined
            ? { options: message.options, events: message.events }
            : gather(unfinished, message);
        if (append === undefined) return;
        const { correlation } = message;
        const { options, events } = append;
        const answer = (outcome: AppendOutcome): void =>
          send(batchAnswer(outcome, { correlation, identifier: options.identifier, expected: options.expected }));
        const refused = refusedAppend(message, append, faults);
        if (refused === undefined) {
          if (message.final)
            appends.submit({ stream: options.stream, expected: options.expected, events, answer, call });
          return;
        }
        counters.append(options.stream, events);
        unfinished.delete(correlation.toString('latin1'));
        answer(refused);
        // The real server does not forget a bad request: it answers again when its own write timeout is over.
        if (refused.kind === 'bad_request') setTimeout(() => answer({ kind: 'timeout' }), WRITE_TIMEOUT_MS);
      },
      () => call.end(OK),
    );
  };
}

/** The append that this message belongs to, with its parts so far. Undefined if it was already refused. */
function gather(
  unfinished: Map<string, Unfinished>,
  { correlation, options, events, final }: BatchAppendMessage,
): Unfinished | undefined {
  const key = correlation.toString('latin1');
  const append = unfinished.get(key) ?? (options === undefined ? undefined : { options, events: [] });
  if (append === undefined) return undefined;
  append.events.push(...events);
  if (final) unfinished.delete(key);
  else unfinished.set(key, append);
  return append;
}

/** The refusals before the append is decided. */
function refusedAppend(
  message: BatchAppendMessage,
  { options, events }: Unfinished | { readonly options: BatchAppendOptions; readonly events: readonly ProposedEvent[] },
  faults: Faults,
): AppendOutcome | undefined {
  if (message.refused !== undefined) return { kind: 'bad_request', reason: message.refused };
  if (message.options !== undefined && options.deadline <= faults.now()) return { kind: 'timeout' };
  return appendBytes(events) > MAX_APPEND_BYTES ? { kind: 'too_large' } : undefined;
}
