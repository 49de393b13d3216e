// The relay of `listen`: its answers to the service, and the order in which the receiver hears.
import { expect } from 'chai';
import type { ArrivedMessage } from '../../../src/cli/listen/endpoint.ts';
import { type Forwarded, Relay, type Relayed } from '../../../src/cli/listen/relay.ts';
import { calmWorld } from '../../support/calm-world.ts';

const SEED = { duplicate: false, shuffle: false, drop: 0, seed: 7 };
const message = (sequence: number): ArrivedMessage => ({
  headers: {},
  text: '{}',
  told: {
    eventId: `evt_${sequence}`,
    eventType: 'PAYMENT.STATUS',
    sequence,
    payment: { id: 'pay_1', status: 'SETTLED' },
  },
});

describe('the relay of listen', () => {
  const open = (misfortunes = SEED, answer: Forwarded = { status: 204, ms: 1, body: '' }) => {
    const relayed: Relayed[] = [];
    const resent: number[] = [];
    const relay = new Relay({
      forward: async () => answer,
      misfortunes,
      world: calmWorld,
      onRelayed: (one) => void relayed.push(one),
      resend: async ({ told }) => void resent.push(told.sequence),
    });
    const take = (sequence: number) => relay.take(message(sequence), new AbortController().signal);
    return { relay, relayed, resent, take };
  };

  it('answers the service what the receiver answers', async () => {
    expect(await open(SEED, { status: 503, ms: 1, body: 'later' }).take(1)).to.deep.equal({
      status: 503,
      body: 'later',
    });
    expect((await open(SEED, { status: 502, ms: 1, fault: 'nobody' }).take(1)).status).to.equal(502);
  });

  it('drops a message once at most: what comes again gets through', async () => {
    const { take, relayed } = open({ ...SEED, drop: 1 });
    for (let sequence = 1; sequence <= 20; sequence += 1) await take(sequence);
    expect(new Set(relayed.map(({ kind }) => kind))).to.deep.equal(new Set(['refused', 'lost']));
    expect((await take(1)).status).to.equal(204);
    expect(relayed.at(-1)).to.include({ kind: 'sent', sent: 'again' });
  });

  it('holds messages until others have passed, and sends all at its end', async () => {
    const { relay, take, relayed } = open({ ...SEED, shuffle: true, duplicate: true });
    for (let sequence = 1; sequence <= 200; sequence += 1) await take(sequence);
    await relay.close();
    const firsts = relayed
      .filter((one) => one.kind === 'sent' && one.sent !== 'copy')
      .map(({ delivery }) => delivery.told.sequence);
    expect([...firsts].sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 200 }, (_, at) => at + 1));
    expect(firsts).not.to.deep.equal([...firsts].sort((a, b) => a - b));
    expect(relayed.length).to.equal(400);
  });

  it('asks the service again for a held message that the receiver did not take', async () => {
    const { relay, take, relayed, resent } = open({ ...SEED, shuffle: true }, { status: 500, ms: 1, body: '' });
    for (let sequence = 1; sequence <= 20; sequence += 1) await take(sequence);
    await relay.close();
    const late = relayed
      .filter((one) => one.kind === 'sent' && one.sent === 'late')
      .map(({ delivery }) => delivery.told.sequence);
    expect(late.length).to.be.above(0);
    expect(resent).to.deep.equal(late);
  });
});
