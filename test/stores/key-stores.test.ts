// The key stores keep one contract; the embedded one also leaves no destroyed key in its files.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openMemoryKeyStore } from '../../src/stores/memory/key-store.ts';
import { openMongoDbKeyStore } from '../../src/stores/mongodb/key-store.ts';
import { openDatabase } from '../../src/stores/sqlite/file/database.ts';
import { openSqliteKeyStore } from '../../src/stores/sqlite/key-store.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { type KeyStoreUnderTest, keyStoreContract } from '../contract/key-store.suite.ts';
import { faultOf } from '../contract/store-under-test.ts';
import { calmWorld } from '../support/calm-world.ts';
import { startServer } from './mongodb-server.ts';
import { PATIENT_MODELS } from './patient-timings.ts';

keyStoreContract('the key store in memory', async () => {
  const store = openMemoryKeyStore();
  return { store, another: async () => store, dispose: () => store.close() };
});

const inDirectory = async (): Promise<KeyStoreUnderTest & { readonly directory: string }> => {
  const directory = await mkdtemp(join(tmpdir(), 'counterfoil-keys-'));
  const open = () => openSqliteKeyStore({ file: join(directory, 'keys.db'), world: calmWorld });
  const opened = [await open()];
  const [store] = opened;
  if (store === undefined) throw new Error('not opened');
  return {
    store,
    directory,
    another: async () => {
      const other = await open();
      opened.push(other);
      return other;
    },
    dispose: async () => {
      for (const one of opened) await one.close();
      await rm(directory, { recursive: true });
    },
  };
};
keyStoreContract('the embedded key store', inDirectory);

keyStoreContract('the key store in MongoDB', async () => {
  const server = await startServer();
  const open = () => openMongoDbKeyStore({ url: server.loopback.url, timings: PATIENT_MODELS });
  const opened = [await open()];
  const [store] = opened;
  if (store === undefined) throw new Error('not opened');
  return {
    store,
    another: async () => {
      const other = await open();
      opened.push(other);
      return other;
    },
    dispose: async () => {
      for (const one of opened) await one.close();
      await server.dispose();
    },
  };
});

describe('the embedded key store', () => {
  it('has no destroyed key in any of its files', async () => {
    const { store, directory, another, dispose } = await inDirectory();
    await another(); // a second process keeps the write-ahead log open
    for (let n = 0; n < 200; n += 1) await store.putIfAbsent(`key.${n}`, `WRAPPED-${n}-${'k'.repeat(80)}`);
    await store.destroy(
      Array.from({ length: 100 }, (_, n) => `key.${n}`),
      7,
    );
    const files = await Promise.all((await readdir(directory)).map((file) => readFile(join(directory, file))));
    const isLeft = (n: number): boolean => files.some((bytes) => bytes.includes(`WRAPPED-${n}-`));
    expect(Array.from({ length: 200 }, (_, n) => n).filter(isLeft)).to.deep.equal(
      Array.from({ length: 100 }, (_, n) => n + 100),
    );
    await dispose();
  });

  it('is unavailable when its file was deleted', async () => {
    const { store, directory, dispose } = await inDirectory();
    await store.putIfAbsent('a.1', 'first');
    await rm(join(directory, 'keys.db'));
    expect(await faultOf(store.get(['a.1']))).to.be.instanceOf(StoreUnavailable);
    await dispose();
  });

  it('opens a file of an older version, which knows of no end of the log', async () => {
    const { store, directory, another, dispose } = await inDirectory();
    await store.putIfAbsent('a.1', 'first');
    const file = join(directory, 'keys.db');
    const database = await openDatabase({ file, mustExist: true, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: 64 });
    database.exec('DROP TABLE seen_end');
    database.close();
    const reader = await openSqliteKeyStore({ file, world: calmWorld, readOnly: true });
    expect(await reader.seenEnd()).to.equal(undefined);
    expect((await reader.get(['a.1'])).map(({ wrapped }) => wrapped)).to.deep.equal(['first']);
    await reader.close();
    const newer = await another();
    expect(await newer.seenEnd()).to.equal(undefined);
    await newer.noteEnd({ log: 'one@0', position: 3n });
    expect(await newer.seenEnd()).to.deep.equal({ log: 'one@0', position: 3n });
    await dispose();
  });

  it('refuses a file that is something else, in words', async () => {
    const { directory, dispose } = await inDirectory();
    const file = join(directory, 'other.db');
    await writeFile(file, 'no database'.repeat(1_000));
    expect(String(await faultOf(openSqliteKeyStore({ file, world: calmWorld })))).to.include('cannot be used');
    await dispose();
  });
});
