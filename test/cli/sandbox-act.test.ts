// counterfoil sandbox act, beside a running service: what a person does at the acquirer is on record afterwards.
import { expect } from 'chai';
import { authorized, paymentIn } from '../support/load-calls.ts';
import { Client } from '../support/load-client.ts';
import { until } from '../support/until.ts';
import { firstKeyIn, Place, type Serving } from './processes.ts';

const EXPIRES_AFTER_7_DAYS = '4000009900003032';

describe('counterfoil sandbox act', () => {
  const place = new Place();
  let serving: Serving;
  let shop: Client;
  before(async () => {
    serving = await place.serve();
    shop = new Client(serving.url, firstKeyIn(serving.stdout()));
  });
  after(async () => {
    shop.close();
    await place.remove();
  });

  const read = async (id: string) => paymentIn(await shop.call('GET', `/payments/${id}`));
  /** The events of a payment that name something which was done at the processor. */
  const outside = async (id: string): Promise<readonly string[]> => {
    const { stdout } = await place.run(`payments show ${id}`);
    return [...stdout.matchAll(/\w+Outside/g)].map(([name]) => name);
  };

  it('captures, and refunds what was captured: both are in the payment, and the books are equal', async () => {
    const { id } = await authorized(shop);
    expect(await place.json(`sandbox act capture ${id} --amount 600`)).to.deep.equal({
      paymentId: id,
      act: 'capture',
      amount: 600,
      currencyCode: 'EUR',
      notified: true,
    });
    await until(async () => (await read(id)).status === 'PARTIALLY_SETTLED');
    expect((await read(id)).processor).to.include({ amountCaptured: 600, amountRefundable: 600 });
    const { stdout } = await place.run(`sandbox act refund ${id}`);
    expect(stdout).to.equal(`6.00 EUR of ${id} are refunded at the sandbox.\n`);
    await until(async () => (await read(id)).processor.amountRefunded === 600);
    expect(await outside(id)).to.deep.equal(['CapturedOutside', 'RefundedOutside']);
    expect((await place.run('sandbox diff')).stdout).to.match(/^Equal/);
  });

  it('raises a hold, and cancels it', async () => {
    const { id } = await authorized(shop);
    await place.json(`sandbox act raise ${id} --amount 1500`);
    await until(async () => (await read(id)).processor.amountAuthorized === 1_500);
    await place.json(`sandbox act cancel ${id}`);
    await until(async () => (await read(id)).status === 'CANCELLED');
    expect(await outside(id)).to.deep.equal(['RaisedOutside', 'VoidedOutside']);
    expect((await place.run('sandbox diff')).stdout).to.match(/^Equal/);
  });

  it('without a notification is found by the read before the hold ends', async () => {
    const { id } = await authorized(shop, {}, EXPIRES_AFTER_7_DAYS);
    const { stdout } = await place.run(`sandbox act capture ${id} --silent`);
    expect(stdout).to.contain('a read of the payment finds it');
    expect(await read(id)).to.include({ status: 'AUTHORIZED' });
    await place.run('sandbox clock advance 8d');
    await until(async () => (await read(id)).status === 'SETTLED');
    expect(await outside(id)).to.deep.equal(['CapturedOutside']);
  });

  it('does nothing that the acquirer’s rules forbid, and says why', async () => {
    const { id } = await authorized(shop);
    const refused = await place.run(`sandbox act refund ${id}`);
    expect([refused.code, refused.stderr]).to.deep.equal([1, 'The sandbox refuses it: AMOUNT_TOO_SMALL.\n']);
    expect((await place.run(`sandbox act capture ${id} --amount 1001`)).stderr).to.contain('AMOUNT_ABOVE_CAPTURABLE');
    expect(
      await place.codes(['sandbox act capture pay_none', `sandbox act raise ${id}`, `sandbox act pay ${id}`]),
    ).to.deep.equal([1, 2, 2]);
    expect((await read(id)).processor).to.include({ amountCaptured: 0, amountCapturable: 1_000 });
  });
});
