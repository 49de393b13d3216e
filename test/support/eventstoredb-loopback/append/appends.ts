// Handles the appends of one turn of the event loop together: decides each, writes all to the file at once, then
// answers.
import type { Counters } from '../counters.ts';
import type { Faults } from '../faults.ts';
import type { GrpcCall } from '../grpc/grpc-call.ts';
import type { EventLog } from '../log/event-log.ts';
import type { ProposedEvent } from '../log/event-record.ts';
import { isSoftDeleted, metastreamOf, ofMetastream, truncatedAt } from '../log/stream-metadata.ts';
import { systemEvent } from '../log/system-events.ts';
import type { AppendFault } from '../orders.ts';
import type { AppendOutcome } from './append-answer.ts';
import { decide, type Expected, RecentIds } from './append-rules.ts';
import { Uncommitted } from './uncommitted.ts';

/** How long the server waits for its disks and other nodes before it answers that it could not write. */
export const WRITE_TIMEOUT_MS = 2_000;

export interface Append {
  /** The call that the append came by. */
  readonly call: GrpcCall;
  readonly stream: string;
  readonly expected: Expected;
  readonly events: readonly ProposedEvent[];
  /** May be called twice, when that was ordered. */
  answer(outcome: AppendOutcome): void;
}

export class Appends {
  readonly #log: EventLog;
  readonly #faults: Faults;
  readonly #counters: Counters;
  readonly #onWritten: () => void;
  readonly #recent = new RecentIds();
  readonly #uncommitted = new Uncommitted<Append>();
  #hasQuorum = true;
  #waiting: Append[] = [];

  /** `onWritten` runs when there are new events to read. */
  constructor(log: EventLog, faults: Faults, counters: Counters, onWritten: () => void) {
    this.#log = log;
    this.#faults = faults;
    this.#counters = counters;
    this.#onWritten = onWritten;
  }

  submit(append: Append): void {
    this.#counters.append(append.stream, append.events);
    if (!this.#faults.ready) append.answer({ kind: 'not_ready' });
    else if (this.#waiting.push(append) === 1) setImmediate(() => this.#run());
  }

  loseQuorum(): void {
    this.#hasQuorum = false;
  }

  /** Writes the uncommitted appends, or drops them, as when another leader took over. */
  regainQuorum(isWritten: boolean): void {
    this.#hasQuorum = true;
    const taken = this.#uncommitted.release();
    if (isWritten) this.#waiting.push(...taken);
    this.#run();
  }

  #run(): void {
    const appends = callByCall(this.#waiting);
    this.#waiting = [];
    const before = this.#log.count;
    const told: (() => void)[] = [];
    for (const append of appends) {
      const fault = this.#faults.take(append.stream);
      if (fault !== undefined && 'when' in fault && fault.when === 'before') {
        if (fault.order === 'cut appends') told.push(() => append.call.cut());
        continue;
      }
      const outcome = this.#carryOut(append);
      if (outcome !== undefined) told.push(() => this.#tell(append, outcome, fault));
    }
    // Answers go out only after the events are in the file, so that these survive a kill at any later moment.
    this.#log.commit();
    for (const tell of told) tell();
    if (this.#log.count > before) this.#onWritten();
  }

  /** Undefined for an append that waits for the quorum. */
  #carryOut(append: Append): AppendOutcome | undefined {
    const { stream, events } = append;
    const decision = this.#uncommitted.decide(this.#log, append) ?? decide(this.#log, this.#recent, append);
    switch (decision.kind) {
      case 'already_written':
        this.#counters.repeated += 1;
        if (isSoftDeleted(this.#log, stream))
          return { kind: 'written', revision: decision.revision, position: undefined };
        return this.#writtenAt(stream, decision.revision);
      case 'write': {
        if (!this.#hasQuorum) {
          this.#uncommitted.take(append);
          setTimeout(() => append.answer({ kind: 'timeout' }), WRITE_TIMEOUT_MS);
          return undefined;
        }
        this.#counters.written += 1;
        const described = ofMetastream(stream);
        const wasDeleted = described !== undefined && isSoftDeleted(this.#log, described);
        this.#write(stream, events);
        const written = this.#writtenAt(stream, (this.#log.stream(stream)?.events.length ?? 0) - 1);
        // Metadata of a soft-deleted stream brings it back, too: the server hides its events by metadata of its own.
        if (wasDeleted && !isSoftDeleted(this.#log, described)) this.#bringBack(described);
        return written;
      }
      case 'wrong_expected':
        this.#counters.wrongExpected += 1;
        return decision;
      case 'deleted':
        return decision;
      default:
        return decision satisfies never;
    }
  }

  #write(stream: string, events: readonly ProposedEvent[]): void {
    if (events.length === 0) return;
    const now = Date.now();
    if (isSoftDeleted(this.#log, stream)) this.#bringBack(stream);
    const first = this.#log.count;
    this.#log.write(stream, events, now);
    events.forEach((event, offset) => {
      this.#recent.add(event.id, first + offset);
    });
  }

  /** A soft-deleted stream goes on from its next revision, and shows no earlier event. */
  #bringBack(stream: string): void {
    const length = this.#log.stream(stream)?.events.length ?? 0;
    const metadata = truncatedAt(this.#log, stream, length);
    this.#log.write(metastreamOf(stream), [systemEvent('$metadata', metadata)], Date.now());
  }

  #writtenAt(stream: string, revision: number): AppendOutcome {
    const index = this.#log.stream(stream)?.events[revision];
    return index === undefined
      ? { kind: 'written', revision: undefined, position: this.#log.end }
      : { kind: 'written', revision, position: this.#log.position(index) };
  }

  #tell(append: Append, outcome: AppendOutcome, fault: AppendFault | undefined): void {
    const answer = (): void => this.#faults.slowly(() => append.answer(outcome));
    switch (fault?.order) {
      case undefined:
        answer();
        break;
      case 'cut appends':
        append.call.cut();
        break;
      case 'ignore appends':
        break;
      case 'delay appends':
        setTimeout(answer, fault.ms);
        break;
      case 'answer appends twice':
        answer();
        setTimeout(answer, fault.gapMs);
        break;
      default:
        fault satisfies never;
    }
  }
}

/** Appends of one call stay in their order. Calls may go in any order, so the last one comes first here. */
function callByCall(appends: readonly Append[]): readonly Append[] {
  const calls = new Map<GrpcCall, Append[]>();
  for (const append of appends) {
    const sameCall = calls.get(append.call);
    if (sameCall === undefined) calls.set(append.call, [append]);
    else sameCall.push(append);
  }
  return [...calls.values()].reverse().flat();
}
