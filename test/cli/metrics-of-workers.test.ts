// One scrape of several workers, beside workers that end: each of them counts once.
import { expect } from 'chai';
import { type MetricsOfWorkers, metricsOfWorkers } from '../../src/cli/serve/metrics.ts';
import { type Exposition, parseExposition } from '../telemetry/exposition.ts';

/** The metrics of a worker that has counted so much. */
const counted = (value: number): readonly unknown[] => [
  { name: 'counted_total', help: 'Of a test.', type: 'counter', aggregator: 'sum', values: [{ value, labels: {} }] },
];

interface Worker {
  readonly lastMetrics: readonly unknown[];
  scrape(): Promise<void>;
}

describe('a scrape of several workers', () => {
  let running: Worker[];
  let metrics: MetricsOfWorkers;
  let scraped: () => Promise<Exposition>;
  beforeEach(async () => {
    const lines: unknown[] = [];
    const log = {
      debug: () => undefined,
      info: (line: unknown) => lines.push(line),
      warn: () => undefined,
      error: ({ err }: { readonly err?: unknown }) => expect.fail(String(err)),
      isLevelEnabled: () => true,
      lost: () => ({ dropped: 0, repeated: 0 }),
    };
    metrics =
      (await metricsOfWorkers({ metricsPort: 0, host: '127.0.0.1' }, log, () => running)) ?? expect.fail('no metrics');
    const [, url = ''] = /Metrics at (\S+)/.exec(String(lines)) ?? [];
    scraped = async () => parseExposition(await (await fetch(url)).text());
  });
  afterEach(() => metrics.close());

  const steady: Worker = { lastMetrics: counted(1), scrape: async () => undefined };
  const end = (worker: Worker): void => {
    running = running.filter((one) => one !== worker);
    metrics.workerEnded(worker);
  };

  it('counts a worker once that ends while it is asked', async () => {
    const dying: Worker = {
      lastMetrics: counted(10),
      scrape: async () => end(dying),
    };
    running = [steady, dying];
    expect((await scraped()).value('counted_total')).to.equal(11);
    expect((await scraped()).value('counted_total')).to.equal(11);
  });

  it('counts a worker once that has told its figures, and ends while others are asked', async () => {
    const dying: Worker = { lastMetrics: counted(10), scrape: async () => undefined };
    const late: Worker = {
      lastMetrics: counted(100),
      scrape: async () => {
        await new Promise((resolve) => setImmediate(resolve)); // the other has told its figures by then
        if (running.includes(dying)) end(dying);
      },
    };
    running = [dying, late];
    expect((await scraped()).value('counted_total')).to.equal(110);
    expect((await scraped()).value('counted_total')).to.equal(110);
  });
});
