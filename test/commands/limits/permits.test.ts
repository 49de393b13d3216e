// Requests a second of a key over several processes: never refused too early, and a bound on what all of them admit.
import { expect } from 'chai';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { PermitPool, Permits, permitRule } from '../../../src/commands/limits/permits.ts';

const KEY = 'key_1';

interface Service {
  readonly processes: readonly Permits[];
  readonly asked: () => number;
}

function service(limit: number, count: number, now: () => number = () => 5_000): Service {
  const rule = permitRule(limit, count);
  const pool = new PermitPool(rule, now);
  let asked = 0;
  const lease = async (key: string, second: number, wanted: number): Promise<number> => {
    asked += 1;
    await new Promise((turn) => setImmediate(turn));
    return pool.lease(key, second, wanted);
  };
  return { processes: Array.from({ length: count }, () => new Permits(rule, lease, now)), asked: () => asked };
}

async function isAdmitted(permits: Permits | undefined, key = KEY): Promise<boolean> {
  if (permits === undefined) throw new Error('no such process');
  try {
    await permits.consume(key);
    return true;
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return false;
    throw refused;
  }
}

async function admittedOf(requests: number, one: (index: number) => Promise<boolean>): Promise<number> {
  const answers = await Promise.all(Array.from({ length: requests }, (_, index) => one(index)));
  return answers.filter(Boolean).length;
}

describe('requests a second over several processes', () => {
  for (const [limit, count] of [
    [1, 2],
    [10, 2],
    [500, 2],
    [500, 4],
    [500, 16],
    [1_000_000, 2],
  ] as const) {
    const { most, part } = permitRule(limit, count);
    it(`may be an eighth more than ${limit} with ${count} processes, and no more`, () =>
      expect(most).to.be.within(limit, limit * 1.125));
    if (limit > 1_000) continue; // too many to ask for

    it(`are admitted up to ${limit} where one of ${count} processes gets all, and up to that eighth more where each gets some`, async () => {
      const alone = service(limit, count);
      expect(await admittedOf(limit * 2, () => isAdmitted(alone.processes[0]))).to.equal(limit);
      const all = service(limit, count);
      expect(await admittedOf(limit * count * 2, (index) => isAdmitted(all.processes[index % count]))).to.be.within(
        limit,
        most,
      );
    });

    it(`are refused by one of ${count} processes only when ${limit} were admitted by all`, async () => {
      const { processes } = service(limit, count);
      let admitted = 0;
      for (let index = 0; index < part; index += 1) {
        // each leaves leased permits unused
        for (const one of processes.slice(1)) if (await isAdmitted(one)) admitted += 1;
      }
      while (await isAdmitted(processes[0])) admitted += 1;
      expect(admitted).to.be.at.least(limit);
    });
  }

  it('ask the pool once for a sixteenth of the limit', async () => {
    const { processes, asked } = service(500, 2);
    for (let index = 0; index < 500; index += 1) await isAdmitted(processes[0]);
    expect(asked()).to.be.within(10, 16);
  });

  it('ask the pool once for all that wait', async () => {
    const { processes, asked } = service(10, 2);
    expect(await admittedOf(40, () => isAdmitted(processes[0]))).to.equal(10);
    expect(asked()).to.be.below(14);
  });

  it('are refused over the limit without a question, so that what is left goes to other processes', async () => {
    const { processes, asked } = service(500, 2);
    for (let index = 0; index < 500; index += 1) expect(await isAdmitted(processes[0])).to.equal(true);
    const before = asked();
    for (let index = 0; index < 10; index += 1) expect(await isAdmitted(processes[0])).to.equal(false);
    expect(asked()).to.equal(before);
  });

  it('start again with each second, even after the clock was set back', async () => {
    let now = 5_999;
    const { processes } = service(10, 2, () => now);
    for (const at of [5_999, 6_000, 3_000, 3_999, 4_000]) {
      const isNew = Math.floor(at / 1_000) !== Math.floor(now / 1_000) || at === 5_999;
      now = at;
      expect(await admittedOf(30, (index) => isAdmitted(processes[index % 2]))).to.equal(isNew ? 10 : 0);
    }
  });

  it('go on with the second before, where a question comes late or the clock was set back a little', () => {
    const pool = new PermitPool(permitRule(10, 2), () => 5_000);
    expect(pool.lease(KEY, 5, 4)).to.equal(4);
    expect(pool.lease(KEY, 6, 4)).to.equal(4);
    expect(pool.lease(KEY, 5, 40)).to.equal(6);
    expect(pool.lease(KEY, 6, 40)).to.equal(6);
    expect(pool.lease(KEY, 8, 40)).to.equal(10);
    expect(pool.lease(KEY, 7, 40)).to.equal(10); // nobody had leased any then
  });

  it('get nothing in a second that is long over, so that the present one begins once', () => {
    let now = 8_000;
    const pool = new PermitPool(permitRule(10, 2), () => now);
    expect(pool.lease(KEY, 8, 40)).to.equal(10);
    expect(pool.lease(KEY, 5, 4)).to.equal(0); // of a process that was paused as it asked
    expect(pool.lease(KEY, 8, 40)).to.equal(0);
    now = 5_000;
    expect(pool.lease(KEY, 5, 4)).to.equal(4); // now the clock was set back
  });

  it('are admitted in a process that was paused as it asked', async () => {
    let now = 5_000;
    const rule = permitRule(10, 2);
    const pool = new PermitPool(rule, () => now);
    const paused = new Permits(
      rule,
      async (key, second, wanted) => {
        if (second === 5) now = 8_000;
        return pool.lease(key, second, wanted);
      },
      () => now,
    );
    expect(await admittedOf(20, () => isAdmitted(paused))).to.equal(10);
  });

  it('count each key separately, and report the rest and the end of the second', async () => {
    const { processes } = service(10, 2, () => 5_250);
    const [one] = processes;
    expect(await one?.consume(KEY)).to.include({ remainingPoints: 9, msBeforeNext: 750 });
    expect(await admittedOf(20, () => isAdmitted(one))).to.equal(9);
    expect(await one?.consume('key_2')).to.include({ remainingPoints: 9 });
    const refused = await one?.consume(KEY).catch((fault: unknown) => fault);
    expect(refused).to.be.instanceOf(RateLimiterRes).and.to.include({ remainingPoints: 0 });
  });
});
