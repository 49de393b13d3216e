// A connection that Stripe limits: its calls wait, longer each time, and are refused rather than kept for long.
import { expect } from 'chai';
import type { Call } from '../../../src/processors/processor.ts';
import { RequestPace } from '../../../src/processors/stripe/pacing.ts';
import { openStripe, type Stripe } from '../../../src/processors/stripe/stripe.ts';
import { liveWorld } from '../../../src/world.ts';
import { openTwinShop, type TwinShop } from './twin-shop.ts';

/** A timer may end this much early, ms. */
const EARLY_MS = 5;

describe('a connection whose requests Stripe limits', () => {
  let shop: TwinShop;
  let stripe: Stripe;
  let told: string[];
  beforeEach(async () => {
    shop = await openTwinShop();
    told = [];
    stripe = openStripe({ world: liveWorld, report: (notice) => void told.push(String(notice)) });
  });
  afterEach(async () => {
    stripe.close();
    await shop.close();
  });

  const prepare = async (call: Call = shop.call()) => (await stripe.prepare?.(shop.authorization(), call))?.kind;
  const limit = () => shop.twin.fault({ method: 'POST' }, { kind: 'rate_limit' });
  async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
    const start = liveWorld.monotonic();
    const value = await work();
    return [value, liveWorld.monotonic() - start + EARLY_MS];
  }

  it('waits before its next call, and operators read why once', async () => {
    limit();
    expect(await prepare()).to.equal('not_sent');
    const [next, waitedMs] = await timed(prepare);
    expect(next).to.equal('prepared');
    expect(waitedMs).to.be.at.least(250);
    limit();
    expect(await prepare()).to.equal('not_sent');
    expect(told).to.have.length(1);
    expect(told[0]).to.contain('connection stripe (429 rate_limit)');
  });

  it('sends nothing if the deadline comes in the pause', async () => {
    for (let call = 0; call < 3; call += 1) {
      limit();
      await prepare();
    }
    shop.lines();
    expect(await prepare(shop.call(20))).to.equal('not_sent');
    expect(shop.lines()).to.deep.equal([]);
  });

  it('slows no other connection down', async () => {
    limit();
    await prepare();
    const call = shop.call();
    const other = {
      ...call,
      connection: { ...call.connection, connectionId: 'other' },
      signal: AbortSignal.timeout(200),
    };
    expect(await prepare(other)).to.equal('prepared');
  });
});

describe('the pace of a connection', () => {
  let now: number;
  let slept: number[];
  let pace: RequestPace;
  const { signal } = new AbortController();
  beforeEach(() => {
    [now, slept] = [1_000, []];
    const world = {
      monotonic: () => now,
      sleep: async (ms: number) => {
        slept.push(ms);
        now += ms;
      },
    };
    pace = new RequestPace({ world, report: () => undefined, connectionId: 'stripe' });
  });

  it('doubles the pause from a quarter of a second to two, and begins again after a call that was taken', async () => {
    for (let call = 0; call < 6; call += 1) {
      expect(await pace.turn(signal)).to.equal(true);
      pace.limited();
    }
    expect(slept).to.deep.equal([250, 500, 1_000, 2_000, 2_000]);
    await pace.turn(signal);
    pace.taken();
    expect(await pace.turn(signal)).to.equal(true);
    pace.limited();
    await pace.turn(signal);
    expect(slept.slice(5)).to.deep.equal([2_000, 250]);
  });

  it('counts calls that were under way together once', async () => {
    for (let call = 0; call < 20; call += 1) pace.limited();
    pace.taken(); // one of them had got through
    await pace.turn(signal);
    pace.limited();
    await pace.turn(signal);
    expect(slept).to.deep.equal([250, 500]);
  });

  it('refuses a call that others have kept waiting for two seconds', async () => {
    const world = {
      monotonic: () => now,
      sleep: async (ms: number) => {
        now += ms;
        crowded.limited();
      },
    };
    const crowded = new RequestPace({ world, report: () => undefined, connectionId: 'stripe' });
    crowded.limited();
    expect(await crowded.turn(signal)).to.equal(false);
    expect(now - 1_000).to.be.at.most(2_000);
  });
});
