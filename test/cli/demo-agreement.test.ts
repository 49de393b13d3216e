// counterfoil demo --agreement, as a new user tries it: a period is charged once, however often its job runs.
import { expect } from 'chai';
import { z } from 'zod';
import { Place } from './processes.ts';

const Charge = z.object({ periodKey: z.string(), paymentId: z.string(), status: z.string() });
const Demo = z.looseObject({
  agreementId: z.string(),
  charges: z.array(Charge),
  again: z.array(Charge),
  declined: z.object({ code: z.string(), notBefore: z.string(), because: z.string(), retryAt: z.string() }),
});

describe('counterfoil demo --agreement', () => {
  const place = new Place();
  after(() => place.remove());

  it('charges three periods, plans the try after a decline, and answers the second run with the same payments', async () => {
    const ran = await place.run('demo --agreement --json', { env: { COUNTERFOIL_PORT: '1' } });
    if (ran.code !== 0) throw new Error(ran.stderr);
    const { charges, again, declined } = Demo.parse(JSON.parse(ran.stdout));
    expect(charges.map(({ status }) => status)).to.deep.equal(['SETTLED', 'SETTLED', 'SETTLED', 'DECLINED']);
    expect(again.map(({ paymentId }) => paymentId)).to.deep.equal(charges.map(({ paymentId }) => paymentId));
    expect(new Set(charges.map(({ paymentId }) => paymentId)).size).to.equal(4);
    expect(again.at(-1)?.status).to.equal('RetryNotAllowed');
    expect(declined).to.include({ code: 'INSUFFICIENT_FUNDS', because: 'NETWORK_ADVICE' });
    expect(Date.parse(declined.retryAt)).to.be.at.least(Date.parse(declined.notBefore));
  });

  it('keeps to 80 columns and a screen, and is a demo of its own', async () => {
    const { code, stdout, stderr } = await place.run('demo --agreement', { env: { COUNTERFOIL_PORT: '1' } });
    expect(code, stderr).to.equal(0);
    const told = stderr.split('\n').slice(1); // the first line names the service
    const lines = [...told, ...stdout.split('\n')];
    expect(lines).to.have.length.below(60);
    expect(lines.filter((line) => line.length > 80 && !/^(GET|POST) /.test(line))).to.deep.equal([]);
    expect(stdout).to.contain('planned by the service');
    const wrong = await place.run('demo --agreement --routing');
    expect([wrong.code, wrong.stderr]).to.satisfy(
      ([c, text]: [number, string]) => c === 2 && text.includes('separate'),
    );
  });
});
