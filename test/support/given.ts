// given(events).when(decision).then(events): the language of the domain's tests.
import { expect } from 'chai';
import type { DomainEvent } from '../../src/domain/category.ts';
import type { Decider, Decision, Rejection, RejectionId } from '../../src/domain/decider.ts';

export interface Then<State, Event> {
  /** Exactly these events, in this order. */
  then(...events: readonly Event[]): void;
  thenNothing(): void;
  thenRejected(errorId: RejectionId, details?: Partial<Rejection>): void;
  /** The fold after the decided events. Fails the test for a rejection. */
  readonly state: State;
}

export interface Given<State, Event> {
  /** The fold of the given events. */
  readonly state: State;
  when(decide: (state: State, revision: number) => Decision<Event>): Then<State, Event>;
}

/** The language for one category. Every event, given or decided, must also be one that could be stored. */
export function givenOf<State extends object, Event extends DomainEvent>(
  decider: Decider<State, Event>,
): (...events: readonly Event[]) => Given<State, Event> {
  const fold = (start: State, events: readonly Event[], after: number): State =>
    events.reduce((state, event, index) => {
      const revision = after + 1 + index;
      return decider.evolve(state, decider.category.event.parse(event), {
        id: `event-${revision}`,
        revision,
        at: 1_000 + revision,
      });
    }, start);
  return (...events) => {
    const state = fold(decider.initial, events, -1);
    return {
      state,
      when(decide) {
        const decision = decide(state, events.length - 1);
        return {
          // biome-ignore lint/suspicious/noThenProperty: `then` is part of the test language, and no test awaits it
          then: (...expected) => {
            expect(decision).to.deep.equal({ kind: 'accepted', events: expected });
            fold(state, expected, events.length - 1);
          },
          thenNothing: () => expect(decision).to.deep.equal({ kind: 'accepted', events: [] }),
          thenRejected: (errorId, details = {}) =>
            expect(decision).to.deep.include({ kind: 'rejected', errorId, ...details }),
          get state() {
            if (decision.kind === 'rejected') throw new Error(`rejected: ${decision.errorId}: ${decision.description}`);
            return fold(state, decision.events, events.length - 1);
          },
        };
      },
    };
  };
}
