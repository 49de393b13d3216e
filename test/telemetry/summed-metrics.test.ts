// The metrics of several workers put together: sums, the worst of what all see, and counts that outlive their worker.
import { expect } from 'chai';
import { openPrometheus, type Prometheus } from '../../src/telemetry/prometheus.ts';
import { SummedMetrics } from '../../src/telemetry/summed-metrics.ts';
import { type Exposition, parseExposition } from './exposition.ts';

const worker = (ready: boolean, lag: number, unknown: number): Prometheus => {
  const meters = openPrometheus({ version: '1.2.3', node: 'v20', limits: ['a'] });
  meters.showState(() => ({
    ready,
    answering: new Map([['events', ready]]),
    parked: new Map([['payments', lag]]),
    lagSeconds: new Map([['payments', lag]]),
    paymentsUnknown: unknown,
    notMoving: new Map([['webhooks', lag]]),
    paymentsNotConserved: 0,
    notificationsParked: 0,
  }));
  return meters;
};
const told = async (meters: Prometheus): Promise<readonly unknown[]> =>
  JSON.parse(JSON.stringify(await meters.values()));

describe('metrics of several workers', () => {
  let summed: SummedMetrics;
  beforeEach(() => {
    summed = new SummedMetrics();
  });
  const scraped = async (...workers: readonly Prometheus[]): Promise<Exposition> =>
    parseExposition(await summed.text(await Promise.all(workers.map(told))));

  it('sum counters and histograms by their labels', async () => {
    const [one, other] = [worker(true, 0, 0), worker(true, 0, 0)];
    for (const meters of [one, one, other]) {
      meters.requestStarted();
      meters.requestEnded('/payments', 'POST', 200, 30);
      meters.appended('payment', 'written', 2);
    }
    other.requestEnded('/payments', 'POST', 500, 30);
    const all = await scraped(one, other);
    expect(
      all.value('counterfoil_http_requests_total', { route: '/payments', method: 'POST', status: '200' }),
    ).to.equal(3);
    expect(
      all.value('counterfoil_http_requests_total', { route: '/payments', method: 'POST', status: '500' }),
    ).to.equal(1);
    expect(all.value('counterfoil_append_duration_seconds_count', { result: 'written' })).to.equal(3);
    expect(all.value('counterfoil_append_duration_seconds_bucket', { result: 'written', le: '0.0025' })).to.equal(3);
    expect(all.value('counterfoil_append_duration_seconds_bucket', { result: 'written', le: '0.001' })).to.equal(0);
  });

  it('sum what each has a share of, and take the worst of what all see', async () => {
    const [one, other] = [worker(true, 1, 4), worker(false, 3, 4)];
    for (const meters of [one, one, other]) meters.requestStarted();
    one.circuit('sandbox', false);
    other.circuit('sandbox', true);
    const all = await scraped(one, other);
    expect(all.value('counterfoil_http_requests_in_flight')).to.equal(3);
    expect(all.value('counterfoil_ready')).to.equal(0);
    expect(all.value('counterfoil_store_available', { store: 'events' })).to.equal(0);
    expect(all.value('counterfoil_projection_lag_seconds', { projection: 'payments' })).to.equal(3);
    expect(all.value('counterfoil_not_moving_events', { what: 'webhooks' })).to.equal(3);
    expect(all.value('counterfoil_projection_parked_streams', { projection: 'payments' })).to.equal(3);
    expect(all.value('counterfoil_payments_unknown')).to.equal(4);
    expect(all.value('counterfoil_processor_circuit_open', { processor: 'sandbox' })).to.equal(1);
    expect(all.value('counterfoil_build_info', { version: '1.2.3', node: 'v20' })).to.equal(1);
    expect(all.value('counterfoil_workers')).to.equal(2);
  });

  it('keep what a worker had counted when it ended, and not what it saw', async () => {
    const [one, other, third] = [worker(true, 0, 0), worker(true, 0, 0), worker(true, 0, 0)];
    for (const meters of [one, other, third]) {
      meters.requestStarted();
      meters.appended('payment', 'written', 2);
    }
    const last = [await told(other), await told(third)];
    const ended = last.map((metrics) => summed.workerEnded(metrics));
    for (const _ of last) summed.workerReplaced();
    const [atOnce] = [await scraped(one), await Promise.all(ended)];
    expect(atOnce.value('counterfoil_appends_total', { category: 'payment', result: 'written' })).to.equal(3);
    const all = await scraped(one);
    expect(all.value('counterfoil_appends_total', { category: 'payment', result: 'written' })).to.equal(3);
    expect(all.value('counterfoil_append_duration_seconds_count', { result: 'written' })).to.equal(3);
    expect(all.value('counterfoil_http_requests_in_flight')).to.equal(1);
    expect([all.value('counterfoil_workers'), all.value('counterfoil_worker_ends_total')]).to.deep.equal([1, 2]);
  });

  it('are there while no worker answers', async () => {
    expect((await scraped()).value('counterfoil_workers')).to.equal(0);
  });
});
