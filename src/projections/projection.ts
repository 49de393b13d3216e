// What a projection is: a fold of one stream category, and the collection its documents are kept and found in.
import type { DomainEvent } from '../domain/category.ts';
import type { Decider } from '../domain/decider.ts';
import { unsealEvent } from '../journal/envelope.ts';
import type { StoredEvent } from '../stores/event-store.ts';
import type { Collection } from '../stores/read-models.ts';

export interface Fold<Doc extends object> {
  /** The category of the streams that it reads; a document's id is its stream's. */
  readonly category: string;
  /** The document after an event; `doc` is undefined before the first. Never mutates; what it throws parks the stream. */
  readonly project: (doc: Doc | undefined, stored: StoredEvent) => Doc;
}

/** A projection whose document type nobody needs to know: what lists of different projections hold. */
export interface AnyProjection {
  readonly name: string;
  readonly version: number;
  readonly category: string;
  /** Hands the projection, with its types, to work that is generic in them. */
  readonly open: <T>(work: ProjectionWork<T>) => T;
}
export type ProjectionWork<T> = <Doc extends object, K extends string>(of: Projection<Doc, K>) => T;

export interface Projection<Doc extends object, K extends string> extends Collection<Doc, K>, Fold<Doc>, AnyProjection {
  readonly name: string;
  readonly version: number;
  readonly category: string;
}

export const projection = <Doc extends object, K extends string>(fold: Fold<Doc>, of: Collection<Doc, K>): Projection<Doc, K> => {
  const made: Projection<Doc, K> = { ...of, ...fold, open: (work) => work(made) };
  return made;
};

/** The decider's own fold: by default the read model is the state, kept. */
export const foldOf = <State extends object, Event extends DomainEvent>({
  category,
  initial,
  evolve,
}: Decider<State, Event>): Fold<State> => ({
  category: category.name,
  project: (doc, stored) => {
    const { event, recorded } = unsealEvent(category, stored);
    return evolve(doc ?? initial, event, recorded);
  },
});
