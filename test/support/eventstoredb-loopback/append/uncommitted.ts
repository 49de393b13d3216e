// Appends that a leader without a quorum has taken: their places are theirs, and no reader sees them until they are committed.
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

  /** All of them, which are here no more. */
  release(): readonly Append[] {
    const appends = this.#appends;
    this.#appends = [];
    this.#events.clear();
    return appends;
  }

  /** What an append comes to behind these; undefined: none of them is of its stream. Their ids are not looked at. */
  decide(log: EventLog, { stream, expected }: Placed): Decision | undefined {
    const events = this.#events.get(stream);
    if (events === undefined) return undefined;
    const head = (log.stream(stream)?.events.length ?? 0) - 1 + events;
    return (typeof expected === 'number' && expected !== head) || expected === 'no_stream'
      ? { kind: 'wrong_expected', current: head }
      : { kind: 'write' };
  }
}
