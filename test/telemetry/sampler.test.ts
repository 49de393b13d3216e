// The sampler's looks: whether stores answer, how far projections are, how many outcomes are unknown; and a scrape
// meanwhile.
import { expect } from 'chai';
import { Sampler } from '../../src/cli/serve/sampler.ts';
import { accept } from '../../src/domain/decider.ts';
import type { PaymentEvent } from '../../src/domain/payment/events.ts';
import { operatorContext } from '../../src/journal/contexts.ts';
import { transact } from '../../src/journal/transact.ts';
import { allProjections } from '../../src/projections/models/all.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { captureRequested, wentThrough } from '../domain/payment/story.ts';
import { calmWorld } from '../support/calm-world.ts';
import { CARDS } from '../support/http-merchant.ts';
import { notificationOf } from '../support/http-samples.ts';
import { type Switches, switchable } from '../support/switchable-stores.ts';
import { until } from '../support/until.ts';
import { type MeteredService, serveMetered } from './metered-service.ts';

const PATIENCE_MS = 1_000;
const AVAILABLE = 'counterfoil_store_available';
const LAG = 'counterfoil_projection_lag_seconds';
const PROJECTIONS = allProjections.length;

/** An event store that can be paused: a question meanwhile is never answered, as by a process that got SIGSTOP. */
function pausable(store: EventStore, paused: { is: boolean; asked: number }): EventStore {
  const never = <T>(): Promise<T> => {
    paused.asked += 1;
    return new Promise<T>(() => undefined);
  };
  return {
    append: (stream, after, events) => store.append(stream, after, events),
    read: (stream, after) => store.read(stream, after),
    follow: (after, categories, signal) => store.follow(after, categories, signal),
    head: () => (paused.is ? never() : store.head()),
    close: () => store.close(),
  };
}

describe('the sampler', () => {
  const switches: Switches = {};
  const paused = { is: false, asked: 0 };
  let metered: MeteredService;
  before(async () => {
    metered = await serveMetered({
      through: switchable(switches),
      sampled: (events) => pausable(events, paused),
      samplerTimings: { everyMs: 5_000, patienceMs: PATIENCE_MS },
      timings: { sendWithinMs: 1_000, answerWithinMs: 1_500, abandonAfterMs: 60_000 },
      sandboxInMemory: true,
    });
  });
  after(() => metered.stop());
  afterEach(() => {
    for (const name of ['events', 'readModels'] as const) delete switches[name];
    paused.is = false;
  });

  it('says nothing of values that it has not looked at', async () => {
    const scraped = await metered.scrape();
    expect(scraped.series(AVAILABLE)).to.deep.equal([]);
    expect(scraped.series(LAG)).to.deep.equal([]);
  });

  it('finds the stores answering, every projection where the log is, no stream parked, and the node ready', async () => {
    const { shop, service } = metered.http;
    await shop.session();
    await until(async () =>
      [...(await service.projections.lags(AbortSignal.timeout(60_000))).values()].every((lag) => lag === 0),
    );
    await metered.sampler.sample();
    const scraped = await metered.scrape();
    expect([
      scraped.value(AVAILABLE, { store: 'events' }),
      scraped.value(AVAILABLE, { store: 'read_models' }),
    ]).to.deep.equal([1, 1]);
    expect(scraped.series(LAG).map(({ value }) => value)).to.deep.equal(Array(PROJECTIONS).fill(0));
    // Two more: the broken streams of the log itself, and those that the store was told to lose events of.
    expect(scraped.series('counterfoil_projection_parked_streams').map(({ value }) => value)).to.deep.equal(
      Array(PROJECTIONS + 2).fill(0),
    );
    expect(scraped.value('counterfoil_ready')).to.equal(1);
  });

  it('finds a failing store unavailable, and available when it is back', async () => {
    switches.readModels = new StoreUnavailable('unavailable');
    await metered.sampler.sample();
    const gone = await metered.scrape();
    expect([gone.value(AVAILABLE, { store: 'events' }), gone.value(AVAILABLE, { store: 'read_models' })]).to.deep.equal(
      [1, 0],
    );
    delete switches.readModels;
    await metered.sampler.sample();
    expect((await metered.scrape()).value(AVAILABLE, { store: 'read_models' })).to.equal(1);
  });

  it('finds a silent store unavailable in time, asks it once, and is scraped meanwhile', async () => {
    paused.is = true;
    paused.asked = 0;
    const start = calmWorld.monotonic();
    await metered.sampler.sample();
    expect(calmWorld.monotonic() - start).to.be.below(PATIENCE_MS * 10);
    await metered.sampler.sample();
    expect(paused.asked).to.equal(1);
    const asked = calmWorld.monotonic();
    expect((await metered.scrape()).value(AVAILABLE, { store: 'events' })).to.equal(0);
    expect(calmWorld.monotonic() - asked).to.be.below(10_000);
  });

  it('ends at once while a store does not answer it, however patient it is', async () => {
    paused.is = true;
    paused.asked = 0;
    const { service, stores } = metered.http;
    const { readiness, projections, readModels } = service;
    const timings = { everyMs: 60_000, patienceMs: 60_000 };
    const sampler = new Sampler(
      { readiness, projections, readModels, events: pausable(stores.events, paused) },
      calmWorld,
      timings,
    );
    const stopping = new AbortController();
    const running = sampler.run(stopping.signal);
    expect(paused.asked).to.equal(1);
    const stoppedAt = calmWorld.monotonic();
    stopping.abort();
    await running;
    expect(calmWorld.monotonic() - stoppedAt).to.be.below(timings.patienceMs / 2);
  });

  it('believes an adapter that says its store is unavailable, whatever it sees itself', async () => {
    const meters = metered.prometheus.store('read_models');
    await metered.sampler.sample();
    meters.available(false);
    expect((await metered.scrape()).value(AVAILABLE, { store: 'read_models' })).to.equal(0);
    meters.available(true);
    expect((await metered.scrape()).value(AVAILABLE, { store: 'read_models' })).to.equal(1);
  });

  it('counts reports of adapters, from 0 on', async () => {
    const labels = { store: 'events' };
    const names = [
      'counterfoil_store_retries_total',
      'counterfoil_store_unknown_outcomes_total',
      'counterfoil_store_drops_total',
    ];
    expect((await metered.scrape()).value(names[0] ?? '', { store: 'read_models' })).to.equal(0);
    const meters = metered.prometheus.store('events');
    meters.retried();
    meters.outcomeUnknown();
    meters.dropped();
    const scraped = await metered.scrape();
    expect(names.map((name) => scraped.value(name, labels))).to.deep.equal([1, 1, 1]);
  });

  it('counts payments whose outcome is not known, until it is', async () => {
    const { shop } = metered.http;
    const doubts = async (): Promise<number> => {
      await metered.sampler.sample();
      return (await metered.scrape()).value('counterfoil_payments_unknown');
    };
    await shop.paid();
    expect(await doubts()).to.equal(0);
    await shop.pay({ card: CARDS.unknown });
    expect(await doubts()).to.equal(1);
    await shop.pay({ card: CARDS.lost });
    expect(await doubts()).to.equal(2);
  });

  it('counts payments that are captured beyond their authorization, and reports each growth once', async () => {
    const { shop, stores, service } = metered.http;
    const { readiness, projections, readModels } = service;
    const reported: number[] = [];
    const onNotConserved = (count: number): void => void reported.push(count);
    const sources = { readiness, projections, readModels, events: stores.events, onNotConserved };
    const sampler = new Sampler(sources, calmWorld);
    const { id } = await shop.paid();
    await sampler.sample();
    expect(sampler.state().paymentsNotConserved).to.equal(0);
    const amount = 1_000_000;
    await transact(service.streams.payments, id, operatorContext(calmWorld, 'acc_1'), () =>
      accept<PaymentEvent>(captureRequested('z', amount), wentThrough('z', 'capture', amount)),
    );
    await until(async () => {
      await sampler.sample();
      return sampler.state().paymentsNotConserved === 1;
    });
    await sampler.sample();
    expect(reported).to.deep.equal([1]);
  });

  it('counts notifications that are parked', async () => {
    const { shop, request } = metered.http;
    const parked = async (): Promise<number> => {
      await metered.sampler.sample();
      return (await metered.scrape()).value('counterfoil_notifications_parked');
    };
    expect(await parked()).to.equal(0);
    expect(
      (await request('POST', '/webhooks/sandbox', { key: shop.key, ...notificationOf(metered.http) })).status,
    ).to.equal(202);
    const deadline = metered.http.world.monotonic() + 60_000;
    while ((await parked()) !== 1) expect(metered.http.world.monotonic()).to.be.below(deadline);
  });
});
