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
import { DataDirectory, type ServiceProcess } from '../support/service-process.ts';
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

  describe('--when-over', () => {
    const Opened = z.looseObject({ clientToken: z.string() });
    const Tokenized = z.looseObject({ token: z.string() });
    const Paid = z.looseObject({
      id: z.string(),
      disputes: z.array(z.looseObject({ id: z.string() })).optional(),
    });
    const paid = async (client: Client, customerId: string, number: string) => {
      const body = { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, customerId, customer: PERSON };
      const { clientToken } = Opened.parse((await client.call('POST', '/client-session', body)).body);
      const card = { number, expirationMonth: '12', expirationYear: '2039', cvc: '123' };
      const tokenized = await client.inCheckout(clientToken, 'POST', '/checkout/payment-instruments', { card });
      const { token: paymentMethodToken } = Tokenized.parse(tokenized.body);
      return Paid.parse((await client.call('POST', '/payments', { clientToken, paymentMethodToken })).body).id;
    };
    const erasing = async (customerId: string, waitsFor: string) => {
      const begun = directory.place.begin(`customers erase ${customerId} --when-over`);
      await until(() => begun.stderr().includes(waitsFor));
      return begun;
    };
    let service: ServiceProcess;
    before(async () => {
      service = await directory.serve();
    });
    after(() => service.serving.end('SIGTERM'));

    it('says which payment it waits for, and changes nothing when it is interrupted', async () => {
      const id = await paid(service.client, 'customer-open', '4242424242424242');
      const before = { keys: await keyCount(), destroyed: await destroyed(), types: await typesInLog() };
      const begun = await erasing('customer-open', `Waiting: payment ${id} is open.`);
      const { code, stdout, stderr } = await begun.end('SIGINT');
      expect([code, stdout]).to.deep.equal([130, '']);
      expect(stderr).to.include('The customer is not erased yet: run the same command again to finish.');
      const after = { keys: await keyCount(), destroyed: await destroyed(), types: await typesInLog() };
      expect(after).to.deep.equal(before);
    });

    it('does not wait to its end when it is interrupted while it waits for other processes', async () => {
      await session(service.client, 'customer-waiting');
      const before = { keys: await keyCount(), destroyed: await destroyed() };
      const begun = directory.place.begin('customers erase customer-waiting');
      await until(async () => (await keyCount()) > before.keys); // then it waits until all have seen the new key
      const at = calmWorld.monotonic();
      const { code, stdout, stderr } = await begun.end('SIGINT');
      expect(calmWorld.monotonic() - at).to.be.lessThan(2_500); // the wait takes 3 s, on a clock of its own
      expect([code, stdout]).to.deep.equal([130, '']);
      expect(stderr).to.include('The customer is not erased yet: run the same command again to finish.');
      expect(await destroyed()).to.equal(before.destroyed);
      expect(await directory.place.run('customers erase customer-waiting')).to.include({ code: 0 });
    });

    it('erases when the payment is over', async () => {
      const id = await paid(service.client, 'customer-open', '4242424242424242');
      const begun = await erasing('customer-open', `payment ${id} is open`);
      const open = (await service.client.call('GET', '/payments?customer_id=customer-open')).body;
      for (const one of z.looseObject({ data: z.array(Paid) }).parse(open).data)
        expect((await service.client.call('POST', `/payments/${one.id}/cancel`, {})).status).to.equal(200);
      const { code, stdout } = await begun.ended();
      expect([code, stdout]).to.satisfy(() => code === 0 && stdout.includes('customer-open is erased, in 2 payments'));
      expect(await wordsIn()).to.deep.equal([]);
    });

    it('waits for the end of a dispute', async () => {
      const id = await paid(service.client, 'customer-disputed', '4000009900004048');
      expect((await service.client.call('POST', `/payments/${id}/capture`, {})).status).to.equal(200);
      const disputes = async () =>
        Paid.parse((await service.client.call('GET', `/payments/${id}`)).body).disputes ?? [];
      await until(async () => (await disputes()).length > 0);
      const begun = await erasing('customer-disputed', `Waiting: payment ${id} is disputed.`);
      const [dispute] = await disputes();
      const accepted = await service.client.call('POST', `/payments/${id}/disputes/${dispute?.id}/accept`, {});
      expect(accepted.status).to.equal(200);
      const { code, stdout } = await begun.ended();
      expect([code, stdout.split('\n')[0]]).to.deep.equal([
        0,
        'customer-disputed is erased, in 1 payment and 1 client session.',
      ]);
      expect(await wordsIn()).to.deep.equal([]);
    });
  });

  describe('without the keys', () => {
    it('starts no service: a log without them is not readable', async () => {
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
});
