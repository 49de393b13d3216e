// The calls by which inner parts report their work, for metrics and traces; ports and HTTP are observed from around
// them.
export interface Observer {
  /**
   * Around a command's decisions on a stream and their append, its turn awaited; answers and throws what `work` does.
   */
  transact<T extends { readonly kind: string }>(stream: string, work: () => Promise<T>): Promise<T>;
  /** A command on a stream of this category met newer events than those it had decided on, and decides again. */
  decidesAgain(category: string): void;
  /** It has met them too often: 409. */
  givesUp(category: string): void;
  /** The circuit of a processor has opened or closed; called once at its creation too. */
  circuit(processor: string, isOpen: boolean): void;
  /** A request was refused because this limit against card testing is reached. */
  limited(limit: string): void;
  /** So many of a kind were over for their days, and left the read models. */
  left(kind: string, count: number): void;
  /** Around bringing a projection up to the events of one batch. */
  project(projection: string, events: number, work: () => Promise<void>): Promise<void>;
}
