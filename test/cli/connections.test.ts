// counterfoil connections, and the Stripe account of one: from the command line over HTTP to the twin and back.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import type { Client } from '../support/load-client.ts';
import { DataDirectory, errorsIn } from '../support/service-process.ts';
import { openStripeTwin, type StripeTwin } from '../support/stripe-twin/stripe-twin.ts';
import { until } from '../support/until.ts';
import { Place } from './processes.ts';

const HOOK = 'whsec_of_the_connection';
const Added = z.strictObject({ id: z.string(), processor: z.string(), name: z.string(), webhookUrl: z.string() });
const Checked = z.looseObject({
  isGood: z.boolean(),
  lines: z.array(z.strictObject({ name: z.string(), value: z.string(), isGood: z.boolean() })),
});
const Shown = z.looseObject({ status: z.string(), secrets: z.record(z.string(), z.string()), unreadable: z.unknown() });
const Session = z.looseObject({ clientToken: z.string() });
const Token = z.looseObject({
  token: z.string(),
  paymentMethodData: z.strictObject({
    network: z.string(),
    last4Digits: z.string(),
    expirationMonth: z.string(),
    expirationYear: z.string(),
  }),
});
const Payment = z.looseObject({
  id: z.string(),
  status: z.string(),
  processor: z.looseObject({
    name: z.string(),
    processorTransactionId: z.string().optional(),
    amountCaptured: z.number(),
    amountRefunded: z.number(),
  }),
  requiredAction: z.looseObject({ url: z.string() }).optional(),
  disputes: z.array(z.looseObject({ status: z.string() })).optional(),
});

describe('a connection to Stripe', () => {
  let directory: DataDirectory;
  let twin: StripeTwin;
  let client: Client;
  let stderr: () => string;
  let url: string;
  let env: { readonly [name: string]: string };
  let connection: z.infer<typeof Added>;

  const account = () => twin.accounts[0];
  const run = async <T>(command: string, shape: z.ZodType<T>): Promise<T> => {
    const ran = await directory.place.run(`${command} --json`, { env });
    if (ran.code !== 0) throw new Error(`${command} ended with ${ran.code}: ${ran.stderr}`);
    return shape.parse(JSON.parse(ran.stdout));
  };
  before(async () => {
    directory = new DataDirectory();
    twin = await openStripeTwin({});
    env = { STRIPE_KEY: account().secretKey, STRIPE_HOOK: HOOK, COUNTERFOIL_RATE_LIMIT: '0' };
    const { serving, client: first } = await directory.serve(env);
    [client, stderr, url] = [first, serving.stderr, serving.url];
    const add =
      'connections add --processor stripe --name eu --secret-key env:STRIPE_KEY --webhook-secret env:STRIPE_HOOK --publishable-key pk_test_twin';
    connection = await run(`${add} --api-url ${twin.url} --public-url ${serving.url}`, Added);
    account().addEndpoint({ url: connection.webhookUrl, secrets: [HOOK] });
  });
  after(async () => {
    await directory.remove();
    await twin.close();
  });

  const tokenized = async (card: string) => {
    const { clientToken } = Session.parse(
      JSON.parse(
        (await client.call('POST', '/client-session', { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 })).text,
      ),
    );
    const token = { connectionId: connection.id, type: 'confirmation_token', token: account().confirmationToken(card) };
    return {
      clientToken,
      answer: await client.inCheckout(clientToken, 'POST', '/checkout/payment-instruments', { processorToken: token }),
    };
  };
  const paid = async (card: string): Promise<z.infer<typeof Payment>> => {
    const { clientToken, answer } = await tokenized(card);
    const { token } = Token.parse(JSON.parse(answer.text));
    return asPayment(await client.call('POST', '/payments', { clientToken, paymentMethodToken: token }));
  };
  const asPayment = ({ text }: { readonly text: string }) => Payment.parse(JSON.parse(text));
  const read = async (id: string) => asPayment(await client.call('GET', `/payments/${id}`));

  it('takes a payment, captures and refunds it, and Stripe reports the same', async () => {
    const made = await paid('pm_card_visa');
    expect(made).to.include({ status: 'AUTHORIZED' });
    expect(made.processor.name).to.equal('stripe');
    await client.call('POST', `/payments/${made.id}/capture`, { amount: 700, final: true });
    const refunded = asPayment(await client.call('POST', `/payments/${made.id}/refund`, { amount: 300 }));
    expect(refunded.processor).to.include({ amountCaptured: 700, amountRefunded: 300 });
    const effects = twin.effects().filter(({ payment }) => payment === made.id);
    expect(effects.map(({ kind, amount }) => `${kind} ${amount}`)).to.deep.equal([
      'hold 1000',
      'capture 700',
      'release 300',
      'refund 300',
    ]);
    await twin.delivered();
    const parked = await run('notifications parked', z.strictObject({ data: z.array(z.unknown()) }));
    expect(parked.data).to.deep.equal([]);
  });

  it('names its fields to the checkout', async () => {
    const { clientToken } = await tokenized('pm_card_visa');
    const Drawn = z.looseObject({ fields: z.array(z.looseObject({})).optional() });
    const fields = async () =>
      Drawn.parse(JSON.parse((await client.inCheckout(clientToken, 'GET', '/checkout/session')).text)).fields;
    await until(async () => (await fields()) !== undefined); // the service looks every 5 s
    expect(await fields()).to.deep.equal([
      {
        connectionId: connection.id,
        processor: 'stripe',
        publishableKey: 'pk_test_twin',
        script: `${twin.url}/endive/stripe.js`,
        methods: ['PAYMENT_CARD', 'KLARNA', 'APPLE_PAY', 'GOOGLE_PAY'],
      },
    ]);
  });

  it('takes a card for one payment, and does not save it', async () => {
    const { answer } = await tokenized('pm_card_visa');
    const { token } = Token.parse(JSON.parse(answer.text));
    const vaulted = await client.call('POST', `/payment-instruments/${token}/vault`, { customerId: 'customer-1' });
    expect(vaulted.status).to.equal(422);
    expect(vaulted.text).to.contain('OperationNotSupported').and.contain('it cannot be saved');
  });

  it('captures several times where the card allows it, and says where it does not', async () => {
    const made = await paid('pm_card_visa');
    await client.call('POST', `/payments/${made.id}/capture`, { amount: 400, final: false });
    expect((await read(made.id)).status).to.equal('PARTIALLY_SETTLED');
    await client.call('POST', `/payments/${made.id}/capture`, { amount: 600 });
    expect((await read(made.id)).status).to.equal('SETTLED');
    const effects = twin.effects().filter(({ payment }) => payment === made.id);
    expect(effects.map(({ kind, amount }) => `${kind} ${amount}`)).to.deep.equal([
      'hold 1000',
      'capture 400',
      'capture 600',
    ]);
    const rigid = await paid('pm_card_amex');
    const refused = await client.call('POST', `/payments/${rigid.id}/capture`, { amount: 400, final: false });
    expect(refused.status).to.equal(422);
    expect(refused.text).to.contain('OperationNotSupported').and.contain('the capture has to be final');
  });

  it('declines what the issuer declines', async () => {
    expect(await paid('pm_card_chargeDeclinedInsufficientFunds')).to.include({ status: 'DECLINED' });
  });

  it('sends the customer to the bank and back', async () => {
    const made = await paid('pm_card_threeDSecure2Required');
    expect(made.status).to.equal('PENDING');
    const { processorTransactionId = '' } = (await read(made.id)).processor;
    expect(made.requiredAction?.url).to.be.a('string');
    const back = account().approve(processorTransactionId) ?? '';
    expect(new URL(back).searchParams.get('payment_intent')).to.equal(processorTransactionId);
    await until(async () => (await read(made.id)).status === 'AUTHORIZED');
  });

  it('hears of a dispute by the path of the connection', async () => {
    const made = await paid('pm_card_visa');
    await client.call('POST', `/payments/${made.id}/capture`, {});
    account().openDispute((await read(made.id)).processor.processorTransactionId ?? '');
    await until(async () => (await read(made.id)).disputes?.[0]?.status === 'OPEN');
  });

  it('puts on record what was moved at Stripe while nothing of it arrived', async () => {
    const made = await paid('pm_card_visa');
    await twin.delivered();
    twin.deliverEvents({ when: 'held' });
    await fetch(`${twin.url}/v1/payment_intents/${made.processor.processorTransactionId}/capture`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account().secretKey}` },
    });
    twin.deliverEvents({});
    const Reconciled = z.looseObject({ payments: z.number(), booked: z.number(), differ: z.number() });
    const command = `connections reconcile ${connection.id} --since 2020-01-01`;
    expect(await run(command, Reconciled)).to.include({ booked: 1, differ: 0 });
    expect(await read(made.id)).to.include({ status: 'SETTLED' });
    expect(await run(command, Reconciled)).to.include({ booked: 0, differ: 0 });
  });

  it('is proven by a run at its server, with a transcript that has no secret', async () => {
    const shownBurn = z.looseObject({ burnProven: z.boolean() });
    const file = join(directory.place.dir, 'run.json');
    const ran = await directory.place.run(`connections check ${connection.id} --script --transcript run.json`, { env });
    expect([ran.code, ran.stderr]).to.deep.equal([0, ran.stderr]);
    expect(ran.stdout).to.match(/ok +a burnt key refuses the confirmation/);
    expect(ran.stdout).to.match(/you +3-D Secure in a browser/);
    const transcript = await readFile(file, 'utf8');
    expect(transcript).to.contain(twin.url).and.contain('idempotency_error');
    for (const secret of [account().secretKey, HOOK]) expect(transcript).not.to.contain(secret);
    expect(transcript).not.to.match(/_secret_[0-9a-f]/);
    expect(await run(`connections show ${connection.id}`, shownBurn)).to.have.property('burnProven', true);
    twin.fault({ path: /confirm$/ }, { kind: 'server_error', effect: 'none' });
    const failed = await directory.place.run(`connections check ${connection.id} --script --json`, { env });
    expect([failed.code, JSON.parse(failed.stdout).isProven]).to.deep.equal([1, false]);
    expect(failed.stderr).to.contain('nothing is proven');
    expect(await run(`connections show ${connection.id}`, shownBurn)).to.have.property('burnProven', false);
  });

  it('is checked, shown without secrets, and begins nothing once it is disabled', async () => {
    const checked = await run(`connections check ${connection.id} --public-url ${url}`, Checked);
    expect(checked.lines.filter(({ isGood }) => !isGood)).to.deep.equal([]);
    expect(checked.lines.map(({ name }) => name)).to.include.members(['mode', 'account', 'webhook']);
    const found = await run(`connections check ${connection.id}`, Checked);
    expect(found.lines, 'the address of the service that runs').to.deep.equal(checked.lines);
    const elsewhere = await directory.place.run(`connections check ${connection.id} --port 4999`, { env });
    expect([elsewhere.code, elsewhere.stdout]).to.deep.equal([1, elsewhere.stdout]);
    expect(elsewhere.stdout).to.match(/!! +webhook +http:\/\/127.0.0.1:4999 is not registered/);
    const shown = await run(`connections show ${connection.id}`, Shown);
    expect(shown).to.deep.include({
      status: 'active',
      secrets: { secretKey: 'env:STRIPE_KEY', webhookSecret: 'env:STRIPE_HOOK' },
      unreadable: null,
    });
    const text = (await directory.place.run('connections list')).stdout;
    expect(text).to.contain(connection.id).and.not.contain(account().secretKey);
    await run(`connections disable ${connection.id}`, z.looseObject({ status: z.literal('disabled') }));
    const { answer } = await tokenized('pm_card_visa');
    expect(answer.status).to.equal(422);
    expect(errorsIn(stderr())).to.deep.equal([]);
    expect(stderr()).not.to.contain(account().secretKey).and.not.contain(HOOK);
  });

  it('is refused with a key of live mode, and without a key', async () => {
    const add = 'connections add --processor stripe --name live';
    const live = await directory.place.run(`${add} --secret-key env:LIVE`, {
      env: { ...env, LIVE: 'sk_live_1234567890' },
    });
    expect([live.code, live.stderr]).to.deep.equal([1, live.stderr]);
    expect(live.stderr).to.contain('live').and.not.contain('sk_live_1234567890');
    const none = await directory.place.run(`${add} --secret-key env:NOT_SET`, { env });
    expect(none.code).to.equal(1);
    expect(none.stderr).to.contain('env:NOT_SET cannot be used');
  });

  it('is never tried in live mode: the run moves money', async () => {
    const place = new Place();
    const mode = {
      COUNTERFOIL_MODE: 'live',
      COUNTERFOIL_SECRET: Buffer.alloc(32, 6).toString('base64url'),
      COUNTERFOIL_PUBLIC_URL: 'https://pay.example',
    };
    const inLive = { env: { ...mode, LIVE: 'sk_live_1234567890' } };
    const json = async (command: string): Promise<string> => {
      const { code, stdout, stderr } = await place.run(`${command} --json`, inLive);
      return code === 0 ? z.looseObject({ id: z.string() }).parse(JSON.parse(stdout)).id : expect.fail(stderr);
    };
    await place.serve('--json', mode);
    const accountId = await json('accounts create --name Shop');
    const id = await json(
      `connections add --processor stripe --name live --secret-key env:LIVE --account ${accountId}`,
    );
    const { code, stderr } = await place.run(`connections check ${id} --script`, inLive);
    await place.remove();
    expect([code, stderr]).to.deep.equal([1, stderr]);
    expect(stderr).to.contain('The run moves money');
  });
});
