// kill -9 at any moment of the first start: the next start finishes it, with one store, one account and a working key.
import { expect } from 'chai';
import { z } from 'zod';
import { appendedSince, typesOf } from '../races/arena.ts';
import { randomFrom } from '../support/load.ts';
import { createSession } from '../support/load-calls.ts';
import { DataDirectory, errorsIn } from '../support/service-process.ts';

const ROUNDS = Number(process.env['FIRST_START_ROUNDS'] ?? 3);
const SEED = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000);
/** The moments of the kills, from before the first file until after the last. */
const EARLIEST_MS = 150;
const LATEST_MS = 650;

const Keys = z.object({ data: z.array(z.looseObject({ name: z.string(), scopes: z.array(z.string()) })) });
const KeyMade = z.looseObject({ key: z.string() });

const FLAGS = '--json --log-level warn';
const KeyPrinted = /cf_test_\w+/;

describe(`kill -9 at the first start, ${ROUNDS} times (seed ${SEED})`, function () {
  this.timeout(300_000 + ROUNDS * 50_000);
  const random = randomFrom(SEED);

  it('leaves a first start that the next one finishes', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const directory = new DataDirectory();
      try {
        const started = directory.startToKill(`serve --port 0 ${FLAGS}`);
        await new Promise((resolve) => setTimeout(resolve, EARLIEST_MS + random() * (LATEST_MS - EARLIEST_MS)));
        const printed = await started.kill();
        const serving = await directory.place.serve(FLAGS);
        const { data } = Keys.parse(await directory.place.json('keys list'));
        expect(data.map(({ name }) => name)).to.have.members(['First key', 'Sandbox']);
        const key =
          KeyPrinted.exec(`${printed}${serving.stdout()}`)?.[0] ??
          // A key that was made and never printed is lost; then an operator makes another.
          KeyMade.parse(await directory.place.json('keys create --name n --scopes all')).key;
        const client = directory.client(serving.url, key);
        await createSession(client);
        const events = await directory.events();
        const { StoreCreated, AccountCreated } = typesOf(await appendedSince(events, -1n));
        await events.close();
        expect([StoreCreated, AccountCreated]).to.deep.equal([1, 1]);
        expect([...errorsIn(serving.stderr()), ...client.faults]).to.deep.equal([]);
      } finally {
        await directory.remove();
      }
    }
  });
});
