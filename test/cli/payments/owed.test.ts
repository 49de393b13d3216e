// `payments list --unknown` of payments that wait for an operator: each matter with the command that closes it.
import { expect } from 'chai';
import { list } from '../../../src/cli/admin/payments-list.ts';
import { type PaymentEvent, paymentCategory } from '../../../src/domain/payment/events.ts';
import { beforeFirst, seal } from '../../../src/journal/envelope.ts';
import {
  answeredWrongly,
  created,
  refundRequested,
  settled,
  wasNotFound,
  wentThrough,
} from '../../domain/payment/story.ts';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { until } from '../../support/until.ts';

const lost = (name: string): readonly PaymentEvent[] => [refundRequested(name, 700, 'c'), wasNotFound(name, 'refund')];
/** Two refunds of 7.00 EUR, each taken for lost before the next was requested, and both done after all. */
const REFUNDED_TWICE = [
  ...[...lost('r'), ...lost('s')],
  ...[wentThrough('r', 'refund', 700), wentThrough('s', 'refund', 700)],
];

describe('payments list --unknown', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  const record = async (paymentId: string, facts: readonly PaymentEvent[]): Promise<void> => {
    const { accountId, opened } = dashboard;
    const actor = { kind: 'operator', id: 'test' } as const;
    const at = opened.world.now();
    const about = { accountId, actor, at, correlationId: 'req', operationId: 'op' };
    const sealed = seal(paymentCategory, [created({ accountId }), ...facts], about, beforeFirst, opened.world);
    const stored = sealed.map((one) => one.stored);
    await opened.events.append(`payment-${paymentId}`, beforeFirst.revision, stored);
  };
  const asked = { unknown: true, limit: 10, status: undefined, account: undefined } as const;
  /** The list in one line, because a table breaks its sentences, and without the npx of who runs the tests by npx. */
  const listed = async (): Promise<string> => {
    const { text } = await list(asked, dashboard.opened);
    return text.replaceAll(/\s+/g, ' ').replaceAll('`npx ', '`');
  };

  it('names the command that closes a matter, with its attempt where a payment has several', async () => {
    const facts = [...settled.slice(1), ...REFUNDED_TWICE];
    await record('pay_1', facts);
    await until(async () => (await listed()).includes('OVER_REFUNDED'));
    expect(await listed()).to.contain(
      'exceed the captured amount. See to it, then close it: `counterfoil payments resolve pay_1 --as succeeded --evidence TEXT`',
    );
    const wrong = answeredWrongly('t', 'refund', 100, 'USD');
    if (wrong.type !== 'MismatchRecorded') throw new Error(wrong.type);
    const nextLookUpAt = dashboard.opened.world.now() + 3_600_000; // not within this test
    const waits = { ...wrong, data: { ...wrong.data, nextLookUpAt } };
    await record('pay_2', [...facts, refundRequested('t', 100, 'c'), waits]);
    await until(async () => (await listed()).includes('pay_2'));
    expect(await listed())
      .to.match(/ pay_1\.t .+ Nothing yet: the next look-up is at \S+Z\. pay_2 /)
      .and.to.contain('`counterfoil payments resolve pay_2 --as succeeded --attempt OVER_REFUNDED --evidence TEXT`');
  });
});
