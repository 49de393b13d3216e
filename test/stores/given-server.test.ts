// Servers that a URL and commands name, as the tests of the adapters get them: here the stand-ins, each as a process of
// its own.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { appended, eventsIn, eventsOf, faultOf, streamOf } from '../contract/store-under-test.ts';
import { freePort } from '../support/free-port.ts';
import { SET_NAME } from '../support/mongodb-loopback/membership.ts';
import { nodeArguments, scriptBeside } from '../support/script.ts';
import { eventStoreDbUnderTest, soon } from './eventstoredb-under-test.ts';
import { startServer } from './mongodb-server.ts';

const notes = { name: 'notes', version: 1, keys: {}, indexes: [] } as const;

describe('A server that a URL and a command name', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-given-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const command = (standIn: string, port: number): string =>
    [
      process.execPath,
      ...nodeArguments(scriptBeside(`../support/${standIn}/main`, import.meta.url), String(port), directory),
    ].join(' ');

  it('is an EventStoreDB that is cut, held, killed and started again with its data', async () => {
    const port = await freePort();
    const url = `esdb://127.0.0.1:${port}?tls=false`;
    const under = await eventStoreDbUnderTest({
      name: 'EVENTSTOREDB',
      url,
      start: command('eventstoredb-loopback', port),
    });
    const store = await under.open();
    const stream = streamOf();
    await appended(store, stream, -1, eventsOf(1));
    await under.server.order({ order: 'cut connections' });
    await soon('read after a cut', async () => (await faultOf(eventsIn(store, stream))) === undefined);
    under.server.freeze();
    const held = store.append(stream, 0, eventsOf(1));
    under.server.thaw();
    expect(await held).to.equal('written');
    await under.server.kill();
    await under.server.start();
    await soon('read after a kill', async () => (await faultOf(eventsIn(store, stream))) === undefined);
    expect(await eventsIn(store, stream)).to.have.length(2);
    await under.server.kill();
    await under.dispose();
  });

  it('is a MongoDB that is killed and started again with its data', async () => {
    const port = await freePort();
    const url = `mongodb://127.0.0.1:${port}/counterfoil?replicaSet=${SET_NAME}`;
    const server = await startServer({ name: 'MONGODB', url, start: command('mongodb-loopback', port) });
    const store = await server.open();
    await store.write(notes, [{ id: 'a', revision: 0, doc: { n: 1 } }]);
    await server.loopback.server.kill();
    await server.loopback.server.start();
    await soon('read after a kill', async () => (await faultOf(store.get(notes, ['a']))) === undefined);
    expect(await store.get(notes, ['a'])).to.have.length(1);
    await server.dispose();
    await server.loopback.server.kill();
  });
});
