// A connection that Stripe limits: its calls wait, longer each time, and are refused rather than kept for long.
import { expect } from 'chai';
import { httpCaller } from '../../../src/processors/http-call.ts';
import type { Call } from '../../../src/processors/processor.ts';
import { RequestPace } from '../../../src/processors/stripe/api.ts';
import { openStripe, type Stripe } from '../../../src/processors/stripe/stripe.ts';
import { liveWorld } from '../../../src/world.ts';
import { openTwinShop, type TwinShop } from './twin-shop.ts';

describe('a connection whose requests Stripe limits', () => {
  let shop: TwinShop;
  let stripe: Stripe;
  let told: string[];
  let now: number;
  let slept: number[];
  let meanwhile: () => void;
  beforeEach(async () => {
    shop = await openTwinShop();
    [told, now, slept, meanwhile] = [[], 1_000, [], () => undefined];
    stripe = openStripe({
      world: {
        monotonic: () => now,
        sleep: async (ms, signal) => {
          slept.push(ms);
          meanwhile();
          signal?.throwIfAborted();
          now += ms;
        },
      },
      report: (notice) => void told.push(String(notice)),
      // only the pauses go by the clock of the test
      openCaller: (base) => httpCaller({ base, world: liveWorld }),
    });
  });
  afterEach(async () => {
    stripe.close();
    await shop.close();
  });

  const prepare = async (call: Call = shop.call()) => (await stripe.prepare?.(shop.authorization(), call))?.kind;
  const limit = () => shop.twin.fault({ method: 'POST' }, { kind: 'rate_limit' });

  it('waits before its next call, and operators read why once', async () => {
    limit();
    expect(await prepare()).to.equal('not_sent');
    expect(slept).to.deep.equal([]);
    expect(await prepare()).to.equal('prepared');
    expect(slept).to.deep.equal([250]);
    limit();
    expect(await prepare()).to.equal('not_sent');
    expect(told).to.have.length(1);
    expect(told[0]).to.contain('connection stripe (429 rate_limit)');
  });

  it('sends nothing if the deadline comes in the pause', async () => {
    limit();
    await prepare();
    shop.lines();
    const deadline = new AbortController();
    meanwhile = () => deadline.abort();
    expect(await prepare({ ...shop.call(), signal: deadline.signal })).to.equal('not_sent');
    expect(slept).to.deep.equal([250]);
    expect(shop.lines()).to.deep.equal([]);
  });

  it('slows no other connection down', async () => {
    limit();
    await prepare();
    const call = shop.call();
    expect(await prepare({ ...call, connection: { ...call.connection, connectionId: 'other' } })).to.equal('prepared');
    expect(slept).to.deep.equal([]);
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
