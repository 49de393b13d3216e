// The contexts of what no request asked for: what an operator, a policy or a processor does.

import { newId, type World } from '../world.ts';
import type { ActorKind, Context } from './context.ts';

function runContext(world: World, kind: ActorKind, name: string, accountId: string, requestId?: string): Context {
  const id = newId(world, 'op');
  return { accountId, actor: { kind, id: name }, at: world.now(), requestId: requestId ?? id, operationId: id };
}

/** Somebody at the command line. */
export const operatorContext = (world: World, accountId: string): Context => runContext(world, 'operator', 'cli', accountId);

/** Work that fell due. */
export const policyContext = (world: World, name: string, accountId: string): Context => runContext(world, 'policy', name, accountId);

/** Something that a processor told us by the request `requestId`. */
export const processorContext = (world: World, name: string, accountId: string, requestId: string): Context =>
  runContext(world, 'processor', name, accountId, requestId);
