// Two generations compared in a thread: every difference is told once, and a file that is gone or damaged is a fault.
import { mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Digest } from '../../../src/stores/document-digest.ts';
import { type Collection, type DocumentPair, NoSuchGeneration, type Stored } from '../../../src/stores/read-models.ts';
import { differencesOf } from '../../../src/stores/sqlite/read-model-differences.ts';
import { openSqliteReadModels, type SqliteReadModels } from '../../../src/stores/sqlite/read-models.ts';
import { StoreUnavailable } from '../../../src/stores/store-unavailable.ts';
import { builtRows, type Order, type OrderKey, ordersOf, row } from '../../contract/read-models.suite.ts';
import { calmWorld } from '../../support/calm-world.ts';

const PAGE_BYTES = 4_096;
/** More than one page of the comparison. */
const MANY = Array.from({ length: 1_200 }, (_, n) => `o${String(n).padStart(4, '0')}`);

describe('the differences of two generations', () => {
  let directory: string;
  let store: SqliteReadModels;
  let old: Collection<Order, OrderKey>;
  let made: Collection<Order, OrderKey>;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-differences-'));
    const report = (fault: unknown): void => expect.fail(String(fault));
    store = await openSqliteReadModels({
      file: join(directory, 'models.db'),
      world: calmWorld,
      report,
      differencesFrom: 0,
    });
    old = ordersOf(1);
    made = { ...old, generation: 2 };
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  async function build(of: Collection<Order, OrderKey>, rows: readonly Stored<Order>[]): Promise<void> {
    const builder = await store.build(of);
    if (rows.length > 0) await builder.write(builtRows(of, ...rows));
    await builder.finish();
  }
  async function differences(
    wantsDigest = false,
  ): Promise<{ readonly made: number; readonly pairs: readonly DocumentPair[]; equal?: string }> {
    const pairs: DocumentPair[] = [];
    const equal = new Digest();
    let count = 0;
    const wish = { documents: MANY.length, wantsDigest };
    for await (const part of store.differences({ ...old, keys: {}, indexes: [] }, made, wish) ??
      expect.fail('no thread')) {
      count += part.made;
      pairs.push(...part.pairs);
      if (part.equal !== undefined) equal.addAll(part.equal);
    }
    return { made: count, pairs, ...(wantsDigest && { equal: String(equal) }) };
  }
  const faultOfDifferences = (): Promise<unknown> => differences().catch((fault: unknown) => fault);
  const fileOf = ({ name, generation }: Collection<Order, OrderKey>): string =>
    join(directory, `models.${name}.${generation}.db`);

  it('are none between equal ones, whose documents are counted', async () => {
    const rows = MANY.map((id) => row(id, 1, { shop: 's' }));
    await build(old, rows);
    await build(made, rows.toReversed());
    expect(await differences()).to.deep.equal({ made: MANY.length, pairs: [] });
  });

  it('are another text, another revision, and a document on one side only', async () => {
    const [first = '', second = '', third = '', ...others] = MANY;
    const same = others.map((id) => row(id, 1, { text: 'é 😀' }));
    await build(old, [...same, row(first, 1, { total: 1 }), row(second, 1), row('z-old', 0), row('😀', 0)]);
    await build(made, [...same, row(first, 1, { total: 2 }), row(second, 2), row(third, 0)]);
    await store.write(made, [row('é', 7)]); // not in the file yet, but in its log
    expect(await differences()).to.deep.equal({
      made: MANY.length + 1,
      pairs: [
        {
          id: first,
          old: { id: first, revision: 1, text: '{"total":1}' },
          made: { id: first, revision: 1, text: '{"total":2}' },
        },
        { id: second, old: { id: second, revision: 1, text: '{}' }, made: { id: second, revision: 2, text: '{}' } },
        { id: third, old: undefined, made: { id: third, revision: 0, text: '{}' } },
        { id: 'é', old: undefined, made: { id: 'é', revision: 7, text: '{}' } },
        { id: 'z-old', old: { id: 'z-old', revision: 0, text: '{}' }, made: undefined },
        { id: '😀', old: { id: '😀', revision: 0, text: '{}' }, made: undefined },
      ],
    });
  });

  it('come with the digest of all other documents, where that is wanted', async () => {
    const rows = MANY.map((id) => row(id, 1, { text: 'é 😀' }));
    await build(old, [...rows, row('a', 0)]);
    await build(made, [...rows, row('a', 1)]);
    const digest = new Digest();
    for (const { id, revision, doc } of rows) digest.add({ id, revision, text: JSON.stringify(doc) });
    const { equal, pairs } = await differences(true);
    expect(equal).to.equal(String(digest));
    expect(pairs)
      .to.deep.equal((await differences()).pairs)
      .and.to.have.lengthOf(1);
  });

  it('are all documents of one side where the other has none', async () => {
    await build(old, []);
    await build(made, [row('a', 0)]);
    expect(await differences()).to.deep.equal({
      made: 1,
      pairs: [{ id: 'a', old: undefined, made: { id: 'a', revision: 0, text: '{}' } }],
    });
    await store.drop(made.name, 2);
    await build(made, []);
    expect(await differences()).to.deep.equal({ made: 0, pairs: [] });
  });

  it('are refused where a generation is not there, and nothing is made in its place', async () => {
    await build(made, [row('a', 0)]);
    expect(await faultOfDifferences()).to.be.instanceOf(NoSuchGeneration);
    const plan = { old: fileOf(old), made: fileOf(made), table: made.name, wantsDigest: false };
    const fault: unknown = await differencesOf(plan)
      .next()
      .catch((thrown: unknown) => thrown);
    expect(fault).to.be.instanceOf(StoreUnavailable);
    expect((await readdir(directory)).filter((name) => name.startsWith(`models.${old.name}.1.`))).to.deep.equal([]);
  });

  it('are refused where a file cannot be read', async () => {
    const rows = MANY.map((id) => row(id, 1, { text: 'x'.repeat(200) }));
    await build(old, rows);
    await build(made, rows);
    const { size } = await stat(fileOf(old));
    const file = await open(fileOf(old), 'r+');
    await file.write(Buffer.alloc(size - PAGE_BYTES, 0x5a), 0, size - PAGE_BYTES, PAGE_BYTES);
    await file.close();
    expect(await faultOfDifferences()).to.be.instanceOf(StoreUnavailable);
  });

  it('leave no thread with the files open when nobody wants more of them', async () => {
    const rows = MANY.map((id) => row(id, 1));
    await build(old, rows);
    await build(made, rows);
    const plan = { old: fileOf(old), made: fileOf(made), table: made.name, wantsDigest: false };
    for await (const { made: count } of differencesOf(plan)) {
      expect(count).to.be.lessThan(MANY.length);
      break;
    }
    await store.drop(made.name, 2);
    expect(await faultOfDifferences()).to.be.instanceOf(NoSuchGeneration);
  });

  it('are left to a walk where there are few documents', async () => {
    const usual = await openSqliteReadModels({
      file: join(directory, 'models.db'),
      world: calmWorld,
      report: () => undefined,
    });
    expect(usual.differences({ ...old, keys: {}, indexes: [] }, made, { documents: 100, wantsDigest: true })).to.equal(
      undefined,
    );
    await usual.close();
  });
});
