// Webhooks that the client verifies: those of the service and of the standardwebhooks package, and none that anybody
// else made.
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { WebhookVerificationError } from '../../src/client/errors.ts';
import { verifyWebhook, type WebhookHeaders } from '../../src/client/verify-webhook.ts';

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
  const reasonOf = (work: () => unknown): string => {
    try {
      work();
    } catch (fault) {
      if (fault instanceof WebhookVerificationError) return fault.reason;
      throw fault;
    }
    return expect.fail('it was verified');
  };
  const refusal = (
    text: string | Uint8Array,
    headers: WebhookHeaders,
    secrets: string | readonly string[] = SECRET,
    seconds?: number,
  ) => reasonOf(() => verifyWebhook(text, headers, secrets, { toleranceSeconds: seconds }, now));
  const verified = (text: string | Uint8Array, headers: WebhookHeaders, secrets: string | readonly string[] = SECRET) =>
    verifyWebhook(text, headers, secrets, {}, now);

  it('answers the message, from text and from bytes', () => {
    for (const body of [TEXT, Buffer.from(TEXT), new Uint8Array(Buffer.from(TEXT))])
      expect(verified(body, headersOf(TEXT))).to.deep.equal(MESSAGE);
  });

  it('verifies what the standardwebhooks package signs, and signs as it verifies', () => {
    const sent = new Date();
    const theirs = new Webhook(SECRET).sign(ID, sent, TEXT);
    const seconds = Math.floor(sent.getTime() / 1_000);
    const headers = { 'webhook-id': ID, 'webhook-timestamp': String(seconds), 'webhook-signature': theirs };
    expect(verifyWebhook(TEXT, headers, SECRET)).to.deep.equal(MESSAGE);
    expect(new Webhook(SECRET).verify(TEXT, headersOf(TEXT, SECRET, seconds))).to.deep.equal(MESSAGE);
  });

  it('takes headers in any case, those of Node and those of fetch', () => {
    const headers = headersOf(TEXT);
    const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    for (const given of [capitals, lists, new Headers(headers)]) expect(verified(TEXT, given)).to.deep.equal(MESSAGE);
  });

  it('takes any of several secrets, and any of several signatures, those of later versions beside them', () => {
    expect(verified(TEXT, headersOf(TEXT, OTHER), [SECRET, OTHER])).to.deep.equal(MESSAGE);
    const signatures = `v1a,${'x'.repeat(86)} ${signatureOf(TEXT, OTHER)} v1, ${signatureOf(TEXT)}`;
    expect(verified(TEXT, { ...headersOf(TEXT), 'webhook-signature': signatures })).to.deep.equal(MESSAGE);
  });

  it('refuses another secret, a changed body, a changed timestamp and a changed id', () => {
    const headers = headersOf(TEXT);
    expect(refusal(TEXT, headers, OTHER)).to.equal('bad_signature');
    expect(refusal(TEXT.replace('SETTLED', 'SETTLEd'), headers)).to.equal('bad_signature');
    expect(refusal(`${TEXT} `, headers)).to.equal('bad_signature');
    expect(refusal(TEXT, { ...headers, 'webhook-timestamp': String(NOW_S + 1) })).to.equal('bad_signature');
    expect(refusal(TEXT, { ...headers, 'webhook-id': `${ID}0` })).to.equal('bad_signature');
    expect(refusal(JSON.stringify(MESSAGE, undefined, 2), headers)).to.equal('bad_signature');
  });

  it('refuses a signature that is cut, empty, of another version, or the right one as hex', () => {
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
      expect(refusal(TEXT, { ...headersOf(TEXT), 'webhook-signature': signature }), signature).to.equal(
        'bad_signature',
      );
  });

  it('refuses a message that is older or newer than the tolerance, to the second', () => {
    for (const at of [NOW_S - 300, NOW_S + 300])
      expect(verified(TEXT, headersOf(TEXT, SECRET, at))).to.deep.equal(MESSAGE);
    expect(refusal(TEXT, headersOf(TEXT, SECRET, NOW_S - 301))).to.equal('too_old');
    expect(refusal(TEXT, headersOf(TEXT, SECRET, NOW_S + 301))).to.equal('too_new');
    expect(refusal(TEXT, headersOf(TEXT, SECRET, NOW_S - 2), SECRET, 1)).to.equal('too_old');
  });

  it('verifies a message that is repeated within the tolerance: its eventId tells', () => {
    expect(verified(TEXT, headersOf(TEXT)).eventId).to.equal(verified(TEXT, headersOf(TEXT)).eventId);
  });

  it('refuses a signed timestamp that is not a number of seconds', () => {
    for (const at of ['1e9', '-1', '', '0x10', `${NOW_S}.0`, ' 1', '9'.repeat(400)]) {
      const signature = createHmac('sha256', Buffer.alloc(32, 1)).update(`${ID}.${at}.${TEXT}`).digest('base64');
      const headers = { 'webhook-id': ID, 'webhook-timestamp': at, 'webhook-signature': `v1,${signature}` };
      expect(refusal(TEXT, headers), at).to.equal(at === '' ? 'missing_header' : 'bad_timestamp');
    }
  });

  it('says that a header is missing, or is there twice', () => {
    const headers = headersOf(TEXT);
    for (const name of Object.keys(headers)) {
      expect(refusal(TEXT, { ...headers, [name]: undefined })).to.equal('missing_header');
      expect(refusal(TEXT, { ...headers, [name]: '' })).to.equal('missing_header');
      expect(refusal(TEXT, { ...headers, [name]: [headers[name] ?? '', 'x'] })).to.equal('missing_header');
      expect(refusal(TEXT, { ...headers, [name.toUpperCase()]: 'x' })).to.equal('missing_header');
    }
    expect(refusal(TEXT, new Headers())).to.equal('missing_header');
    expect(refusal(TEXT, {})).to.equal('missing_header');
  });

  it('takes an event type that is new', () => {
    const text = JSON.stringify({
      ...MESSAGE,
      eventType: 'PAYMENT.TELEPORTED',
      previousSequence: undefined,
      news: { any: true },
    });
    const message = verified(text, headersOf(text));
    expect(message.eventType).to.equal('PAYMENT.TELEPORTED');
    expect(message.previousSequence).to.equal(undefined);
  });

  it('refuses a signed body that is not a message', () => {
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
      expect(refusal(text, headersOf(text)), text).to.equal('not_a_message');
    }
    for (const text of ['', '{', `${TEXT}x`]) expect(refusal(text, headersOf(text)), text).to.equal('not_a_message');
    const notUtf8 = Buffer.from(TEXT.replace('naïve', 'na\u00efve'), 'latin1');
    expect(refusal(notUtf8, headersOf(notUtf8))).to.equal('not_a_message');
  });

  it('says which argument can verify nothing', () => {
    const headers = headersOf(TEXT);
    const wrong = (work: () => unknown, words: string): void => void expect(work).to.throw(TypeError, words);
    for (const secret of ['', 'whsec_', 'whsec_YQ==', SECRET.slice(6), `${SECRET}\n`, 'cf_test_key'])
      wrong(() => verified(TEXT, headers, secret), 'a secret is missing');
    wrong(() => verified(TEXT, headers, [SECRET, '']), 'a secret is missing');
    wrong(() => verified(TEXT, headers, []), 'a secret is required');
    wrong(() => verifyWebhook(Object(MESSAGE), headers, SECRET), 'the unparsed body');
    for (const toleranceSeconds of [-1, Number.NaN, Number.POSITIVE_INFINITY])
      wrong(() => verifyWebhook(TEXT, headers, SECRET, { toleranceSeconds }), 'toleranceSeconds');
  });

  it('tells no secret and nothing of the body in an error', () => {
    const refused = expect(() => verified(TEXT, headersOf(TEXT), OTHER)).to.throw(WebhookVerificationError);
    refused.with
      .property('message')
      .that.includes('(bad_signature)')
      .and.not.includes(OTHER.slice(6, 16))
      .and.not.includes('pay_1');
  });
});
