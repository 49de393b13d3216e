// Appends that a leader without a quorum has accepted: they have their places, and no reader sees them until they are
// committed.
import type { EventLog } from '../log/event-log.ts';
import type { ProposedEvent } from '../log/event-record.ts';
import type { Decision, Expected } from './append-rules.ts';

interface Placed {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: readonly ProposedEvent[];
}

export class Uncommitted<Append extends Placed> {
  /** In the order in which they came. */
  #appends: Append[] = [];
  readonly #events = new Map<string, number>();

  take(append: Append): void {
    this.#appends.push(append);
    this.#events.set(append.stream, (this.#events.get(append.stream) ?? 0) + append.events.length);
  }

  /** Removes and answers all of them. */
  release(): readonly Append[] {
    const appends = this.#appends;
    this.#appends = [];
    this.#events.clear();
    return appends;
  }

  /** Decides an append that follows these. Undefined if none of these is of its stream. Ids are not compared. */
  decide(log: EventLog, { stream, expected }: Placed): Decision | undefined {
    const events = this.#events.get(stream);
    if (events === undefined) return undefined;
    const head = (log.stream(stream)?.events.length ?? 0) - 1 + events;
    return (typeof expected === 'number' && expected !== head) || expected === 'no_stream'
      ? { kind: 'wrong_expected', current: head }
      : { kind: 'write' };
  }
}
