// The modules that a process loads: the adapters and clients that its settings name, and no others.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { openEventStoreDbLoopback } from '../support/eventstoredb-loopback/eventstoredb-loopback.ts';
import { openMongoDbLoopback } from '../support/mongodb-loopback/mongodb-loopback.ts';
import { ROOT } from '../support/root.ts';
import { compiledMain } from './built.ts';
import { Place } from './processes.ts';

const PRELOAD = pathToFileURL(join(ROOT, 'test/cli/loaded-modules.mjs')).href;

describe('the modules that are loaded', () => {
  let place: Place;
  let list: string;
  beforeEach(() => {
    place = new Place(compiledMain());
    list = join(place.dir, 'loaded');
  });
  afterEach(() => place.remove());

  const env = (): { readonly [variable: string]: string } => ({
    NODE_OPTIONS: `--import=${PRELOAD}`,
    LOADED_MODULES: list,
  });
  /** The loaded modules that match, each shortened to its path in the package or the name of a package. */
  const loaded = (pattern: RegExp): readonly string[] => {
    const urls = readFileSync(list, 'utf8').trimEnd().split('\n');
    const short = urls.map(
      (url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? url.replace(/^.*\/dist\//, ''),
    );
    return [...new Set(short.filter((name) => pattern.test(name)))].sort();
  };

  it('by the embedded start include no client of another store, and no module for other nodes', async () => {
    const serving = await place.serve('', env());
    expect((await fetch(`${serving.url}/health/ready`)).status).to.equal(200);
    await serving.end('SIGTERM');
    expect(
      loaded(
        /^(koa|zod|stores\/sqlite\/event-store\.js|stores\/sqlite\/read-models\.js|processors\/sandbox\/sandbox\.js)$/,
      ),
    ).to.have.length(5);
    expect(loaded(/mongodb|bson|eventstore\/|eventstoredb|grpc|protobuf|prom-client|opentelemetry/)).to.deep.equal([]);
    expect(loaded(/^telemetry|^cli\/.*metrics/)).to.deep.equal([]);
    expect(loaded(/^stores\/memory|^processors\/sandbox\/remote\//)).to.deep.equal([
      'processors/sandbox/remote/call-signature.js',
    ]);
  });

  it('by a command on the event log is only the event log', async () => {
    await (await place.serve()).end('SIGTERM');
    expect(await place.run('audit streams', { env: env() })).to.include({ code: 0 });
    expect(loaded(/^stores\/sqlite\/event-store/)).to.deep.equal(['stores/sqlite/event-store.js']);
    expect(loaded(/^stores\/sqlite\/read-model|^processors\/sandbox\/|mongodb|db-client|grpc/)).to.deep.equal([]);
    expect(loaded(/^projections\/(engine\/engine|threads)|^policies\/|^service\.js/)).to.deep.equal([]);
  });

  it('by a node in live mode includes no embedded store and no sandbox, and creates no directory for them', async () => {
    const directories = ['events', 'read-models'].map((name) => join(place.dir, name));
    for (const directory of directories) mkdirSync(directory);
    const [eventsIn = '', readModelsIn = ''] = directories;
    const events = await openEventStoreDbLoopback({ directory: eventsIn });
    const readModels = await openMongoDbLoopback({ directory: readModelsIn });
    try {
      const serving = await place.serve('--mode live', {
        ...env(),
        COUNTERFOIL_SECRET: Buffer.alloc(32, 2).toString('base64url'),
        COUNTERFOIL_EVENT_STORE: events.url,
        COUNTERFOIL_READ_MODELS: readModels.url,
      });
      expect((await fetch(`${serving.url}/health/ready`)).status).to.equal(200);
      expect(await serving.end('SIGTERM')).to.include({ code: 0 });
    } finally {
      await Promise.all([events.kill(), readModels.close()]);
    }
    expect(loaded(/^(mongodb|@eventstore\/db-client)$/)).to.deep.equal(['@eventstore/db-client', 'mongodb']);
    expect(loaded(/sqlite|^processors\/sandbox\/(sandbox|ledger|cards|remote\/(?!call-signature))/)).to.deep.equal([]);
    expect(existsSync(join(place.dir, 'data'))).to.equal(false);
  });
});
