// A process that removes what is over from embedded read models, and kills itself at a step of that.
import { removeOver } from '../../src/projections/engine/remove-over.ts';
import type { Collection, ReadModels } from '../../src/stores/read-models.ts';
import { openSqliteReadModels } from '../../src/stores/sqlite/read-models.ts';
import { calmWorld } from '../support/calm-world.ts';

export const orders = (): Collection<{ readonly endedAt: number }, 'endedAt'> => ({
  name: 'orders',
  version: 1,
  keys: { endedAt: ({ endedAt }) => endedAt },
  indexes: [['endedAt']],
});

const [file, killedAt] = process.argv.slice(2);

async function remove(from: string): Promise<void> {
  const readModels = await openSqliteReadModels({
    file: from,
    world: calmWorld,
    report: (fault) => console.error(fault),
  });
  let page = 0;
  const reached = (step: string): void => {
    if (`${step} ${page}` === killedAt) process.kill(process.pid, 'SIGKILL');
  };
  const mortal: Pick<ReadModels, 'find' | 'remove'> = {
    find: async (...query) => {
      const rows = await readModels.find(...query);
      reached('found');
      return rows;
    },
    remove: async (of, rows) => {
      const removing = readModels.remove(of, rows);
      reached('removing'); // the writer's thread may be anywhere in it
      const count = await removing;
      reached('removed');
      page += 1;
      return count;
    },
  };
  await removeOver(mortal, orders(), 'endedAt', 8, async () => undefined);
  await readModels.close();
}

if (file?.endsWith('.db') === true) await remove(file);
