// Webhooks that the client verifies: those of the service and of the standardwebhooks package, and none that anybody
// else made.
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

  it('takes any of several secrets, and any of several signatures, those of later versions beside them', async () => {
    expect(await verified(TEXT, headersOf(TEXT, OTHER), [SECRET, OTHER])).to.deep.equal(MESSAGE);
    const signatures = `v1a,${'x'.repeat(86)} ${signatureOf(TEXT, OTHER)} v1, ${signatureOf(TEXT)}`;
    expect(await verified(TEXT, { ...headersOf(TEXT), 'webhook-signature': signatures })).to.deep.equal(MESSAGE);
  });

  it('refuses another secret, a changed body, a changed timestamp and a changed id', async () => {
    const headers = headersOf(TEXT);
    expect(await refusal(TEXT, headers, OTHER)).to.equal('bad_signature');
    expect(await refusal(TEXT.replace('SETTLED', 'SETTLEd'), headers)).to.equal('bad_signature');
    expect(await refusal(`${TEXT} `, headers)).to.equal('bad_signature');
    expect(await refusal(TEXT, { ...headers, 'webhook-timestamp': String(NOW_S + 1) })).to.equal('bad_signature');
    expect(await refusal(TEXT, { ...headers, 'webhook-id': `${ID}0` })).to.equal('bad_signature');
    expect(await refusal(JSON.stringify(MESSAGE, undefined, 2), headers)).to.equal('bad_signature');
  });

  it('refuses a signature that is cut, empty, of another version, or the right one as hex', async () => {
    const right = signatureOf(TEXT);
    const hex = Buffer.from(right.slice(3), 'base64').toString('hex');
    for (const signature of [
      right.slice(0, -1),
      'v1,',
      'v1',
      ',',
      right.replace('v1', 'v2'),
      right.slice(3),
      `v1,${hex}`,
      `${right}x`,
    ])
      expect(await refusal(TEXT, { ...headersOf(TEXT), 'webhook-signature': signature }), signature).to.equal(
        'bad_signature',
      );
  });

  it('refuses a message that is older or newer than the tolerance, to the second', async () => {
    for (const at of [NOW_S - 300, NOW_S + 300])
      expect(await verified(TEXT, headersOf(TEXT, SECRET, at))).to.deep.equal(MESSAGE);
    expect(await refusal(TEXT, headersOf(TEXT, SECRET, NOW_S - 301))).to.equal('too_old');
    expect(await refusal(TEXT, headersOf(TEXT, SECRET, NOW_S + 301))).to.equal('too_new');
    expect(await refusal(TEXT, headersOf(TEXT, SECRET, NOW_S - 2), SECRET, 1)).to.equal('too_old');
  });

  it('verifies a message that is repeated within the tolerance: its eventId tells', async () => {
    for (const _ of [1, 2]) expect((await verified(TEXT, headersOf(TEXT))).eventId).to.equal(ID);
  });

  it('refuses a signed timestamp that is not a number of seconds', async () => {
    for (const at of ['1e9', '-1', '', '0x10', `${NOW_S}.0`, ' 1', '9'.repeat(400)]) {
      const signature = createHmac('sha256', Buffer.alloc(32, 1)).update(`${ID}.${at}.${TEXT}`).digest('base64');
      const headers = { 'webhook-id': ID, 'webhook-timestamp': at, 'webhook-signature': `v1,${signature}` };
      expect(await refusal(TEXT, headers), at).to.equal(at === '' ? 'missing_header' : 'bad_timestamp');
    }
  });

  it('says that a header is missing, or is there twice', async () => {
    const headers = headersOf(TEXT);
    for (const name of Object.keys(headers)) {
      expect(await refusal(TEXT, { ...headers, [name]: undefined })).to.equal('missing_header');
      expect(await refusal(TEXT, { ...headers, [name]: '' })).to.equal('missing_header');
      expect(await refusal(TEXT, { ...headers, [name]: [headers[name] ?? '', 'x'] })).to.equal('missing_header');
      expect(await refusal(TEXT, { ...headers, [name.toUpperCase()]: 'x' })).to.equal('missing_header');
    }
    expect(await refusal(TEXT, new Headers())).to.equal('missing_header');
    expect(await refusal(TEXT, {})).to.equal('missing_header');
  });

  it('takes an event type that is new', async () => {
    const text = JSON.stringify({
      ...MESSAGE,
      eventType: 'PAYMENT.TELEPORTED',
      previousSequence: undefined,
      news: { any: true },
    });
    const message = await verified(text, headersOf(text));
    expect(message.eventType).to.equal('PAYMENT.TELEPORTED');
    expect(message.previousSequence).to.equal(undefined);
  });

  it('refuses a signed body that is not a message', async () => {
    const without = (name: string): unknown => ({ ...MESSAGE, [name]: undefined });
    const bodies: readonly unknown[] = [
      null,
      [],
      'text',
      7,
      {},
      ...Object.keys(MESSAGE)
        .filter((name) => ['eventId', 'eventType', 'sequence', 'payment'].includes(name))
        .map(without),
      { ...MESSAGE, sequence: '3' },
      { ...MESSAGE, sequence: 0.5 },
      { ...MESSAGE, previousSequence: null },
      { ...MESSAGE, payment: { id: 'pay_1' } },
      { ...MESSAGE, payment: [MESSAGE.payment] },
      { ...MESSAGE, eventId: 'evt_another' },
    ];
    for (const body of bodies) {
      const text = JSON.stringify(body);
      expect(await refusal(text, headersOf(text)), text).to.equal('not_a_message');
    }
    for (const text of ['', '{', `${TEXT}x`])
      expect(await refusal(text, headersOf(text)), text).to.equal('not_a_message');
    const notUtf8 = Buffer.from(TEXT.replace('naïve', 'na\u00efve'), 'latin1');
    expect(await refusal(notUtf8, headersOf(notUtf8))).to.equal('not_a_message');
  });

  it('says which argument can verify nothing', async () => {
    const headers = headersOf(TEXT);
    const wrong = async (work: Promise<unknown>, words: string): Promise<void> => {
      const fault = await work.catch((thrown: unknown) => thrown);
      expect(fault).to.be.instanceOf(TypeError).and.have.property('message').that.includes(words);
    };
    for (const secret of ['', 'whsec_', 'whsec_YQ==', SECRET.slice(6), `${SECRET}\n`, 'cf_test_key'])
      await wrong(verified(TEXT, headers, secret), 'a secret is missing');
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
