// The history of the lag: a sample a minute, a day of them, however many processes look and whether or not the store is
// there.
import { expect } from 'chai';
import { LagHistory, lagSamples } from '../../../src/projections/running/lag-history.ts';
import { readLagHistory } from '../../../src/queries/overview.ts';
import { memoryReadModels } from '../../../src/stores/memory/read-models.ts';
import type { ReadModels } from '../../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../../src/stores/store-unavailable.ts';
import { calmWorld } from '../../support/calm-world.ts';

const MINUTE_MS = 60_000;
const START = 480_000 * 60 * MINUTE_MS;

describe('the history of the lag', () => {
  let now: number;
  let lags: ReadonlyMap<string, number> | undefined;
  let readModels: ReadModels;
  let isThere: boolean;
  beforeEach(() => {
    now = START;
    lags = new Map([['payments', 0]]);
    readModels = memoryReadModels();
    isThere = true;
  });

  const history = (): LagHistory =>
    new LagHistory({
      readModels: {
        get: readModels.get,
        async write(of, rows) {
          if (!isThere) throw new StoreUnavailable('the read models');
          return readModels.write(of, rows);
        },
      },
      world: calmWorld,
      report: (fault) => expect.fail(String(fault)),
      machineTime: () => now,
      lags: async () => lags ?? Promise.reject(new StoreUnavailable('the log')),
    });
  const seen = async () =>
    (await lagSamples(readModels, now)).map(({ minute, seconds }) => [minute - START / MINUTE_MS, seconds]);

  it('has the longest lag of each minute and its read model, once the minute is over', async () => {
    const one = history();
    for (const seconds of [2, 9, 4]) {
      lags = new Map([
        ['users', 1],
        ['payments', seconds],
      ]);
      await one.look();
    }
    await one.write();
    expect(await seen()).to.deep.equal([]);
    now += MINUTE_MS;
    await one.write();
    expect(await lagSamples(readModels, now)).to.deep.equal([
      { minute: START / MINUTE_MS, seconds: 9, name: 'payments' },
    ]);
  });

  it('keeps a day', async () => {
    const one = history();
    for (let minute = 0; minute < 25 * 60 + 30; minute += 10) {
      await one.look();
      now += 10 * MINUTE_MS;
      await one.write();
    }
    const kept = await seen();
    expect(kept.map(([minute]) => minute)).to.deep.equal(
      Array.from({ length: 24 * 6 - 1 }, (_, place) => (10 + place) * 10),
    );
  });

  it('is one of several processes, with the longest lag that any of them saw', async () => {
    const [one, other] = [history(), history()];
    lags = new Map([['payments', 3]]);
    await one.look();
    lags = new Map([['payments', 8]]);
    await other.look();
    now += MINUTE_MS;
    await Promise.all([one.write(), other.write()]);
    expect(await seen()).to.deep.equal([[0, 8]]);
  });

  it('is written later when the store was unavailable, and has a gap where the lag could not be told', async () => {
    const one = history();
    isThere = false;
    lags = new Map([['payments', 60]]);
    await one.look();
    now += MINUTE_MS;
    expect(await one.write().catch((fault: unknown) => fault)).to.be.instanceOf(StoreUnavailable);
    lags = undefined;
    await one.look();
    now += MINUTE_MS;
    lags = new Map([['payments', 0]]);
    await one.look();
    isThere = true;
    now += MINUTE_MS;
    await one.write();
    const points = await readLagHistory(readModels)(now, 4, 1);
    expect(points.map(({ seconds }) => seconds)).to.deep.equal([undefined, 60, undefined, 0]);
  });
});
