// Rebuilds: equal to the live read model, beside writers in other processes, and harmless when they are killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { catalogEntries } from '../../../../src/projections/engine/generations/catalog-entry.ts';
import { copyOf } from '../../../../src/projections/engine/generations/copy.ts';
import { RebuildLost, RebuildUnderWay } from '../../../../src/projections/engine/rebuild/claim.ts';
import { StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import { calmWorld } from '../../../support/calm-world.ts';
import { nodeArguments, scriptBeside } from '../../../support/script.ts';
import { until } from '../../../support/until.ts';
import { append, ledgers, ledgersOf, opened, paid } from '../ledger.ts';
import { delegate, type Engine, Engines, faultOf, sharedDirectory, timings } from '../setup.ts';

/** The first page of a SQLite file names its kind. */
const PAGE_BYTES = 4_096;

const childOf = (...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, nodeArguments(scriptBeside('../engine-child', import.meta.url), ...args), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });

async function lines(child: ChildProcess): Promise<AsyncIterator<string>> {
  if (child.stdout === null) throw new Error('the child has no stdout');
  return createInterface(child.stdout)[Symbol.asyncIterator]();
}

async function fillLog({ events }: Engine, ledgersCount: number): Promise<void> {
  await Promise.all(
    Array.from({ length: ledgersCount }, async (_, n) => {
      await append(events, `l${n}`, -1, opened(`owner-${n % 7}`), paid(n));
      await append(events, `l${n}`, 1, paid(1), paid(2));
    }),
  );
}

const caughtUp = (engine: Engine) => async (): Promise<boolean> =>
  (await engine.projections.status()).every(({ lagEvents }) => lagEvents === 0);

describe('a rebuild', () => {
  let engines: Engines;
  let engine: Engine;
  beforeEach(async () => {
    engines = await Engines.make();
    engine = await engines.open();
  });
  afterEach(() => engines.dispose());
  const filesOf = async (): Promise<readonly string[]> =>
    (await readdir(engines.directory)).filter((name) => name.endsWith('.db') && name.includes('ledgers'));

  it('equals the live read model, document by document, and takes its place', async () => {
    engine.run();
    await fillLog(engine, 60);
    await until(caughtUp(engine));
    const steps = new Set<string>();
    const result = await engine.projections.rebuild('ledgers', { onProgress: ({ step }) => steps.add(step) });
    expect(result).to.include({
      equal: true,
      swapped: true,
      different: 0,
      documents: 60,
      documentsBefore: 60,
      versionChanged: false,
    });
    expect(result).to.include({ generation: 2, generationBefore: 1, events: 240, parked: 0 });
    expect(result.digestAfter)
      .to.equal(result.digestBefore)
      .and.to.match(/^[0-9a-f]{64}$/);
    expect([...steps]).to.deep.equal(['building', 'indexing', 'joining', 'comparing']);
    expect((await engine.projections.status())[0]).to.include({
      generation: 2,
      documents: 60,
      lagEvents: 0,
      state: 'live',
    });
    await append(engine.events, 'l0', 3, paid(5));
    await until(async () => (await engine.projections.readModels.get(ledgers, ['l0']))[0]?.revision === 4);
  });

  it('gives the same digest every time', async () => {
    await fillLog(engine, 30);
    const digests = [await engine.projections.rebuild('ledgers'), await engine.projections.rebuild('ledgers')].map(
      ({ digestAfter }) => digestAfter,
    );
    expect(digests[0]).to.equal(digests[1]);
  });

  it('keeps the generation before for going back, and no older one', async () => {
    await fillLog(engine, 3);
    for (let round = 0; round < 3; round += 1) await engine.projections.rebuild('ledgers');
    expect(await filesOf()).to.have.members(['read-models.ledgers.3.db', 'read-models.ledgers.4.db']);
  });

  it('stops before the swap, and leaves nothing, when it is a dry run', async () => {
    engine.run();
    await fillLog(engine, 5);
    await until(caughtUp(engine));
    const result = await engine.projections.rebuild('ledgers', { dryRun: true });
    expect(result).to.include({ equal: true, swapped: false, documents: 5 });
    expect(await filesOf()).to.deep.equal(['read-models.ledgers.1.db']);
    expect((await engine.projections.status())[0]).to.include({ generation: 1, state: 'live' });
  });

  it('finds documents that differ from the log, names them, and puts them right', async () => {
    await fillLog(engine, 10);
    const tampered = { owner: 'mallory', balance: 1_000_000, payments: 3, note: 'at 3' };
    await engine.store.write(copyOf(ledgers, 1), [
      { id: 'l3', revision: 3, doc: tampered },
      { id: 'never', revision: 0, doc: tampered },
    ]);
    engine.run();
    await until(caughtUp(engine));
    const result = await engine.projections.rebuild('ledgers');
    expect(result).to.include({
      equal: false,
      different: 2,
      documents: 10,
      documentsBefore: 11,
      versionChanged: false,
      swapped: true,
    });
    expect(result.examples).to.deep.equal(['l3', 'never']);
    expect(result.digestAfter).not.to.equal(result.digestBefore);
    expect(
      (await engine.projections.readModels.get(ledgers, ['l3', 'never'])).map(({ doc }) => doc.owner),
    ).to.deep.equal(['owner-3']);
  });

  it('takes the place of a live one whose file is gone, while no process watches it', async () => {
    await fillLog(engine, 5);
    await engines.close(engine);
    for (const suffix of ['', '-wal', '-shm'])
      await rm(join(engines.directory, `read-models.ledgers.1.db${suffix}`), { force: true });
    const operator = await engines.open({ forRepair: true });
    const result = await operator.projections.rebuild('ledgers');
    expect(result).to.include({
      equal: false,
      different: 5,
      documents: 5,
      documentsBefore: 0,
      generationBefore: 1,
      swapped: true,
    });
    expect(operator.faults.map(String)).to.deep.equal([
      'The read model ledgers is gone: there is nothing to compare the new one with.',
    ]);
  });

  it('takes the place of a live one whose file cannot be read, while no process watches it', async () => {
    await fillLog(engine, 200);
    await engine.projections.rebuild('ledgers');
    await engines.close(engine);
    const file = join(engines.directory, 'read-models.ledgers.2.db');
    const { size } = await stat(file);
    const opened = await open(file, 'r+');
    await opened.write(Buffer.alloc(size - PAGE_BYTES, 0x5a), 0, size - PAGE_BYTES, PAGE_BYTES);
    await opened.close();
    const operator = await engines.open({ forRepair: true });
    expect(await operator.projections.rebuild('ledgers')).to.include({
      equal: false,
      documents: 200,
      generationBefore: 2,
      swapped: true,
    });
    expect(operator.faults.map(String)).to.have.lengthOf(1);
    expect(String(operator.faults[0])).to.match(
      /^The read model ledgers is damaged \(.+\): there is nothing to compare the new one with\.$/,
    );
  });

  it('does not take another order of members for a difference', async () => {
    await append(engine.events, 'a', -1, opened('ann'));
    await engine.store.write(copyOf(ledgers, 1), [
      { id: 'a', revision: 0, doc: { payments: 0, balance: 0, owner: 'ann' } },
    ]);
    expect(await engine.projections.rebuild('ledgers')).to.include({ equal: true, different: 0 });
  });

  it('folds up the live one’s missing events, instead of calling it different', async () => {
    await fillLog(engine, 8); // nothing follows: the live generation is empty
    expect(await engine.projections.rebuild('ledgers')).to.include({
      equal: true,
      different: 0,
      documents: 8,
      documentsBefore: 8,
    });
  });

  it('is one at a time', async () => {
    await fillLog(engine, 5);
    const first = engine.projections.rebuild('ledgers');
    await until(async () => {
      await engine.projections.status();
      return (await engine.projections.status())[0]?.state !== 'live';
    });
    const operator = await engines.open();
    expect(await faultOf(operator.projections.rebuild('ledgers'))).to.be.instanceOf(RebuildUnderWay);
    expect((await first).swapped).to.equal(true);
  });

  it('ends without a trace when its signal aborts', async () => {
    await fillLog(engine, 5);
    const stopping = new AbortController();
    const stopped = faultOf(
      engine.projections.rebuild('ledgers', {
        signal: stopping.signal,
        onProgress: ({ step }) => {
          if (step === 'joining') stopping.abort(new Error('enough'));
        },
      }),
    );
    expect(String(await stopped)).to.match(/enough/);
    expect(await filesOf()).to.deep.equal(['read-models.ledgers.1.db']);
    expect((await engine.projections.status())[0]).to.include({ generation: 1, state: 'live' });
    expect((await engine.projections.rebuild('ledgers')).swapped).to.equal(true);
  });

  it('never drops the generation that it made live without learning that it had', async () => {
    await fillLog(engine, 5);
    let lostAnswers = 0;
    const losing = await engines.open({
      wrapStore: (store) => ({
        ...delegate(store),
        async write(of, rows) {
          const written = await store.write(of, rows);
          const flips =
            of.name === catalogEntries.name &&
            JSON.stringify(rows).includes('"generation":2,"version":1,"state":"live"');
          if (!flips || lostAnswers > 0) return written;
          lostAnswers += 1;
          throw new StoreUnavailable('the answer was lost', { outcomeUnknown: true });
        },
      }),
    });
    expect(await faultOf(losing.projections.rebuild('ledgers'))).to.be.instanceOf(StoreUnavailable);
    expect(lostAnswers).to.equal(1);
    expect(await filesOf()).to.include('read-models.ledgers.2.db');
    const next = await engines.open();
    expect((await next.projections.status())[0]).to.include({ generation: 2, documents: 5, state: 'live' });
  });

  for (const [rebuilds, dropped] of [
    [1, 'it had built'],
    [2, 'it compares with'],
  ] as const)
    it(`says that it was given up where it was paused, and finds the generation gone that ${dropped}`, async () => {
      await fillLog(engine, 5);
      let isAwake = true;
      const sleeping = await engines.open({
        timings: { ...timings, pollMs: 60_000, staleMs: 120_000 }, // no sign of life
        wrapStore: (store) => ({
          ...delegate(store),
          async texts(of, after, limit) {
            if (isAwake) {
              isAwake = false;
              for (let n = 0; n < rebuilds; n += 1) await engine.projections.rebuild('ledgers');
            }
            return store.texts(of, after, limit);
          },
        }),
      });
      expect(await faultOf(sleeping.projections.rebuild('ledgers'))).to.be.instanceOf(RebuildLost);
      expect((await engine.projections.status())[0]).to.include({
        generation: 2 + rebuilds,
        documents: 5,
        state: 'live',
      });
    });

  it('starts automatically when the version changes, while nodes of the previous version continue with theirs', async () => {
    engine.run();
    await fillLog(engine, 5);
    await until(caughtUp(engine));
    const changed = ledgersOf(2);
    const newer = await engines.open({ projections: [changed] });
    newer.run();
    await until(() => newer.projections.readiness().ready);
    expect((await newer.projections.status())[0]).to.include({ version: 2, generation: 2, documents: 5 });
    await append(newer.events, 'l0', 3, paid(7));
    for (const [node, of] of [
      [engine, ledgers],
      [newer, changed],
    ] as const) {
      await until(async () => (await node.projections.readModels.get(of, ['l0']))[0]?.revision === 4);
    }
    expect(engine.projections.readiness()).to.deep.equal({ ready: true, reasons: [], degraded: [] });

    const again = await engines.open(); // back to the previous version, whose generation still exists
    again.run();
    await until(() => again.projections.readiness().ready);
    expect((await again.projections.status())[0]).to.include({ version: 1, generation: 1, documents: 5 });
  });

  it('says so when the version changed', async () => {
    engine.run();
    await fillLog(engine, 5);
    await until(caughtUp(engine));
    const operator = await engines.open({ projections: [ledgersOf(2)], forRepair: true });
    const result = await operator.projections.rebuild('ledgers');
    expect(result).to.include({
      versionChanged: true,
      versionBefore: 1,
      version: 2,
      documents: 5,
      documentsBefore: 5,
      swapped: true,
    });
  });
});

describe('a rebuild beside other processes', () => {
  let engines: Engines;
  let engine: Engine;
  const children: ChildProcess[] = [];
  const start = async (
    what: string,
  ): Promise<{ readonly child: ChildProcess; readonly next: () => Promise<string> }> => {
    const child = childOf(what, engines.directory);
    children.push(child);
    const printed = await lines(child);
    const next = async (): Promise<string> => String((await printed.next()).value);
    await next();
    return { child, next };
  };
  beforeEach(async () => {
    engines = await Engines.make();
    engine = await engines.open(sharedDirectory);
  });
  afterEach(async () => {
    for (const child of children.splice(0))
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await engines.dispose();
  });

  it('loses nothing and fails no caller while two nodes write', async () => {
    await fillLog(engine, 200);
    const nodes = [await start('write'), await start('write')];
    const results = [await engine.projections.rebuild('ledgers'), await engine.projections.rebuild('ledgers')];
    for (const { child } of nodes) child.stdin?.end();
    for (const { next } of nodes) {
      const [acknowledged = 0, lost, faults] = (await next()).split(' ').map(Number);
      expect(acknowledged, 'writes').to.be.above(20);
      expect({ lost, faults }).to.deep.equal({ lost: 0, faults: 0 });
    }
    for (const result of results) expect(result).to.include({ equal: true, different: 0, swapped: true });
    engine.run();
    await until(caughtUp(engine));
    expect(await engine.projections.rebuild('ledgers', { dryRun: true })).to.include({ equal: true, different: 0 });
  });

  it('that is killed at any moment leaves the live one as it was, and can be started again', async () => {
    await fillLog(engine, 300);
    engine.run();
    await until(caughtUp(engine));
    for (let round = 0; round < 5; round += 1) {
      const { child } = await start('rebuild');
      await calmWorld.sleep(30 + 70 * round, new AbortController().signal);
      const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGKILL');
      await exited;
      expect(await engine.projections.readModels.count(ledgers)).to.equal(300);
      await append(engine.events, 'l0', 3 + round, paid(1));
      await until(async () => (await engine.projections.readModels.get(ledgers, ['l0']))[0]?.revision === 4 + round);
    }
    const result = await engine.projections.rebuild('ledgers');
    expect(result).to.include({ equal: true, different: 0, swapped: true, documents: 300 });
    const left = (await readdir(engines.directory)).filter((name) => name.endsWith('.db') && name.includes('ledgers'));
    expect(left.length, left.join()).to.be.at.most(2);
    expect((await readdir(engines.directory)).filter((name) => name.includes('building'))).to.deep.equal([]);
  });
});
