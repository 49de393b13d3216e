// The erasure of a customer: what is gone, what stays, and what is in the way (contract §5).
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { breakIn } from '../../src/journal/chain.ts';
import { agreementOf, CONSENT, firstPayment } from '../support/agreement-made.ts';
import { eventsAfter } from '../support/http-appended.ts';
import { bodyOf } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { card } from '../support/node.ts';
import { reportedDispute } from '../support/open-dispute.ts';

const PERSON = {
  emailAddress: 'zerlina.quux@mail.example',
  mobileNumber: '+4915712345678',
  firstName: 'Zerlina',
  lastName: 'Quuxington',
  billingAddress: { addressLine1: 'Wobblegasse 77', city: 'Grunzheim', postalCode: '99887', countryCode: 'DE' },
};
const HOLDER = 'Quendolin Wobble';
const WORDS = ['zerlina', 'Zerlina', 'Quuxington', '4915712345678', 'Wobblegasse', 'Grunzheim'];

/** The words of the person that any file of the stores holds, by file. */
async function wordsIn({ directory }: HttpService, words: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const file of await readdir(directory)) {
    const bytes = await readFile(join(directory, file));
    for (const word of words) if (bytes.includes(word)) found.push(`${file}: ${word}`);
  }
  return found;
}

describe('DELETE /customers/{customerId}/personal-data', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  const erase = (customerId: string) => http.shop.ask('DELETE', `/customers/${customerId}/personal-data`);
  /** A token of a card that is the person's. */
  const entered = async (fields: object = {}): Promise<string> => {
    const body = { card: { ...card().card, cardholderName: HOLDER } };
    const token = await http.shop.session(fields);
    const made = await http.request('POST', '/checkout/payment-instruments', { token, body });
    return bodyOf(made, z.looseObject({ token: z.string() })).token;
  };
  const paid = (customerId: string, customer: object = PERSON) =>
    http.shop.captured({ session: { customerId, customer } });

  it('leaves nothing of the person in any file, and everything else as it was', async () => {
    const kept = await paid('customer-kept', { firstName: 'Ferdinand', emailAddress: 'ferdinand@mail.example' });
    const payment = await paid('customer-gone');
    for (const token of [await entered(), await entered()]) // the second is merged into the first
      await http.shop.ask('POST', `/payment-instruments/${token}/vault`, { customerId: 'customer-gone' });
    await entered({ customerId: 'customer-gone' }); // never paid with
    const { id } = payment;
    await http.service.notes.addNote(id, 'Zerlina called twice', {
      accountId: http.shop.accountId,
      actor: { kind: 'user', id: 'usr_1' },
      at: http.world.now(),
      requestId: 'req_note',
      scopes: new Set(),
      address: '',
    });
    const before = bodyOf(await http.shop.ask('GET', `/payments/${id}`), z.looseObject({}));
    expect(before['customer']).to.deep.include(PERSON);
    expect(await wordsIn(http, ['Quuxington'])).to.not.deep.equal([]);
    const holder = await wordsIn(http, [HOLDER]);
    expect(holder.filter((name) => name.startsWith('read-models.payment-instruments'))).to.not.deep.equal([]);
    expect(
      holder.filter((name) => name.startsWith('sandbox')),
      'the ledger has no name',
    ).to.deep.equal([]);

    const { body } = await erase('customer-gone');
    expect(body).to.deep.equal({ customerId: 'customer-gone', payments: 1, sessions: 4 });

    expect(await wordsIn(http, [...WORDS, HOLDER])).to.deep.equal([]);
    const after = bodyOf(await http.shop.ask('GET', `/payments/${id}`), z.looseObject({}));
    expect(after['customer']).to.equal(undefined);
    for (const member of ['status', 'amountCaptured', 'amountAuthorized', 'orderId', 'customerId'])
      expect(after[member], member).to.deep.equal(before[member]);
    expect(JSON.stringify(after)).to.not.include(HOLDER);
    const other = bodyOf(await http.shop.ask('GET', `/payments/${kept.id}`), z.looseObject({}));
    expect(JSON.stringify(other)).to.include('Ferdinand');
  });

  it('leaves every chain whole', async () => {
    const streams = new Set((await eventsAfter(http.stores.events, -1n)).map(({ stream }) => stream));
    for (const stream of streams) expect(await breakIn(http.stores.events, stream), stream).to.equal(undefined);
  });

  it('can be asked for again, and rebuilt read models are equal', async () => {
    expect((await erase('customer-gone')).status).to.equal(200);
    for (const name of ['payments', 'client-sessions', 'payment-instruments', 'customer-wallets', 'customers']) {
      const rebuilt = await http.service.projections.rebuild(name, { dryRun: true });
      expect(rebuilt, name).to.include({ equal: true });
    }
  });

  it('shows the past without the person', async () => {
    const { data } = bodyOf(
      await http.shop.ask('GET', '/payments?customer_id=customer-gone'),
      z.looseObject({ data: z.array(z.looseObject({ id: z.string(), date: z.string() })) }),
    );
    const [payment] = data;
    const past = await http.shop.ask('GET', `/payments/${payment?.id}?at=${payment?.date}`);
    expect(past.status).to.equal(200);
    expect(JSON.stringify(past.body)).to.not.match(/Zerlina|Quuxington/);
  });

  it('refuses while a payment is disputed, and leaves no evidence and no report of it afterwards', async () => {
    const session = { customerId: 'customer-disputed', customer: PERSON };
    const dispute = await reportedDispute(http, { session }, { disputedBy: 'Xanthippe Quuxington' });
    const evidence = { text: 'Parcel for Xanthippe Quuxington, signed at Wobblegasse 77', submit: false };
    expect((await http.shop.ask('POST', `${dispute.path}/evidence`, evidence)).status).to.equal(200);
    const refused = await erase('customer-disputed');
    expect([refused.status, refused.error?.errorId]).to.deep.equal([409, 'PaymentDisputed']);
    expect(refused.error?.description).to.include(dispute.paymentId);
    await dispute.report('updated', 'LOST', { disputedBy: 'Xanthippe Quuxington' });
    // known already: no event of the payment rests on it
    await dispute.report('updated', 'OPEN', { disputedBy: 'Xanthippe Quuxington' });
    const shown = async (): Promise<string> => (await http.shop.ask('GET', `/payments/${dispute.paymentId}`)).text;
    expect(await shown()).to.include('Parcel for Xanthippe');
    const before = (await wordsIn(http, ['Xanthippe'])).join();
    expect(before).to.include('read-models.payments').and.to.include('read-models.notifications');
    expect((await erase('customer-disputed')).status).to.equal(200);
    expect(await shown()).to.not.match(/Xanthippe|Wobblegasse|Zerlina/);
    expect(await wordsIn(http, [...WORDS, 'Xanthippe'])).to.deep.equal([]);
  });

  it('revokes the agreements of the customer, without the address and the browser of the consent', async () => {
    const customerId = 'customer-agreed';
    const ipAddress = '2001:db8:77:88::99';
    const userAgent = 'Wobblefox/99.7';
    const consent = { ...CONSENT, ipAddress, userAgent };
    const first = await firstPayment(http, customerId);
    await http.shop.ask('POST', `/payments/${first.id}/capture`);
    const id = await agreementOf(http, first, { consent });
    const charge = () => http.shop.ask('POST', `/agreements/${id}/charges`, { periodKey: 'p', orderId: 'o' });
    await charge();
    expect((await http.shop.ask('GET', `/agreements/${id}`)).body).to.have.deep.property('consent', {
      ...consent,
      acceptedAt: '2026-01-01T00:00:00.000Z',
    });
    expect((await erase(customerId)).status).to.equal(200);
    const { body } = await http.shop.ask('GET', `/agreements/${id}`);
    expect(body).to.include({ status: 'REVOKED' });
    expect(body).to.have.property('consent').that.has.all.keys('acceptedAt', 'channel', 'textDigest');
    expect(await wordsIn(http, [ipAddress, userAgent])).to.deep.equal([]);
    const later = await http.shop.ask('POST', `/agreements/${id}/charges`, { periodKey: 'q', orderId: 'o' });
    expect(later.error).to.include({ errorId: 'InvalidAgreementStatus', agreementStatus: 'REVOKED' });
    expect((await charge()).status).to.equal(200);
  });

  it('refuses while a payment is open, and names it', async () => {
    const open = await http.shop.paid({ session: { customerId: 'customer-open', customer: PERSON } });
    const answer = await erase('customer-open');
    expect(answer.status).to.equal(409);
    expect(answer.error?.errorId).to.equal('PaymentOperationInProgress');
    expect(answer.error?.description).to.include(open.id);
    await http.shop.ask('POST', `/payments/${open.id}/cancel`, {});
  });

  it('gives a customer who returns a new key', async () => {
    const again = await paid('customer-gone', { ...PERSON, firstName: 'Zora' });
    const shown = bodyOf(await http.shop.ask('GET', `/payments/${again.id}`), z.looseObject({}));
    expect(shown['customer']).to.deep.include({ firstName: 'Zora' });
  });

  it('does not know a customer without a session, payment or saved payment method', async () => {
    expect((await erase('nobody')).status).to.equal(404);
  });
});
