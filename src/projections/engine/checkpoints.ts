// How far into the log each generation of each projection is: kept now and then, and only ever moved forward.
import { AppError } from '../../app-error.ts';
import type { Collection, ReadModelStore } from '../../stores/read-models.ts';
import type { Copy } from './catalog.ts';

export const checkpoints: Collection<{ readonly position: string }, never> = { name: 'checkpoints', version: 1, keys: {}, indexes: [] };

const idOf = (name: string, generation: number): string => `${name}.${generation}`;

/** The positions up to which each of these generations holds everything, in their order; -1n before the first event. */
export async function loadCheckpoints(
  store: ReadModelStore,
  copies: readonly { readonly name: string; readonly generation: number }[],
): Promise<readonly bigint[]> {
  const ids = copies.map(({ name, generation }) => idOf(name, generation));
  const rows = new Map((await store.get(checkpoints, ids)).map(({ id, doc }) => [id, BigInt(doc.position)]));
  return ids.map((id) => rows.get(id) ?? -1n);
}

/** First the rows are made to survive a loss of power, then the claim that they are there. */
export async function saveCheckpoint<Doc extends object, K extends string>(
  store: ReadModelStore,
  copy: Copy<Doc, K>,
  position: bigint,
): Promise<void> {
  await store.sync(copy);
  // Guarded like any document, by the position itself (below 2^53 in every log that we know).
  const row = { id: idOf(copy.name, copy.generation), revision: Number(position) + 1, doc: { position: String(position) } };
  await store.write(checkpoints, [row]);
}

/** How stores and this engine say that a checkpoint is no place of this log. */
const WRONG_LOG: ReadonlySet<string> = new Set(['CheckpointBeyondLog', 'LogEndsBefore', 'NoSuchPosition']);
export const isOfAnotherLog = (fault: unknown): fault is AppError => fault instanceof AppError && WRONG_LOG.has(fault.code);

/** The read models know more than the log: it was restored from an older backup, or they belong to another log. */
export class CheckpointBeyondLog extends AppError {
  constructor(name: string, position: bigint, head: bigint) {
    super(
      'CheckpointBeyondLog',
      `The read model ${name} was built up to event ${position}, but the log ends at ${head}: the log was restored from an older backup, or ` +
        'the read models belong to another log. Put the right log back, or run `counterfoil projections rebuild --all`.',
    );
  }
}
