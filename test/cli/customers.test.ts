// counterfoil customers erase, as a process that is killed at each of its steps: beside a running service, and alone.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { openSqliteKeyStore } from '../../src/stores/sqlite/key-store.ts';
import { verifyChains } from '../crash/books.ts';
import { calmWorld } from '../support/calm-world.ts';
import { eventsAfter } from '../support/http-appended.ts';
import type { Client } from '../support/load-client.ts';
import { DataDirectory } from '../support/service-process.ts';
import { until } from '../support/until.ts';

const Erased = z.looseObject({ customerId: z.string(), payments: z.int(), keysDestroyed: z.int() });
const PERSON = { firstName: 'Zerlina', lastName: 'Quuxington', emailAddress: 'zerlina.quux@mail.example' };
const WORDS = /Zerlina|Quuxington|zerlina/;

describe('counterfoil customers erase', () => {
  const directory = new DataDirectory();
  after(() => directory.remove());

  const wordsIn = async (): Promise<readonly string[]> => {
    const entries = await readdir(directory.dir, { withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    const texts = await Promise.all(files.map((file) => readFile(join(directory.dir, file), 'latin1')));
    return files.filter((_, index) => WORDS.test(texts[index] ?? ''));
  };
  const session = async (client: Client, customerId: string): Promise<void> => {
    const body = { orderId: 'o-1', currencyCode: 'EUR', amount: 100, customerId, customer: PERSON };
    const { status } = await client.call('POST', '/client-session', body);
    expect(status).to.equal(200);
  };
  const typesInLog = async (): Promise<readonly string[]> => {
    const events = await directory.events();
    const types = (await eventsAfter(events, -1n)).map(({ type }) => type);
    await events.close();
    return types;
  };
  const destroyed = async (): Promise<number> => {
    const keys = await openSqliteKeyStore({ file: join(directory.dir, 'keys.db'), world: calmWorld });
    const count = await keys.destroyed();
    await keys.close();
    return count;
  };
  const keyCount = async (): Promise<number> => {
    const keys = await openSqliteKeyStore({ file: join(directory.dir, 'keys.db'), world: calmWorld });
    const count = (await keys.list('', 1_000)).length;
    await keys.close();
    return count;
  };

  it('finishes after it was killed with a newer key, with the erasure on record, and with the keys destroyed', async () => {
    const { serving, client } = await directory.serve();
    await session(client, 'customer-1');
    await session(client, 'customer-2');
    expect((await serving.end('SIGTERM')).code).to.equal(0);
    expect(await wordsIn()).to.not.deep.equal([]);
    const before = { keys: await keyCount(), destroyed: await destroyed() };
    const steps: readonly (() => Promise<boolean>)[] = [
      async () => (await keyCount()) > before.keys,
      async () => (await typesInLog()).includes('CustomerErased'),
      async () => (await destroyed()) > before.destroyed,
    ];
    for (const isThere of steps) {
      const running = directory.startToKill('customers erase customer-1 --json');
      await until(isThere);
      expect(await running.kill(), 'what is half erased is not called erased').to.equal('');
    }
    const erased = Erased.parse(await directory.place.json('customers erase customer-1'));
    expect(erased.customerId).to.equal('customer-1');
    expect((await typesInLog()).filter((type) => type === 'CustomerErased')).to.have.length(1);
    const events = await directory.events();
    expect(await verifyChains(events)).to.deep.include({ broken: [] });
    await events.close();
  });

  it('leaves no name in any file, beside a running service', async () => {
    const { serving } = await directory.serve();
    const { stdout, stderr, code } = await directory.place.run('customers erase customer-2');
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.include('customer-2 is erased').and.to.include('Backups');
    expect(await wordsIn()).to.deep.equal([]);
    expect((await serving.end('SIGTERM')).code).to.equal(0);
  });

  it('refuses an unknown customer, in words', async () => {
    const { code, stderr } = await directory.place.run('customers erase nobody');
    expect([code, stderr]).to.deep.equal([
      1,
      'There is no such customer: no session, payment or saved payment method names the id.\n',
    ]);
  });

  it('starts no service whose keys are gone: a log without them is not readable', async () => {
    const { rename } = await import('node:fs/promises');
    for (const suffix of ['', '-wal', '-shm'])
      await rename(join(directory.dir, `keys.db${suffix}`), join(directory.place.dir, `keys.db${suffix}`)).catch(
        () => undefined,
      );
    const { code, stderr } = await directory.place.run('accounts list');
    expect(code).to.not.equal(0);
    expect(stderr).to.include('The key store is not that of this event log');
  });
});
