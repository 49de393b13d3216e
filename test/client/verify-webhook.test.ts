// Webhooks that the client for Node verifies: what the table of cases over both clients (table.test.ts) does not prove.
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { WebhookVerificationError } from '../../client/src/errors.ts';
import { verifyWebhook, type WebhookHeaders } from '../../client/src/verify-webhook.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const ID = 'evt_6f0f1c1e-7a4f-4a52-9a5b-0d8f1f0f6b11';
const MESSAGE = {
  eventId: ID,
  eventType: 'PAYMENT.STATUS',
  date: '2026-01-01T12:00:00.000Z',
  version: '1.0',
  sequence: 3,
  previousSequence: 1,
  payment: { id: 'pay_1', status: 'SETTLED', metadata: { note: 'naïve ☂ "quoted" \\u0041' } },
};
const TEXT = JSON.stringify(MESSAGE);
const NOW_S = 1_767_268_800;
const now = { now: () => NOW_S * 1_000 + 999 };

const signatureOf = (text: string | Uint8Array, secret = SECRET, at = NOW_S, id = ID): string => {
  const hmac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'));
  return `v1,${hmac.update(`${id}.${at}.`).update(text).digest('base64')}`;
};
const headersOf = (
  text: string | Uint8Array,
  secret = SECRET,
  at: number | string = NOW_S,
  id = ID,
): { readonly [name: string]: string } => ({
  'webhook-id': id,
  'webhook-timestamp': String(at),
  'webhook-signature': signatureOf(text, secret, Number(at), id),
});

describe('verifyWebhook', () => {
  const reasonOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => expect.fail('it was verified'),
      (fault: unknown) => {
        if (fault instanceof WebhookVerificationError) return fault.reason;
        throw fault;
      },
    );
  const refusal = (
    text: string | Uint8Array,
    headers: WebhookHeaders,
    secrets: string | readonly string[] = SECRET,
    seconds?: number,
  ) => reasonOf(verifyWebhook(text, headers, secrets, { toleranceSeconds: seconds }, now));
  const verified = (text: string | Uint8Array, headers: WebhookHeaders, secrets: string | readonly string[] = SECRET) =>
    verifyWebhook(text, headers, secrets, {}, now);

  it('answers the message, from text and from bytes', async () => {
    for (const body of [TEXT, Buffer.from(TEXT), new Uint8Array(Buffer.from(TEXT))])
      expect(await verified(body, headersOf(TEXT))).to.deep.equal(MESSAGE);
  });

  it('verifies what the standardwebhooks package signs, and signs as it verifies', async () => {
    const sent = new Date();
    const theirs = new Webhook(SECRET).sign(ID, sent, TEXT);
    const seconds = Math.floor(sent.getTime() / 1_000);
    const headers = { 'webhook-id': ID, 'webhook-timestamp': String(seconds), 'webhook-signature': theirs };
    expect(await verifyWebhook(TEXT, headers, SECRET)).to.deep.equal(MESSAGE);
    expect(new Webhook(SECRET).verify(TEXT, headersOf(TEXT, SECRET, seconds))).to.deep.equal(MESSAGE);
  });

  it('takes headers in any case, those of Node and those of fetch', async () => {
    const headers = headersOf(TEXT);
    const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    for (const given of [capitals, lists, new Headers(headers)])
      expect(await verified(TEXT, given)).to.deep.equal(MESSAGE);
  });

  it('refuses a body that was parsed and written again, and a signature as hex or without a text', async () => {
    expect(await refusal(JSON.stringify(MESSAGE, undefined, 2), headersOf(TEXT))).to.equal('bad_signature');
    const hex = Buffer.from(signatureOf(TEXT).slice(3), 'base64').toString('hex');
    for (const signature of ['v1', ',', `v1,${hex}`])
      expect(await refusal(TEXT, { ...headersOf(TEXT), 'webhook-signature': signature }), signature).to.equal(
        'bad_signature',
      );
  });

  it('refuses a message that is older than a tolerance of its own', async () => {
    expect(await refusal(TEXT, headersOf(TEXT, SECRET, NOW_S - 2), SECRET, 1)).to.equal('too_old');
  });

  it('verifies a message that is repeated within the tolerance: its eventId tells', async () => {
    for (const _ of [1, 2]) expect((await verified(TEXT, headersOf(TEXT))).eventId).to.equal(ID);
  });

  it('says that a header is missing that is empty, undefined or in a list of two', async () => {
    const headers = headersOf(TEXT);
    for (const name of Object.keys(headers))
      for (const value of [undefined, '', [headers[name] ?? '', 'x']])
        expect(await refusal(TEXT, { ...headers, [name]: value })).to.equal('missing_header');
    expect(await refusal(TEXT, new Headers())).to.equal('missing_header');
  });

  it('refuses a signed body of another shape', async () => {
    const without = (name: string): unknown => ({ ...MESSAGE, [name]: undefined });
    const shapes = [null, 'text', 7, {}, ...['eventId', 'sequence', 'payment'].map(without)];
    for (const shape of [...shapes, { ...MESSAGE, payment: [MESSAGE.payment] }]) {
      const text = JSON.stringify(shape);
      expect(await refusal(text, headersOf(text)), text).to.equal('not_a_message');
    }
  });

  it('says which argument can verify nothing', async () => {
    const headers = headersOf(TEXT);
    const wrong = async (work: Promise<unknown>, words: string): Promise<void> => {
      const fault = await work.catch((thrown: unknown) => thrown);
      expect(fault).to.be.instanceOf(TypeError).and.have.property('message').that.includes(words);
    };
    await wrong(verified(TEXT, headers, [SECRET, '']), 'a secret is missing');
    await wrong(verified(TEXT, headers, []), 'a secret is required');
    await wrong(verifyWebhook(Object(MESSAGE), headers, SECRET), 'the unparsed body');
    for (const toleranceSeconds of [-1, Number.NaN, Number.POSITIVE_INFINITY])
      await wrong(verifyWebhook(TEXT, headers, SECRET, { toleranceSeconds }), 'toleranceSeconds');
  });

  it('tells no secret and nothing of the body in an error', async () => {
    const fault = await verified(TEXT, headersOf(TEXT), OTHER).catch((thrown: unknown) => thrown);
    expect(fault)
      .to.be.instanceOf(WebhookVerificationError)
      .with.property('message')
      .that.includes('(bad_signature)')
      .and.not.includes(OTHER.slice(6, 16))
      .and.not.includes('pay_1');
  });
});
