// What every key store promises: the first key of an id stays, and a destroyed one never comes back.
import { expect } from 'chai';
import { copyKeys, digestOf, KeysNotCopied } from '../../src/stores/copy-keys.ts';
import type { KeyStore } from '../../src/stores/key-store.ts';
import { openMemoryKeyStore } from '../../src/stores/memory/key-store.ts';
import { faultOf } from './store-under-test.ts';

export interface KeyStoreUnderTest {
  /** Empty. */
  readonly store: KeyStore;
  /** Opened by another process on the same keys. */
  readonly another: () => Promise<KeyStore>;
  readonly dispose: () => Promise<void>;
}

export function keyStoreContract(name: string, open: () => Promise<KeyStoreUnderTest>): void {
  describe(name, () => {
    let under: KeyStoreUnderTest;
    let keys: KeyStore;
    beforeEach(async () => {
      under = await open();
      keys = under.store;
    });
    afterEach(() => under.dispose());

    it('keeps the first key of an id, and not one that another process adds later', async () => {
      const other = await under.another();
      expect(await keys.putIfAbsent('a.1', 'first')).to.deep.equal({ id: 'a.1', wrapped: 'first' });
      expect((await other.putIfAbsent('a.1', 'second')).wrapped).to.equal('first');
      expect(await other.get(['a.1', 'b.1'])).to.deep.equal([{ id: 'a.1', wrapped: 'first' }]);
    });

    it('has one key of an id that many add at once', async () => {
      const other = await under.another();
      const added = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? keys : other).putIfAbsent('a.1', `key ${n}`)),
      );
      expect(new Set(added.map(({ wrapped }) => wrapped)).size).to.equal(1);
    });

    it('keeps the end of a log that was noted last, beside the keys and not among them', async () => {
      expect(await keys.seenEnd()).to.equal(undefined);
      await keys.noteEnd({ log: 'one@0', position: 2n ** 60n });
      expect(await (await under.another()).seenEnd()).to.deep.equal({ log: 'one@0', position: 2n ** 60n });
      await keys.noteEnd({ log: 'two@5', position: 7n });
      expect(await keys.seenEnd()).to.deep.equal({ log: 'two@5', position: 7n });
      expect(await keys.list('', 10)).to.deep.equal([]);
      expect(await keys.destroyed()).to.equal(0);
    });

    it('leaves a tombstone that no key replaces, and counts it once', async () => {
      await keys.putIfAbsent('a.1', 'first');
      expect(await keys.destroyed()).to.equal(0);
      await keys.destroy(['a.1', 'unknown'], 7);
      await keys.destroy(['a.1'], 8);
      await keys.destroy([], 9);
      expect(await keys.destroyed()).to.equal(2);
      expect(await (await under.another()).putIfAbsent('a.1', 'again')).to.deep.equal({
        id: 'a.1',
        wrapped: undefined,
        destroyedAt: 7,
      });
      // The register of a backup names both, so that neither comes back with an older backup.
      expect(await keys.get(['unknown'])).to.deep.equal([{ id: 'unknown', wrapped: undefined, destroyedAt: 7 }]);
      expect((await keys.putIfAbsent('unknown', 'late')).wrapped).to.equal(undefined);
    });

    it('wraps keys again whose text is still the former one, and never brings one back', async () => {
      for (const id of ['a.1', 'a.2', 'a.3']) await keys.putIfAbsent(id, 'old');
      await keys.destroy(['a.2'], 7);
      await keys.rewrap([
        { id: 'a.1', from: 'old', to: 'new' },
        { id: 'a.2', from: 'old', to: 'new' },
        { id: 'a.3', from: 'older', to: 'new' },
        { id: 'unknown', from: 'old', to: 'new' },
      ]);
      await keys.rewrap([]);
      expect(await (await under.another()).list('', 10)).to.deep.equal([
        { id: 'a.1', wrapped: 'new' },
        { id: 'a.2', wrapped: undefined, destroyedAt: 7 },
        { id: 'a.3', wrapped: 'old' },
      ]);
    });

    it('lists keys by id, page by page', async () => {
      for (const id of ['c', 'a', 'b']) await keys.putIfAbsent(id, `key of ${id}`);
      expect((await keys.list('', 2)).map(({ id }) => id)).to.deep.equal(['a', 'b']);
      expect((await keys.list('b', 2)).map(({ id }) => id)).to.deep.equal(['c']);
    });

    it('is copied with its tombstones, again and again', async () => {
      await keys.putIfAbsent('a.1', 'first');
      await keys.putIfAbsent('a.2', 'second');
      await keys.destroy(['a.1'], 7);
      const target = openMemoryKeyStore();
      for (let run = 0; run < 2; run += 1)
        expect(await copyKeys(keys, target))
          .to.deep.equal(await digestOf(target))
          .and.to.include({ count: 2 });
      expect(await target.list('', 10)).to.deep.equal(await keys.list('', 10));
    });

    it('is not copied over other keys, and what a target loses is noticed', async () => {
      await keys.putIfAbsent('a.1', 'first');
      const [target, losing] = [openMemoryKeyStore(), openMemoryKeyStore()];
      await target.putIfAbsent('a.1', 'another');
      expect(await faultOf(copyKeys(keys, target))).to.be.instanceOf(KeysNotCopied);
      expect(await copyKeys(keys, target, () => true)).to.include({ count: 1 });
      expect(await faultOf(copyKeys(keys, { ...losing, get: async () => [] }))).to.be.instanceOf(KeysNotCopied);
      await target.destroy(['a.1'], 7);
      expect(await copyKeys(keys, target)).to.include({ count: 1 }); // erased there
    });
  });
}
