// The file of a new generation while it is filled: it has no write-ahead log, so each page is written once.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { buildFile } from '../../../src/stores/sqlite/read-model-builder.ts';
import { StoreUnavailable } from '../../../src/stores/store-unavailable.ts';
import { builtRows, ordersOf, row } from '../../contract/read-models.suite.ts';
import { faultOf } from '../../contract/store-under-test.ts';

describe('the file of a new generation', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-builder-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('is the only file while it is filled, and when it is finished', async () => {
    const orders = ordersOf(1);
    const builder = buildFile(orders, join(directory, 'orders.db'));
    for (const id of ['a', 'b', 'c']) await builder.write(builtRows(orders, row(id, 0, { text: 'x'.repeat(3_000) })));
    expect(await builder.get(['a'])).to.have.length(1); // so those rows are written
    expect(await readdir(directory)).to.deep.equal(['orders.db.building']);
    await builder.finish();
    expect(await readdir(directory)).to.deep.equal(['orders.db']);
  });

  it('refuses every call when the thread that fills it has died, also those that come later', async () => {
    const orders = ordersOf(1);
    const file = join(directory, 'orders.db');
    const builder = buildFile(orders, file);
    await mkdir(`${file}.building`); // no file can be opened there
    await builder.write(builtRows(orders, row('a', 0)));
    const calls = [() => builder.get(['a']), () => builder.get(['a']), () => builder.finish()];
    for (const call of calls) expect(await faultOf(call())).to.be.instanceOf(StoreUnavailable);
  });
});
