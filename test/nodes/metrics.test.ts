// The metrics of a node while its stores are paused, killed and back: every scrape is answered at once.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Place } from '../cli/processes.ts';
import { calmWorld } from '../support/calm-world.ts';
import {
  type EventStoreDbLoopback,
  openEventStoreDbLoopback,
} from '../support/eventstoredb-loopback/eventstoredb-loopback.ts';
import { type MongoDbLoopback, openMongoDbLoopback } from '../support/mongodb-loopback/mongodb-loopback.ts';
import { until } from '../support/until.ts';
import { type Exposition, parseExposition } from '../telemetry/exposition.ts';

/** The longest scrape, ms: a scrape must not wait for the looks at the stores, which take 3 s every 5 s. */
const SCRAPE_MS = 2_000;
const LAG = 'counterfoil_projection_lag_seconds';

describe('metrics of a node on EventStoreDB and MongoDB', function metricsOnSharedStores() {
  const place = new Place();
  let events: EventStoreDbLoopback;
  let readModels: MongoDbLoopback;
  let metrics: string;
  let slow = 0;
  before(async () => {
    const directories = ['eventstoredb', 'mongodb'].map((name) => join(place.dir, name));
    for (const directory of directories) mkdirSync(directory);
    const [eventsIn = '', readModelsIn = ''] = directories;
    events = await openEventStoreDbLoopback({ directory: eventsIn });
    readModels = await openMongoDbLoopback({ directory: readModelsIn });
    const serving = await place.serve('--metrics-port 0', {
      COUNTERFOIL_EVENT_STORE: events.url,
      COUNTERFOIL_READ_MODELS: readModels.url,
      COUNTERFOIL_SECRET: Buffer.alloc(32, 9).toString('base64url'),
    });
    const [, url] = /Metrics at (http:[^"\s]+)/.exec(serving.stderr()) ?? [];
    if (url === undefined) throw new Error(`the node did not print the address of its metrics: ${serving.stderr()}`);
    metrics = url;
  });
  after(async () => {
    await Promise.all([events.kill(), readModels.close()]);
    await place.remove();
  });

  async function scrape(): Promise<Exposition> {
    const from = calmWorld.monotonic();
    const text = await (await fetch(metrics)).text();
    if (calmWorld.monotonic() - from > SCRAPE_MS) slow += 1;
    return parseExposition(text);
  }
  async function scrapedWhen(holds: (scraped: Exposition) => boolean): Promise<Exposition> {
    let scraped = await scrape();
    await until(async () => {
      if (!holds(scraped)) scraped = await scrape();
      return holds(scraped);
    });
    return scraped;
  }
  const available = (scraped: Exposition): readonly number[] =>
    ['events', 'read_models'].map((store) => scraped.series('counterfoil_store_available', { store })[0]?.value ?? -1);
  const isWell = (scraped: Exposition): boolean =>
    available(scraped).every((one) => one === 1) && scraped.value('counterfoil_ready') === 1;

  it('say that all is well', async () => {
    const scraped = await scrapedWhen((one) => isWell(one) && one.series(LAG).length > 0);
    expect(scraped.sum('counterfoil_appends_total', { category: 'account', result: 'written' })).to.equal(2);
  });

  it('name the paused stores as unavailable, and then as available again', async () => {
    slow = 0;
    events.freeze();
    readModels.server.freeze();
    try {
      await scrapedWhen(
        (scraped) => available(scraped).every((one) => one === 0) && scraped.value('counterfoil_ready') === 0,
      );
      // The lag of the projections is unknown during the pause, so the metric grows with the pause.
      await scrapedWhen((scraped) => scraped.series(LAG).every(({ value }) => value > 8));
      // a slow machine delays one scrape, a look at a store two
      expect(slow, 'scrapes that were delayed').to.be.at.most(1);
    } finally {
      events.thaw();
      readModels.server.thaw();
    }
    await scrapedWhen(isWell);
    await scrapedWhen((scraped) => scraped.series(LAG).every(({ value }) => value < 8));
  });

  it('count the connections that a killed store lost', async () => {
    const before = await scrape();
    const drops = (scraped: Exposition, store: string): number =>
      scraped.value('counterfoil_store_drops_total', { store });
    await events.kill();
    await scrapedWhen((scraped) => available(scraped)[0] === 0);
    await events.start();
    const after = await scrapedWhen(isWell);
    expect(drops(after, 'events')).to.be.above(drops(before, 'events'));
  });
});
