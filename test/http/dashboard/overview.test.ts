// The overview over HTTP: the payments that its figures are without are the account's own, whatever other accounts
// have, and never hold it up.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { z } from 'zod';
import { dailyTotals } from '../../../src/projections/models/daily-totals.ts';
import type { EventStore, StoredEvent } from '../../../src/stores/event-store.ts';
import { StoreUnavailable } from '../../../src/stores/store-unavailable.ts';
import { aborted } from '../../../src/world.ts';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { paidOver } from '../../support/paid-over.ts';
import { until } from '../../support/until.ts';

const OTHERS = 60;
const Overview = z.looseObject({
  currencyCode: z.string().nullable(),
  holes: z.array(z.strictObject({ stream: z.string(), revision: z.int() })),
  hasMoreHoles: z.boolean(),
});

describe('the overview of an account with a payment that nobody can read', () => {
  let dashboard: Dashboard;
  /** Sixty streams of another account precede it in the order of names. */
  let own: string;
  let events: EventStore;
  let readWhole: EventStore['read'];
  before(async () => {
    dashboard = await openDashboard();
    ({ events } = dashboard.opened);
    readWhole = events.read.bind(events);
    own = `payment-${await paidOver(dashboard)}`;
    const foreign = (accountId: string) => ({
      id: randomUUID(),
      type: 'Foreign',
      data: '{}',
      metadata: JSON.stringify({ accountId, schemaVersion: 1, recordedAt: 1, previousHash: 'none' }),
    });
    const names = Array.from({ length: OTHERS }, (_, n) => `payment-other_${String(n).padStart(2, '0')}`);
    for (const name of names) await events.append(name, -1, [foreign('acc_other')]);
    let last = -1;
    for await (const { revision } of events.read(own, -1)) last = revision;
    await events.append(own, last, [foreign(dashboard.accountId)]);
    const { projections } = dashboard.service;
    await until(() => projections.holesIn([dailyTotals.name]).length === OTHERS + 1);
  });
  afterEach(() => {
    events.read = readWhole;
  });
  after(() => dashboard.close());

  const overview = async () => {
    const { status, body } = await dashboard.ask('support', 'GET', '/dashboard/api/overview');
    expect(status).to.equal(200);
    return Overview.parse(body);
  };

  /** The store answers so before it gives an event of a payment. */
  function readPayments(answer: () => Promise<void>): void {
    events.read = async function* (stream, ...more): AsyncGenerator<StoredEvent> {
      if (stream.startsWith('payment-')) await answer();
      yield* readWhole(stream, ...more);
    };
  }

  it('names it, and none of the sixty of another account, which hide nothing', async () => {
    const { holes, hasMoreHoles } = await overview();
    expect([holes.map(({ stream }) => stream), hasMoreHoles]).to.deep.equal([[own], false]);
  });

  it('has its figures without them while the event store does not answer, and says so', async () => {
    const held = new AbortController();
    const letGo = aborted(held.signal);
    readPayments(() => letGo);
    const { currencyCode, holes, hasMoreHoles } = await overview();
    expect([currencyCode, holes, hasMoreHoles]).to.deep.equal(['EUR', [], true]);
    held.abort();
  });

  it('has its figures without them where the event store is unavailable, and says so', async () => {
    readPayments(() => Promise.reject(new StoreUnavailable('The event store is unavailable')));
    const { currencyCode, holes, hasMoreHoles } = await overview();
    expect([currencyCode, holes, hasMoreHoles]).to.deep.equal(['EUR', [], true]);
  });
});
