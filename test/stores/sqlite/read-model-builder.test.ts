// The file of a new generation while it is filled: each page is written once, and large documents have larger pages.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../../src/stores/sqlite/file/database.ts';
import { buildFile } from '../../../src/stores/sqlite/read-model-builder.ts';
import { builtRows, ordersOf, row } from '../../contract/read-models.suite.ts';

describe('the file of a new generation', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-builder-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const filled = async (textLength: number) => {
    const orders = ordersOf(1);
    const builder = buildFile(orders, join(directory, 'orders.db'));
    const text = 'x'.repeat(textLength);
    for (const id of ['a', 'b', 'c']) await builder.write(builtRows(orders, row(id, 0, { text })));
    await builder.get(['a']); // the rows before it are written
    return builder;
  };
  const pageSize = async (): Promise<unknown> => {
    const database = await openDatabase({ file: join(directory, 'orders.db'), synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 64 });
    const found = database.prepare('PRAGMA page_size').get();
    database.close();
    return found;
  };

  it('is the only file while it is filled, and when it is finished', async () => {
    const builder = await filled(10);
    expect(await readdir(directory)).to.deep.equal(['orders.db.building']);
    await builder.finish();
    expect(await readdir(directory)).to.deep.equal(['orders.db']);
  });

  for (const [what, length, bytes] of [
    ['small', 10, 4_096],
    ['large', 3_000, 8_192],
  ] as const)
    it(`has pages of ${bytes} bytes for ${what} documents`, async () => {
      const builder = await filled(length);
      await builder.finish();
      expect(await pageSize()).to.deep.equal({ page_size: bytes });
    });
});
