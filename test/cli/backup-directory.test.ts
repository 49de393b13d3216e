// What somebody has put into the directory of a backup or of a restore is refused in a sentence.
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { alone } from '../../src/cli/alone.ts';
import { type BackupContent, type BackupPart, contentIn, textOf } from '../../src/cli/backup/backup-directory.ts';
import { Refused } from '../../src/cli/exit.ts';
import { faultOf } from '../contract/store-under-test.ts';

const part = (name: BackupPart['part'], file: string): BackupPart => ({ part: name, file, bytes: 1, sha256: 'a' });
const contentOf = (parts: BackupPart[]): BackupContent => ({
  format: 'counterfoil-backup-1',
  run: 2,
  storeId: 'id',
  events: 1,
  broken: 0,
  position: '0',
  last: { stream: 'store-0', revision: 0, hash: 'h' },
  lastRecordedAt: '2026-01-01T00:00:00.000Z',
  madeAt: '2026-01-01T00:00:00.000Z',
  parts,
});

describe('the directory of a backup', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-backup-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('has no manifest that names a file or a part twice', async () => {
    const whole = contentOf([part('log', 'log-1.db'), part('log', 'log-2.jsonl'), part('keys', 'keys-2.db')]);
    expect(contentIn(textOf(whole), 'manifest.json')).to.deep.equal(whole);
    for (const [parts, says] of [
      [[part('log', 'log-1.db'), part('log', 'log-1.db')], 'names log-1.db twice'],
      [[part('log', 'log-1.db'), part('sandbox', 'log-1.db')], 'names log-1.db twice'],
      [[part('keys', 'keys-1.db'), part('keys', 'keys-2.db')], 'names the part keys twice'],
    ] as const)
      expect(() => contentIn(textOf(contentOf([...parts])), 'manifest.json')).to.throw(Refused, says);
  });

  it('has a lock that is a file, and nothing is written where a link leads', async () => {
    const [lock, elsewhere] = [join(directory, 'lock'), join(directory, 'elsewhere')];
    const locked = () => faultOf(alone(directory, 'lock', async () => 'done'));
    const refused = async () =>
      expect(await locked())
        .to.be.instanceOf(Refused)
        .with.property('message')
        .that.includes('lock is not a file');
    await symlink(elsewhere, lock);
    await refused();
    await writeFile(elsewhere, 'text');
    await refused();
    expect(await readFile(elsewhere, 'utf8')).to.equal('text');
    await rm(lock);
    await mkdir(lock);
    await refused();
    await rm(lock, { recursive: true });
    expect(await alone(directory, 'lock', async () => 'done')).to.equal('done');
  });
});
