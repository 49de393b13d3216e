// What a command's work is done under, what came of it, and how it appends its one effect, however often and wherever it is tried.
import type { DomainEvent } from '../domain/category.ts';
import type { Rejection } from '../domain/decider.ts';
import type { Context } from '../journal/context.ts';
import type { Folded, Streams } from '../journal/streams.ts';
import { type Decide, type Transacted, transact, transactNew, transactOnce } from '../journal/transact.ts';
import { newId, type World } from '../world.ts';
import type { Answer } from './caller.ts';

/** What a command's own work gets. */
export interface Operation {
  readonly context: Context;
  /** The resource that is changed, or made: derived from the key where there is one. */
  readonly resourceId: string;
  /** With a key: the target stream's revision before the operation; its events are looked for behind it. */
  readonly targetRevision?: number;
  /** True when this call made the resource's id at random: nothing can be in its stream. */
  readonly fresh: boolean;
}

/**
 * What came of a command's work. `appended`: the operation has an effect, which its key remembers. `abandoned`: it has
 * none and can never have one, so that its key must begin a new operation.
 */
export interface Worked<A extends Answer<unknown>> {
  readonly answer: A | Rejection;
  readonly appended: boolean;
  readonly abandoned?: boolean;
}

/** Appends to the operation's target: once, however often and wherever it is tried. */
export const transactFor = <State extends object, Event extends DomainEvent>(
  { context, resourceId, targetRevision, fresh }: Operation,
  streams: Streams<State, Event>,
  decide: Decide<State, Event>,
): Promise<Transacted<State, Event>> => {
  if (targetRevision !== undefined) return transactOnce(streams, resourceId, context, targetRevision, decide);
  return fresh ? transactNew(streams, resourceId, context, decide) : transact(streams, resourceId, context, decide);
};

/** The fold that the operation itself left, whoever wrote for it: what others appended later is no part of its answer. */
export const leftBy = <State extends object, Event extends DomainEvent>(
  streams: Streams<State, Event>,
  id: string,
  done: Exclude<Transacted<State, Event>, Rejection>,
): Promise<Folded<State>> | Folded<State> => (done.kind === 'repeated' ? streams.at(id, done.revision) : done.folded);

/** The revision of that fold. */
export const revisionOf = (done: Exclude<Transacted<object, object>, Rejection>): number =>
  done.kind === 'repeated' ? done.revision : done.folded.head.revision;

/**
 * The context of work that an operation meets on its way and does for others: settling their attempts, ending their claims.
 * Under the operation's own id a retry would take that for the operation's effect.
 */
export const aside = (context: Context, world: World): Context => ({ ...context, operationId: newId(world, 'op') });

/**
 * Revision of the operation's last event in a stream; undefined when it has none there. `once`: it appends once at most, so that the search
 * ends with that; its events are near the place where it was claimed, however long the stream has become since.
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
