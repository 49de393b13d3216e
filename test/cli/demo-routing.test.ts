// counterfoil demo --routing, as a new user tries it: what falls back, what must not, and what is skipped.
import { expect } from 'chai';
import { z } from 'zod';
import { Place } from './processes.ts';

const Demo = z.object({
  payments: z.array(z.object({ paymentId: z.string(), status: z.string(), choices: z.array(z.string()) })),
});

describe('counterfoil demo --routing', () => {
  const place = new Place();
  after(() => place.remove());

  it('shows a fallback, an unknown outcome without one, and a connection that is skipped', async () => {
    const ran = await place.run('demo --routing --json', { env: { COUNTERFOIL_PORT: '1' } });
    if (ran.code !== 0) throw new Error(ran.stderr);
    const [fallen, unknown, skipped] = Demo.parse(JSON.parse(ran.stdout)).payments;
    expect([fallen, unknown, skipped].map((one) => one?.status)).to.deep.equal([
      'AUTHORIZED',
      'AUTHORIZED',
      'AUTHORIZED',
    ]);
    expect(fallen?.choices).to.have.length(2);
    expect(unknown?.choices).to.have.length(1);
    expect(skipped?.choices).to.have.length(1);
    expect(skipped?.choices[0]).to.match(/sandbox was skipped: it does not respond, and its circuit is open\./);
  });

  it('ends after a screen, and shows its calls with --verbose', async () => {
    const linesOf = async (command: string): Promise<readonly string[]> => {
      const { code, stdout, stderr } = await place.run(command, { env: { COUNTERFOIL_PORT: '1' } });
      expect(code, stderr).to.equal(0);
      return [...stderr.split('\n'), ...stdout.split('\n')];
    };
    const lines = await linesOf('demo --routing');
    expect(lines).to.have.length.below(40);
    expect(lines.join('\n'))
      .to.contain('it does not respond, and its circuit is open')
      .and.not.contain('POST /payments');
    expect((await linesOf('demo --routing --verbose')).join('\n')).to.match(/POST \/payments {2}\(X-Api-Key/);
  });
});
