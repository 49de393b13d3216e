// The file of the secret after a rotation: it has what was written, or the command says that it has not.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Refused } from '../../src/cli/exit.ts';
import { replaceFile } from '../../src/cli/files.ts';
import { readSecretFile, replaceSecretFile } from '../../src/cli/open/machine-secrets.ts';
import { faultOf } from '../contract/store-under-test.ts';

describe('the file of the secret', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-secret-'));
  });
  after(() => rm(directory, { recursive: true }));

  it('is read back when it is replaced', async () => {
    const file = join(directory, 'secret.key');
    const [fresh, old] = [Buffer.alloc(32, 8), Buffer.alloc(32, 7)];
    await replaceSecretFile(file, [old]);
    await replaceSecretFile(file, [fresh, old]);
    expect(await readSecretFile(file)).to.deep.equal({ secret: fresh, older: [old] });
    const loses = (to: string, text: string) => replaceFile(to, text.slice(0, 43));
    const fault = await faultOf(replaceSecretFile(file, [old, fresh], loses));
    expect(fault).to.be.instanceOf(Refused).with.property('message').that.includes('does not have what was written');
    expect(await readFile(file, 'utf8')).to.have.length(43);
  });
});
