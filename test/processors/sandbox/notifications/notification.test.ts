// The port's reading of incoming bytes: signature, age, payload (contract §8).
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { openSandbox } from '../../../../src/processors/sandbox/sandbox.ts';
import type { Sandbox } from '../../../../src/processors/sandbox/sandbox-interface.ts';
import { callOf } from '../../../support/call-of.ts';
import { calmWorld } from '../../../support/calm-world.ts';
import { report, SECRET } from '../sandbox-setup.ts';

const OLDER = Buffer.alloc(32, 8);
const NOW = Date.UTC(2026, 4, 1, 12);

const payload = {
  notificationId: 'sbx_ntf_1',
  type: 'capture.succeeded',
  occurredAt: '2026-05-01T12:00:00.250Z',
  reference: 'pay_1.c',
  processorTransactionId: 'sbx_capt_1',
  amount: 1_000,
  currencyCode: 'EUR',
};

/** Written from the contract, not with the sandbox's own function. */
const sign = (body: string, at = NOW, secret: Buffer = SECRET): string => {
  const seconds = Math.floor(at / 1_000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
};

describe('sandbox notifications, as they are read', () => {
  let sandbox: Sandbox;
  before(async () => {
    sandbox = await openSandbox({ file: 'memory', world: calmWorld, secrets: [SECRET, OLDER], report });
  });
  after(() => sandbox.close());

  const readSigned = (body: object | string) => {
    const raw = typeof body === 'string' ? body : JSON.stringify(body);
    return sandbox.notifications(raw, { 'x-sandbox-signature': sign(raw) }, callOf().connection, NOW);
  };
  const about = (change: object) => {
    const notification = readSigned({ ...payload, ...change });
    return typeof notification === 'string' ? notification : notification[0]?.about;
  };

  it('reads a signed notification, and reads it again from its stored text', () => {
    const notification = readSigned(payload);
    expect(notification).to.deep.equal([
      {
        notificationId: 'sbx_ntf_1',
        occurredAt: NOW + 250,
        subject: { reference: 'pay_1.c' },
        about: {
          operation: 'capture',
          outcome: { kind: 'succeeded', processorTransactionId: 'sbx_capt_1', amount: 1_000, currencyCode: 'EUR' },
        },
      },
    ]);
    expect(sandbox.reread(JSON.stringify(payload))).to.deep.equal(notification);
    expect(sandbox.reread('{"notificationId":')).to.equal(undefined);
  });

  it('takes every secret that it knows, and no other', () => {
    const raw = JSON.stringify(payload);
    const signedBy = (secret: Buffer) =>
      sandbox.notifications(raw, { 'x-sandbox-signature': sign(raw, NOW, secret) }, callOf().connection, NOW);
    expect(signedBy(OLDER)).to.deep.equal(signedBy(SECRET));
    expect(signedBy(Buffer.alloc(32, 9))).to.equal('bad_signature');
  });

  it('takes a header with several signatures when any of them fits, as while a secret is rotated', () => {
    const raw = JSON.stringify(payload);
    const [time = '', good = ''] = sign(raw).split(',');
    const [, other = ''] = sign(raw, NOW, Buffer.alloc(32, 9)).split(',');
    const read = (header: string) =>
      sandbox.notifications(raw, { 'x-sandbox-signature': header }, callOf().connection, NOW);
    for (const header of [
      `${time},${other},${good}`,
      `${time},${good},${other}`,
      `${good},${time}`,
      `${time},v0=00,v1=short,${good}`,
    ])
      expect(read(header), header).to.be.an('array');
    for (const header of [
      `${time},${other},${other}`,
      `${time},${time},${good}`,
      `${good},${other}`,
      `${time},v0${good.slice(2)}`,
    ])
      expect(read(header), header).to.equal('bad_signature');
  });

  it('refuses another body, another time, a malformed header and none', () => {
    const raw = JSON.stringify(payload);
    const good = sign(raw);
    const read = (header: string | undefined, body = raw) =>
      sandbox.notifications(body, { 'x-sandbox-signature': header }, callOf().connection, NOW);
    expect(read(good)).to.be.an('array');
    expect(read(good, `${raw} `)).to.equal('bad_signature');
    expect(read(good.replace(/t=\d+/, `t=${NOW / 1_000 + 1}`))).to.equal('bad_signature');
    for (const header of [
      undefined,
      '',
      'v1=',
      good.slice(0, -1),
      `${good}0`,
      good.toUpperCase(),
      good.replace('t=', 't=-'),
      `x${good}`,
    ]) {
      expect(read(header), String(header)).to.equal('bad_signature');
    }
    expect(sandbox.notifications(raw, {}, callOf().connection, NOW)).to.equal('bad_signature');
  });

  it('tolerates five minutes between clocks, either way, and no more', () => {
    const raw = JSON.stringify(payload);
    const header = { 'x-sandbox-signature': sign(raw) };
    for (const minutes of [-5, 5])
      expect(sandbox.notifications(raw, header, callOf().connection, NOW + minutes * 60_000)).to.be.an('array');
    for (const ms of [-301_000, 301_000])
      expect(sandbox.notifications(raw, header, callOf().connection, NOW + ms)).to.equal('bad_signature');
  });

  for (const operation of ['authorization', 'capture', 'cancellation', 'refund', 'adjustment']) {
    it(`reads ${operation}.succeeded and ${operation}.failed`, () => {
      const { processorTransactionId, amount, currencyCode } = payload;
      expect(about({ type: `${operation}.succeeded` })).to.deep.equal({
        operation,
        outcome: { kind: 'succeeded', processorTransactionId, amount, currencyCode },
      });
      expect(about({ type: `${operation}.failed`, declineCode: 'INSUFFICIENT_FUNDS' })).to.deep.nested.include({
        operation,
        'outcome.kind': 'declined',
        'outcome.processorTransactionId': processorTransactionId,
        'outcome.declineType': 'SOFT',
        'outcome.code': 'INSUFFICIENT_FUNDS',
      });
    });
  }

  it('reads a failure without a code, and one with a code that it does not know', () => {
    expect(about({ type: 'refund.failed' })).to.deep.nested.include({
      'outcome.code': 'GENERIC_DECLINE',
      'outcome.declineType': 'HARD',
    });
    expect(about({ type: 'refund.failed', declineCode: 'constructor' })).to.deep.nested.include({
      'outcome.code': 'constructor',
      'outcome.declineType': 'HARD',
    });
  });

  it('reads the expiry of an authorization, and disputes with their content', () => {
    expect(about({ type: 'authorization.expired' })).to.deep.equal({ authorizationExpired: true });
    const dispute = {
      id: 'dp_1',
      status: 'OPEN',
      amount: 1_000,
      currencyCode: 'EUR',
      reasonCode: '10.4',
      challengeRequiredBy: NOW,
    };
    for (const type of ['dispute.opened', 'dispute.updated'])
      expect(about({ type, dispute })).to.deep.equal({ dispute });
  });

  it('ignores members that it does not know', () => {
    expect(about({ added: 'later' })).to.be.an('object');
  });

  it('calls everything else unparsable', () => {
    const wrong: readonly object[] = [
      { type: 'capture.pending' },
      { type: '__proto__' },
      { type: 'dispute.opened' },
      { notificationId: '' },
      { notificationId: undefined },
      { occurredAt: 'yesterday' },
      { reference: 7 },
      { amount: 10.5 },
      { amount: -1 },
      { amount: '1000' },
      { currencyCode: 'eur' },
      { processorTransactionId: 'x'.repeat(256) },
    ];
    for (const change of wrong) expect(about(change), JSON.stringify(change)).to.equal('unparsable');
    for (const raw of ['', '{', 'null', '[]', '"capture.succeeded"'])
      expect(readSigned(raw), raw).to.equal('unparsable');
  });
});
