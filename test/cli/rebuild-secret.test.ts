// Rebuilds on a machine without the secret of the store: only the read model of the search needs it.
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { quickMain } from './built.ts';
import { Place } from './processes.ts';

describe('counterfoil projections rebuild without the secret of the store', () => {
  const place = new Place(quickMain());
  after(() => place.remove());

  it('refuses the read model of the search before anything is on record, and builds another one', async () => {
    await (await place.serve()).end('SIGTERM');
    const secret = join(place.dir, 'data/secret.key');
    await rename(secret, `${secret}.away`);
    for (const names of ['searched-payments', 'payments', '--all']) {
      const refused = await place.run(`projections rebuild ${names}`);
      expect(refused.code, refused.stderr).to.equal(2);
      expect(refused.stderr).to.include('COUNTERFOIL_SECRET').and.include('has personal data');
    }
    expect((await place.run('audit streams --prefix act-')).stdout).not.to.match(/act-act_/);
    const other = await place.run('projections rebuild accounts');
    expect(other.code, other.stderr).to.equal(0);
    await rename(`${secret}.away`, secret);
    const rebuilt = await place.run('projections rebuild searched-payments');
    expect(rebuilt.code, rebuilt.stderr).to.equal(0);
  });
});
