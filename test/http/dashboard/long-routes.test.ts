// The routes whose work grows with a history, or with all that matches: they take turns (contract §7,
// test/http/frame/long-work.test.ts).
import { expect } from 'chai';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';

const LONG = [
  'GET /agreements/:id/why',
  'GET /dashboard/api/agreements/:id/tries',
  'GET /dashboard/api/client-session-totals',
  'GET /dashboard/api/client-sessions.csv',
  'GET /dashboard/api/dispute-totals',
  'GET /dashboard/api/disputes.csv',
  'GET /dashboard/api/payment-totals',
  'GET /dashboard/api/payments.csv',
  'GET /dashboard/api/payments/:id',
  'GET /dashboard/api/payments/:id/after/:revision',
  'GET /dashboard/api/payments/:id/agreement-evidence',
  'GET /dashboard/api/payments/:id/events',
  'GET /dashboard/api/payments/:id/stored-events',
  'GET /dashboard/api/payments/:id/why',
  'GET /dashboard/api/streams/:name/events',
  'GET /dashboard/api/streams/:name/state',
  'GET /dashboard/api/streams/:name/verification',
  'GET /payments/:id/events',
  'GET /payments/:id/why',
];

describe('the routes of long work', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  it('are histories, streams, totals and the CSV, and a payment or an agreement of the past', () => {
    const longWith = (query: object): readonly string[] =>
      dashboard.routes.filter(({ isLong }) => isLong?.(query) === true).map(({ method, path }) => `${method} ${path}`);
    expect(longWith({}).toSorted()).to.deep.equal(LONG);
    expect(longWith({ at: '2026-01-01T00:00:00Z' }).toSorted()).to.deep.equal(
      [...LONG, 'GET /agreements/:id', 'GET /dashboard/api/agreements/:id', 'GET /payments/:id'].toSorted(),
    );
  });
});
