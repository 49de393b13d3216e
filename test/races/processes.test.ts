// Processes that share only a data directory: a concurrent first start, and a key that one of them revokes.
import { expect } from 'chai';
import { z } from 'zod';
import { authorized, createSession, tally } from '../support/load-calls.ts';
import type { Answer, Client } from '../support/load-client.ts';
import { DataDirectory, errorsIn } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { brokenChains, type Told } from '../webhooks/chain.ts';
import { openReceiver } from '../webhooks/receiver.ts';
import { toldIn } from '../webhooks/told-node.ts';
import { appendedSince, typesOf } from './arena.ts';

const KeyMade = z.looseObject({ id: z.string(), key: z.string() });

describe('processes on one data directory', () => {
  let directory: DataDirectory;
  beforeEach(() => {
    directory = new DataDirectory();
  });
  afterEach(() => directory.remove());

  it('make one store, one account and one key when three of them start at once on an empty directory', async () => {
    const all = await directory.serveAtOnce(3);
    const answers = await Promise.all(
      all.map(({ client }) => client.call('POST', '/client-session', { orderId: 'o' })),
    );
    expect(tally(answers)).to.deep.equal({ '200': 3 });
    const events = await directory.events();
    const types = typesOf(await appendedSince(events, -1n));
    await events.close();
    // Two keys: the merchant's, and the one of the sandbox. Each process prints a link for the first owner, and each of
    // them is good.
    expect(types).to.deep.equal({
      StoreCreated: 1,
      KeyStoreNamed: 1,
      AccountCreated: 1,
      ApiKeyCreated: 2,
      OwnerLinkMade: 3,
      ClientSessionCreated: 3,
    });
    expect(all.filter(({ serving }) => serving.stdout().includes('cf_test_'))).to.have.length(1);
    expect(all.flatMap(({ serving }) => errorsIn(serving.stderr()))).to.deep.equal([]);
  });

  it('refuse a key from the next request on when the command line revokes it or takes its scope under load', async () => {
    const [one, two] = [await directory.serve(), await directory.serve()];
    for (let round = 0; round < 2; round += 1) {
      const made = KeyMade.parse(await directory.place.json('keys create --name n --scopes all'));
      const clients = [one, two].map(({ serving }) => directory.client(serving.url, made.key));
      let changed = false;
      const after: Answer[] = [];
      await Promise.all(clients.map((client) => createSession(client))); // the key works before it is changed
      const load = clients.map(async (client) => {
        for (let late = 0; late < 5; ) {
          const hasChanged = changed; // read before the request is sent
          const answer = await client.call('POST', '/client-session', { orderId: 'o' });
          if (!hasChanged) continue;
          after.push(answer);
          late += 1;
        }
      });
      await directory.place.json(
        round === 0 ? `keys revoke ${made.id}` : `keys set-scopes ${made.id} --scopes transactions:retrieve`,
      );
      changed = true;
      await Promise.all(load);
      expect(tally(after)).to.deep.equal({ [round === 0 ? '401 Unauthorized' : '403 InsufficientScope']: 10 });
    }
    expect([one, two].flatMap(({ serving }) => errorsIn(serving.stderr()))).to.deep.equal([]);
  });

  it('tell a receiver each message once, and all of them after the process that delivered was killed', async () => {
    const receiver = await openReceiver();
    const [one, two] = [await directory.serve(), await directory.serve()];
    await directory.place.json(`webhooks endpoints add --url ${receiver.url}`);
    const told = (): readonly Told[] => receiver.received.map(({ text }) => toldIn(text));
    const payments = (clients: readonly Client[]) =>
      Promise.all(clients.flatMap((client) => [1, 2, 3, 4].map(() => authorized(client))));
    const isTold = (ids: readonly { readonly id: string }[]) =>
      ids.every(({ id }) => told().some(({ subjectId }) => subjectId === id));
    // A process works until it has seen that another one lives; from then on each message comes once.
    await until(async () => {
      const before = told().length;
      const made = await payments([one.client, two.client]);
      await until(() => isTold(made));
      return told().length === before + made.length;
    });
    const before = receiver.received.length;
    // It dies amid the next messages, whose record is still to be written.
    receiver.answering = (_message, response) =>
      void (receiver.received.length > before + 1 && response.writeHead(204).end());
    const last = await payments([two.client]);
    await until(() => receiver.received.length > before);
    await one.serving.end('SIGKILL');
    receiver.answering = undefined;
    await until(() => isTold(last));
    expect(brokenChains(told())).to.deep.equal([]);
    await receiver.close();
  });
});
