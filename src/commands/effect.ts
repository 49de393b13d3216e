// The one intended effect of a command: the input of its work, the result, and the append, which takes place once
// however often it runs.
import type { DomainEvent } from '../domain/category.ts';
import type { Rejection } from '../domain/decider.ts';
import type { Context } from '../journal/context.ts';
import type { Folded } from '../journal/fold.ts';
import type { Streams } from '../journal/streams.ts';
import { type Decide, type How, type Transacted, transact } from '../journal/transact.ts';
import { newId, type World } from '../world.ts';

/** The input of a command's own work. */
export interface Effect {
  readonly context: Context;
  /** The changed or new resource: derived from the key where there is one. */
  readonly resourceId: string;
  /**
   * How its events are appended: once, after the target stream's revision before the effect, where there is a key;
   * `empty` where this call made the resource's id at random, so that nothing can be in its stream.
   */
  readonly how: How;
}

/** Appends to the effect's target, once however often it is tried, and on any node. */
export const transactFor = <State extends object, Event extends DomainEvent>(
  { context, resourceId, how }: Effect,
  streams: Streams<State, Event>,
  decide: Decide<State, Event>,
): Promise<Transacted<State, Event>> => transact(streams, resourceId, context, decide, how);

/** The fold that the effect itself left, on whichever node: later appends of others are not part of its response. */
export const leftBy = <State extends object, Event extends DomainEvent>(
  streams: Streams<State, Event>,
  id: string,
  done: Exclude<Transacted<State, Event>, Rejection>,
): Promise<Folded<State>> | Folded<State> => (done.kind === 'repeated' ? streams.at(id, done.revision) : done.folded);

/** The revision of that fold. */
export const revisionOf = (done: Exclude<Transacted<object, object>, Rejection>): number =>
  done.kind === 'repeated' ? done.revision : done.folded.head.revision;

/**
 * The context of work for other commands that a command meets on its way: settling their attempts, ending their claims.
 * Under the command's own operation id a retry would take that work for its effect.
 */
export const aside = (context: Context, world: World): Context => ({ ...context, operationId: newId(world, 'op') });

/**
 * Revision of an effect's last event in a stream; undefined if it has none there. `once`: it appends once at most, so
 * that the search ends with that; its events are near the place where it was claimed, however long the stream has
 * become since.
 */
export async function lastEventOf<State extends object, Event extends DomainEvent>(
  streams: Streams<State, Event>,
  id: string,
  after: number,
  operationId: string,
  once = false,
): Promise<number | undefined> {
  let revision: number | undefined;
  for await (const { recorded, metadata } of streams.history(id, after)) {
    if (metadata.operationId === operationId) revision = recorded.revision;
    else if (once && revision !== undefined) break;
  }
  return revision;
}
