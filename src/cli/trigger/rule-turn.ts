// One `trigger` at a time changes the sandbox's rules of an account: a plan is replaced as a whole, and two would take
// each other's rule away.
import type { Collection, ReadModels } from '../../stores/read-models.ts';
import { newId, type World } from '../../world.ts';

/** A guarded document: of two that write the same revision, one is told that it was written. No holder: it is free. */
const turns: Collection<{ readonly holder: string }, never> = { name: 'rule-turns', version: 1, keys: {}, indexes: [] };

const LOOK_EVERY_MS = 100;
/** A holder needs a second or two; one that was killed is waited for so long. */
const DEAD_MS = 15_000;

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Throws StoreUnavailable. */
export const inTurnFor =
  (readModels: Pick<ReadModels, 'get' | 'write'>, world: World, accountId: string): InTurn =>
  async (work) => {
    const holder = newId(world, 'turn');
    const write = async (revision: number, by: string): Promise<boolean> =>
      (await readModels.write(turns, [{ id: accountId, revision, doc: { holder: by } }])).length > 0;
    let seen = { revision: -2, since: world.monotonic() };
    for (;;) {
      const [row] = await readModels.get(turns, [accountId]);
      const revision = row?.revision ?? -1;
      if (seen.revision !== revision) seen = { revision, since: world.monotonic() };
      const isFree = row === undefined || row.doc.holder === '' || world.monotonic() - seen.since > DEAD_MS;
      if (isFree && (await write(revision + 1, holder))) {
        try {
          return await work();
        } finally {
          await write(revision + 2, '');
        }
      }
      await world.sleep(LOOK_EVERY_MS, new AbortController().signal);
    }
  };
