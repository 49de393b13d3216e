// A rebuild whose store compares the generations itself, with the findings of a walk through both.
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { copyOf } from '../../../../src/projections/engine/generations/copy.ts';
import type { RebuildResult } from '../../../../src/projections/engine/rebuild/result.ts';
import type { ReadModelStore } from '../../../../src/stores/read-models.ts';
import { append, ledgers, opened, paid } from '../ledger.ts';
import { delegate, type Engine, Engines, sharedDirectory } from '../setup.ts';

const LEDGERS = 600;
const PAGE_BYTES = 4_096;

describe('a rebuild that compares in a thread', () => {
  let engines: Engines;
  let engine: Engine;
  /** Parts that the store compared. */
  let parts: number;
  /** Comparisons that read every document for its digest. */
  let digested: number;
  /** Runs when a new generation holds all documents. */
  let appended: () => Promise<void>;
  /** Runs before the first part. */
  let meanwhile: () => Promise<void>;
  const watched = (store: ReadModelStore): ReadModelStore => ({
    ...delegate(store),
    inspect: (of) => store.inspect?.(of) ?? expect.fail('nothing to inspect'),
    build: async (of) => {
      const builder = await store.build(of);
      const finish = async (): Promise<void> => {
        await appended();
        await builder.finish();
      };
      return { ...builder, finish };
    },
    async *differences(old, made, wish) {
      await meanwhile();
      if (wish.wantsDigest) digested += 1;
      for await (const part of store.differences?.(old, made, wish) ?? expect.fail('no thread')) {
        parts += 1;
        yield part;
      }
    },
  });
  beforeEach(async () => {
    parts = 0;
    digested = 0;
    meanwhile = async () => undefined;
    appended = async () => undefined;
    engines = await Engines.make();
    engine = await engines.open({ differencesFrom: 0, wrapStore: watched, ...sharedDirectory });
    await Promise.all(
      Array.from({ length: LEDGERS }, (_, n) => append(engine.events, `l${n}`, -1, opened(`owner-${n % 7}`), paid(n))),
    );
    await engine.projections.rebuild('ledgers');
  });
  afterEach(() => engines.dispose());
  const rebuilt = (): Promise<RebuildResult> => engine.projections.rebuild('ledgers', { dryRun: true });
  /** The findings of a walk through both generations. */
  const walked = async (): Promise<RebuildResult> =>
    (await engines.open({ forRepair: true })).projections.rebuild('ledgers', { dryRun: true });
  const findings = ({ documents, documentsBefore, digestBefore, digestAfter, different, equal }: RebuildResult) => ({
    documents,
    documentsBefore,
    digestBefore,
    digestAfter,
    different,
    equal,
  });

  it('finds equal ones equal, by the digest of their documents', async () => {
    const result = await rebuilt();
    expect(parts).to.be.greaterThan(1);
    expect(digested).to.equal(0);
    expect(result).to.include({ equal: true, different: 0, documents: LEDGERS, documentsBefore: LEDGERS });
    expect(findings(result)).to.deep.equal(findings(await walked()));
  });

  it('finds what a walk finds: documents that differ, that the log does not know, and in another order of members', async () => {
    await engine.store.write(copyOf(ledgers, 2), [
      { id: 'l3', revision: 2, doc: { owner: 'mallory', balance: 1_000_000, payments: 3, note: 'at 2' } },
      { id: 'never', revision: 0, doc: { owner: 'mallory', balance: 1, payments: 3, note: 'at 3' } },
      { id: 'l5', revision: 2, doc: { note: 'at 2', payments: 2, balance: 6, owner: 'owner-5' } },
    ]);
    await append(engine.events, 'l3', 1, paid(1));
    await append(engine.events, 'l5', 1, paid(1));
    const result = await rebuilt();
    expect(parts).to.be.greaterThan(1);
    expect(result).to.include({ equal: false, different: 2, documents: LEDGERS, documentsBefore: LEDGERS + 1 });
    expect(result.examples).to.deep.equal(['l3', 'never']);
    expect(findings(result)).to.deep.equal(findings(await walked()));
  });

  it('folds up the live one’s missing events, instead of calling it different', async () => {
    await append(engine.events, 'l7', 1, paid(1)); // nothing follows
    await append(engine.events, 'new', -1, opened('ann'));
    const result = await rebuilt();
    expect(result).to.include({ equal: true, different: 0, documents: LEDGERS + 1, documentsBefore: LEDGERS + 1 });
    expect(findings(result)).to.deep.equal(findings(await walked()));
  });

  it('reads all documents after an event that came meanwhile: the digest is of what was compared', async () => {
    meanwhile = async () => {
      meanwhile = async () => undefined;
      await append(engine.events, 'l9', 1, paid(1));
      const doc = { owner: 'owner-2', balance: 10, payments: 2, note: 'at 2' };
      // as the process would that has appended it
      await engine.store.write(copyOf(ledgers, 3), [{ id: 'l9', revision: 2, doc }]);
    };
    const result = await rebuilt();
    expect(digested).to.equal(1);
    expect(result).to.include({ equal: true, different: 0, documents: LEDGERS, documentsBefore: LEDGERS });
    expect(findings(result)).to.deep.equal(findings(await walked()));
  });

  it('reads all documents where events came while it was built', async () => {
    await append(engine.events, 'l3', 1, paid(1));
    await append(engine.events, 'l4', 1, paid(1));
    const tampered = { owner: 'mallory', balance: 5, payments: 2, note: 'at 2' };
    await engine.store.write(copyOf(ledgers, 2), [{ id: 'l4', revision: 2, doc: tampered }]);
    appended = async () => {
      await append(engine.events, 'l9', 1, paid(1));
    };
    const result = await rebuilt();
    expect(digested).to.equal(1);
    expect(result).to.include({ equal: false, different: 1, documents: LEDGERS, documentsBefore: LEDGERS });
    expect(findings(result)).to.deep.equal(findings(await walked()));
  });

  it('finds a live one that cannot be read damaged', async () => {
    const file = join(engines.directory, 'read-models.ledgers.2.db');
    const { size } = await stat(file);
    await engines.close(engine);
    const handle = await open(file, 'r+');
    await handle.write(Buffer.alloc(size - PAGE_BYTES, 0x5a), 0, size - PAGE_BYTES, PAGE_BYTES);
    await handle.close();
    engine = await engines.open({ differencesFrom: 0, wrapStore: watched, forRepair: true });
    expect(await engine.projections.rebuild('ledgers')).to.include({
      equal: false,
      documents: LEDGERS,
      generationBefore: 2,
      swapped: true,
    });
    expect(engine.faults.map(String)).to.have.lengthOf(1);
    expect(String(engine.faults[0])).to.match(
      /^The read model ledgers is damaged \(.+\): there is nothing to compare the new one with\.$/,
    );
  });
});
