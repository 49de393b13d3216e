// The events that a piece of work appends, read from the event store itself.
import { expect } from 'chai';
import { z } from 'zod';
import type { EventStore, StoredEvent } from '../../src/stores/event-store.ts';
import type { Answer } from './http-request.ts';

/** All events in the log after a position. */
export async function eventsAfter(events: EventStore, position: bigint): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = [];
  for await (const batch of events.follow(position, [], new AbortController().signal)) {
    found.push(...batch.events);
    if (batch.caughtUp) break;
  }
  return found;
}

export interface Appended<T> {
  readonly answer: T;
  readonly events: readonly StoredEvent[];
  /** `category EventType` of each, in the order of the log. */
  readonly types: readonly string[];
}

const ByWhom = z.looseObject({ actor: z.looseObject({ kind: z.string() }) });
/** Policies append their events whenever work falls due, for example the look-up of an earlier test's payment. */
const isDueWork = ({ metadata }: StoredEvent): boolean => ByWhom.parse(JSON.parse(metadata)).actor.kind === 'policy';

const OfRequest = z.looseObject({ $correlationId: z.string() });

/** The events that a request caused, and none of a processor's notification about an earlier payment. */
export const causedBy = ({ answer, events }: Appended<Answer>): readonly StoredEvent[] =>
  events.filter(({ metadata }) => OfRequest.parse(JSON.parse(metadata)).$correlationId === answer.requestId);

/** Runs the work and answers the events that were appended meanwhile, without those of policies. */
export async function appendedBy<T>(events: EventStore, work: () => Promise<T>): Promise<Appended<T>> {
  const before = await events.head();
  const answer = await work();
  const appended = (await eventsAfter(events, before)).filter((event) => !isDueWork(event));
  return {
    answer,
    events: appended,
    types: appended.map(({ stream, type }) => `${stream.slice(0, stream.indexOf('-'))} ${type}`),
  };
}

const Metadata = z.looseObject({
  accountId: z.string(),
  $correlationId: z.string(),
  $causationId: z.string(),
  actor: z.strictObject({ kind: z.string(), id: z.string() }),
});

/** Asserts that every event names its request and its actor (contract §1, X-Request-Id). */
export function expectCausedBy(
  { answer, events }: Appended<Answer>,
  accountId: string,
  actor: { readonly kind: string; readonly id: string },
): void {
  for (const { metadata, type } of events) {
    const said = Metadata.parse(JSON.parse(metadata));
    expect({ accountId: said.accountId, requestId: said.$correlationId, actor: said.actor }, type).to.deep.equal({
      accountId,
      requestId: answer.requestId,
      actor,
    });
  }
}
