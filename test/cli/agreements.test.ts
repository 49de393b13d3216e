// counterfoil agreements: those of an account, one of them with its periods, and what the card's network saw of it.
import { expect } from 'chai';
import { z } from 'zod';
import { CONSENT, TERMS } from '../support/agreement-made.ts';
import { createSession, ok, paymentIn, tokenize } from '../support/load-calls.ts';
import { Client } from '../support/load-client.ts';
import { firstKeyIn, Place } from './processes.ts';

const Made = z.looseObject({ id: z.string() });
const Seen = z.strictObject({ data: z.array(z.looseObject({ token: z.string() })), fines: z.int() });
const NO_FUNDS = '4000009900005045';

describe('counterfoil agreements', () => {
  const place = new Place();
  let id: string;
  before(async function prepare() {
    const serving = await place.serve('--log-level error');
    const client = new Client(serving.url, firstKeyIn(serving.stdout()));
    id = await agreed(client);
    ok(await client.call('POST', `/agreements/${id}/charges`, { periodKey: '2026-12', orderId: 'o-12' }));
    client.close();
  });
  after(() => place.remove());

  const agreed = async (client: Client): Promise<string> => {
    const kept = { customerId: 'customer-1', paymentMethod: { vaultOnSuccess: true } };
    const clientToken = await createSession(client, kept);
    const paymentMethodToken = await tokenize(client, clientToken, NO_FUNDS);
    const first = paymentIn(ok(await client.call('POST', '/payments', { clientToken, paymentMethodToken })));
    const asked = { paymentId: first.id, kind: 'RECURRING', terms: TERMS, consent: CONSENT };
    return Made.parse(ok(await client.call('POST', '/agreements', asked)).body).id;
  };

  it('list has terms and status of each, and takes one status or customer', async () => {
    const { stdout } = await place.run('agreements list');
    expect(stdout).to.include(id).and.to.include('19.00 EUR each MONTH').and.to.include('ACTIVE');
    expect(await place.json('agreements list --status PAUSED')).to.deep.equal({ data: [] });
    expect(await place.json('agreements list --customer customer-2')).to.deep.equal({ data: [] });
    const wrong = await place.run('agreements list --status OPEN');
    expect([wrong.code, wrong.stderr]).to.satisfy(
      ([code, text]: [number, string]) => code === 2 && text.includes('PAUSED'),
    );
  });

  it('show has the consent, and each period with its newest try', async () => {
    const { stdout } = await place.run(`agreements show ${id.slice(0, 12)}`);
    for (const word of ['2026-12', 'DECLINED INSUFFICIENT_FUNDS', CONSENT.textDigest, 'The magazine, each month'])
      expect(stdout).to.include(word);
    expect(await place.json(`agreements show ${id}`)).to.deep.include({ id, usage: { claimed: 1, succeeded: 0 } });
    expect((await place.run('agreements show agr_none')).code).to.equal(1);
  });

  it('charge a card, and the network saw that in `sandbox network`', async () => {
    const seen = Seen.parse(await place.json('sandbox network'));
    expect(seen.fines).to.equal(0);
    expect(seen.data).to.have.length(1);
    expect(seen.data[0]).to.deep.include({
      card: 'insufficient-funds-later',
      network: 'VISA',
      tries: 1,
      declined: 1,
      named: 1,
      linked: 0,
      limits: [{ most: 20, days: 30, counted: 1 }],
      fined: [],
    });
    const { stdout } = await place.run('sandbox network');
    for (const words of ['insufficient-funds-later', '1 of 20 in 30 d', 'No network has fined a try.'])
      expect(stdout).to.include(words);
    const other = Made.parse(await place.json('accounts create --name Other'));
    expect(await place.json(`sandbox network --account ${other.id}`)).to.deep.equal({ data: [], fines: 0 });
  });
});
