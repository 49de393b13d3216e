// A rebuild in threads: equal to the fold of one thread, and as safe when a stream, a thread or the whole process
// fails.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { openProjections } from '../../../../src/projections/engine/engine.ts';
import type { RebuildOptions, RebuildResult } from '../../../../src/projections/engine/rebuild/result.ts';
import { allProjections } from '../../../../src/projections/models/all.ts';
import { foldModuleWith } from '../../../../src/projections/threads/fold-module.ts';
import { openSqliteEventStore } from '../../../../src/stores/sqlite/event-store.ts';
import { besides } from '../../../../src/stores/sqlite/file/thread.ts';
import { openSqliteReadModels } from '../../../../src/stores/sqlite/read-models.ts';
import { StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import { plainGoldenEvents, readGoldenLog } from '../../../golden/golden-log.ts';
import { alterLog } from '../../../support/altered-log.ts';
import { calmWorld } from '../../../support/calm-world.ts';
import { nodeArguments, scriptBeside } from '../../../support/script.ts';
import { append, ledgers, opened, paid, refused } from '../ledger.ts';
import { type Engine, Engines, faultOf, sharedDirectory, timings } from '../setup.ts';
import { DEADLY, UNFOLDABLE } from './fatal-amounts.ts';

const threads = {
  spread: { from: 0, threads: 2 },
  foldModule: { url: besides('./ledger-fold-handler', import.meta.url) },
};
const LEDGERS = 1_000;

describe('a rebuild in threads', () => {
  let engines: Engines;
  let engine: Engine;
  beforeEach(async () => {
    engines = await Engines.make();
    engine = await engines.open({ ...threads, ...sharedDirectory });
    await Promise.all(
      Array.from({ length: LEDGERS }, async (_, n) => {
        await append(engine.events, `l${n}`, -1, opened(`owner-${n % 7}`), paid(1));
        await append(engine.events, `l${n}`, 1, paid(2));
      }),
    );
  });
  afterEach(async () => {
    refused.amounts.clear();
    await engines.dispose();
  });
  const rebuilt = (options?: RebuildOptions): Promise<RebuildResult> => engine.projections.rebuild('ledgers', options);
  /** By the fold of one thread. */
  const inOneThread = async (): Promise<RebuildResult> => {
    const other = await engines.open({ forRepair: true });
    return other.projections.rebuild('ledgers', { dryRun: true });
  };
  const leftovers = async (): Promise<readonly string[]> =>
    (await readdir(engines.directory)).filter((name) => name.includes('building'));

  it('makes what one thread makes, and is read as that', async () => {
    const positions: bigint[] = [];
    const result = await rebuilt({ onProgress: ({ position }) => positions.push(position) });
    expect(result).to.include({ documents: LEDGERS, events: 3 * LEDGERS, swapped: true, parked: 0 });
    expect(positions.at(-1)).to.equal(BigInt(3 * LEDGERS - 1));
    expect(await inOneThread()).to.include({ equal: true, digestAfter: result.digestAfter });
    const found = await engine.projections.readModels.find(ledgers, { where: { owner: ['owner-3'] }, limit: 1_000 });
    expect(found).to.have.length(143);
    expect(found.every(({ revision, doc }) => revision === 2 && doc.balance === 3)).to.equal(true);
  });

  it('tells the digest of all documents also of a first one, which is compared with nothing', async () => {
    const empty = await Engines.make();
    try {
      const first = await empty.open({ ...threads, ...sharedDirectory, forRepair: true });
      for (let n = 0; n < 20; n += 1) await append(first.events, `l${n}`, -1, opened('ann'), paid(n));
      const { digestAfter, documentsBefore } = await first.projections.rebuild('ledgers');
      expect(documentsBefore).to.equal(0);
      const other = await empty.open({ forRepair: true });
      expect(await other.projections.rebuild('ledgers', { dryRun: true })).to.include({ equal: true, digestAfter });
    } finally {
      await empty.dispose();
    }
  });

  it('parks a stream whose event cannot be projected, and names a broken one', async () => {
    refused.amounts.add(UNFOLDABLE);
    await append(engine.events, 'l7', 2, paid(UNFOLDABLE), paid(1));
    await alterLog(join(engines.directory, 'events.db'), 'ledger-l8', { kind: 'dataAltered', n: 1 });
    await alterLog(join(engines.directory, 'events.db'), 'ledger-l9', { kind: 'deleted', n: 0 });
    const result = await rebuilt();
    expect(result).to.include({ documents: LEDGERS - 1, swapped: true });
    expect(result.broken).to.have.members(['ledger-l8', 'ledger-l9']);
    const parked = await engine.projections.parked();
    expect(parked.map(({ stream, revision, reason }) => `${stream}@${revision} ${reason}`)).to.have.members([
      'ledger-l7@3 poison',
      'ledger-l8@2 broken',
      'ledger-l9@1 broken',
    ]);
    const [row] = await engine.projections.readModels.get(ledgers, ['l7']);
    expect(row).to.deep.include({ revision: 2 });
    expect((await inOneThread()).digestAfter).to.equal(result.digestAfter);
  });

  it('ends without a trace when its signal aborts, and when a thread dies', async () => {
    const live = await rebuilt();
    const stopping = new AbortController();
    const stopped = rebuilt({ signal: stopping.signal, onProgress: () => stopping.abort(new Error('enough')) });
    expect(String(await faultOf(stopped))).to.match(/enough/);
    await append(engine.events, 'l500', 2, paid(DEADLY));
    const fault = await faultOf(rebuilt());
    expect(fault).to.be.instanceOf(StoreUnavailable);
    expect(String(fault)).to.match(/ended with code 3/);
    expect(await leftovers()).to.deep.equal([]);
    expect((await engine.projections.status())[0]).to.include({
      generation: live.generation,
      state: 'live',
      documents: LEDGERS,
    });
  });

  it('leaves the live one as it was when its process is killed, and can be started again', async () => {
    const live = await rebuilt();
    const path = scriptBeside('./threads-child', import.meta.url);
    for (const step of ['building', 'indexing', 'comparing']) {
      const child: ChildProcess = spawn(process.execPath, nodeArguments(path, engines.directory, step), {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      if (child.stdout === null) throw new Error('the child has no stdout');
      const [line] = await once(createInterface(child.stdout), 'line');
      expect(line).to.equal(step);
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      expect((await engine.projections.status())[0]).to.include({ generation: live.generation, documents: LEDGERS });
    }
    const again = await rebuilt();
    expect(again).to.include({ equal: true, swapped: true, digestAfter: live.digestAfter });
    expect(await leftovers()).to.deep.equal([]);
  });
});

describe('the golden log', () => {
  it('is folded to the same documents in threads, in every read model', async () => {
    const engines = await Engines.make();
    const file = (name: string): string => join(engines.directory, name);
    const common = { world: calmWorld, report: (fault: unknown) => expect.fail(String(fault)) };
    const events = await openSqliteEventStore({ file: file('golden.db'), ...common, spread: { from: 0, threads: 1 } });
    const readModels = await openSqliteReadModels({ file: file('golden-models.db'), ...common });
    try {
      for (const { stream, revision, id, type, data, metadata } of plainGoldenEvents(await readGoldenLog()))
        expect(await events.append(stream, revision - 1, [{ id, type, data, metadata }])).to.equal('written');
      const parts = {
        ...common,
        events,
        readModels,
        projections: allProjections,
        timings: { ...timings, joinMs: 0 },
      };
      // builds all of them in one reading of the log: a rebuild of each in threads would start them some thirty times
      await openProjections({ ...parts, foldModule: foldModuleWith(undefined) });
      const alone = await openProjections({ ...parts, forRepair: true });
      let documents = 0;
      for (const { name } of allProjections) {
        const one = await alone.rebuild(name);
        expect(one, name).to.include({ equal: true, different: 0, parked: 0 });
        documents += one.documents;
      }
      expect(documents).to.be.above(40);
    } finally {
      await readModels.close();
      await events.close();
      await engines.dispose();
    }
  });
});
