// A file that has to be there is never made: an empty one in its place would hide that it was lost.
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../../../src/stores/sqlite/file/database.ts';
import { FileGone } from '../../../../src/stores/sqlite/file/opened-file.ts';
import { openForUpkeep } from '../../../../src/stores/sqlite/read-model-connection.ts';
import { faultOf } from '../../../contract/store-under-test.ts';

describe('a database that has to be there', () => {
  let directory: string;
  let file: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-existing-'));
    file = join(directory, 'models.db');
    (await openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 100 })).close();
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('is opened, and is refused where it is not', async () => {
    (await openForUpkeep(file)).close();
    rmSync(file);
    expect(await faultOf(openForUpkeep(file))).to.be.instanceOf(FileGone);
    expect(existsSync(file)).to.equal(false);
  });

  it('is refused when it is deleted while SQLite is loaded for it', async () => {
    const opening = faultOf(openForUpkeep(file));
    rmSync(file);
    expect(await opening).to.be.instanceOf(FileGone);
    expect(existsSync(file)).to.equal(false);
  });
});
