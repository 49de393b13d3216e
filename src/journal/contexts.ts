// The contexts of work without a request: an operator's, a policy's, a processor's.
import { newId, type World } from '../world.ts';
import type { ActorKind, Context, EventCause } from './context.ts';

function runContext(world: World, kind: ActorKind, name: string, accountId: string, cause?: EventCause): Context {
  const id = newId(world, 'op');
  return {
    accountId,
    actor: { kind, id: name },
    at: world.now(),
    operationId: id,
    ...causeOf(cause ?? { correlationId: id }),
  };
}

const causeOf = ({ correlationId, causationId }: EventCause): EventCause => ({
  correlationId,
  ...(causationId !== undefined && { causationId }),
});

/** A user of the dashboard who does an operator's work, and the request that asks for it. */
export interface ActingUser {
  readonly actor: Context['actor'];
  readonly requestId: string;
}

/** An operator at the command line, or a user of the dashboard. */
export const operatorContext = (world: World, accountId: string, by?: ActingUser): Context =>
  runContext(
    world,
    by?.actor.kind ?? 'operator',
    by?.actor.id ?? 'cli',
    accountId,
    by && { correlationId: by.requestId },
  );

/** Work that fell due because of an event (`Streams.causeAt`). */
export const policyContext = (world: World, name: string, accountId: string, cause: EventCause): Context =>
  runContext(world, 'policy', name, accountId, cause);

/** The context of a processor's report, which follows from the record of its notification. */
export const processorContext = (world: World, name: string, accountId: string, cause: EventCause): Context =>
  runContext(world, 'processor', name, accountId, cause);
