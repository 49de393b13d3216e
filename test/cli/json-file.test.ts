// Files of JSON that a command is given, as editors and shells write them.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { WrongUsage } from '../../src/cli/exit.ts';
import { readJsonFile } from '../../src/cli/files.ts';

describe('a file of JSON for a command', () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'json-file-'));
  });
  after(() => rm(dir, { recursive: true }));
  const read = async (bytes: Buffer): Promise<unknown> => {
    const file = join(dir, 'faults.json');
    await writeFile(file, bytes);
    return readJsonFile(file).catch((fault: unknown) => fault);
  };

  it('may begin with a byte order mark', async () => {
    expect(await read(Buffer.from('\uFEFF{"rules": []}'))).to.deep.equal({ rules: [] });
  });

  it('is named where it is UTF-16, with a mark or without, in either order of bytes', async () => {
    const little = Buffer.from('{}', 'utf16le');
    const marked = Buffer.from('\uFEFF{}', 'utf16le');
    for (const bytes of [little, marked, Buffer.from(little).swap16(), Buffer.from(marked).swap16()]) {
      const fault = await read(bytes);
      expect(fault).to.be.instanceOf(WrongUsage);
      expect(String(fault)).to.include('is UTF-16');
    }
  });
});
