// counterfoil demo --webhooks: each message appears below the call that caused it.
import { expect } from 'chai';
import { z } from 'zod';
import { Place } from './processes.ts';

const Shown = z.object({
  deliveries: z.array(
    z.looseObject({
      eventType: z.string(),
      sequence: z.number(),
      previousSequence: z.number().nullable(),
      verified: z.boolean(),
    }),
  ),
});

describe('counterfoil demo --webhooks', () => {
  const place = new Place();
  after(() => place.remove());

  it('shows each message below its call, and the chain of them, with a service in memory', async () => {
    const { code, stdout } = await place.run('demo --webhooks --verbose', { env: { COUNTERFOIL_PORT: '1' } });
    expect(code).to.equal(0);
    const lines = stdout.split('\n').filter((line) => / {2}POST |⇠/.test(line));
    expect(lines.map((line) => /POST (?:\/[a-z-]+)+\b(?!_)|⇠ [A-Z.]+/.exec(line)?.[0])).to.deep.equal([
      'POST /client-session',
      'POST /checkout/payment-instruments',
      'POST /payments',
      '⇠ PAYMENT.STATUS',
      'POST /payments',
      '⇠ PAYMENT.STATUS',
      'POST /payments',
      '⇠ PAYMENT.REFUND',
    ]);
    expect(stdout).to.contain('3 messages arrived, all signed.').and.contain('6 → 4 → 2');
    for (const line of lines.filter((one) => one.includes('⇠'))) expect(line.length, line).to.be.at.most(80);
  });

  it('hears of its own payment beside a running service, and leaves no endpoint', async () => {
    const serving = await place.serve('--log-level error');
    const { deliveries } = Shown.parse(await place.json(`demo --webhooks --url ${serving.url}`));
    expect(
      deliveries.map(({ previousSequence, sequence, verified }) => [previousSequence, sequence, verified]),
    ).to.deep.equal([
      [null, 2, true],
      [2, 4, true],
      [4, 6, true],
    ]);
    expect(await place.json('webhooks endpoints list')).to.deep.equal({ data: [] });
  });

  it('is wrong usage together with --unknown', async () =>
    expect(await place.run('demo --webhooks --unknown')).to.include({ code: 2 }));
});
