// Keys that somebody destroyed or moved in the key store: no command takes that for an erasure.
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { secretFileIn } from '../../src/cli/open/machine-secrets.ts';
import { truncateWal } from '../../src/stores/sqlite/file/busy.ts';
import { openDatabase } from '../../src/stores/sqlite/file/database.ts';
import { DataDirectory } from '../support/service-process.ts';

const Verified = z.looseObject({
  destroyedKeys: z.strictObject({ recorded: z.int(), earlier: z.int(), unrecorded: z.array(z.string()) }),
});
/** The key by which the log knows its key store has no number. */
const isOfCustomer = ({ id }: { readonly id: string }): boolean => /\.\d+$/.test(id);
const Row = z.object({ id: z.string(), wrapped: z.string() });

describe('a key store that somebody changed', () => {
  const directory = new DataDirectory();
  const { place } = directory;
  const at = (name: string): string => join(place.dir, name);
  after(() => directory.remove());

  /** A restored directory has no secret. */
  const withSecret = async () => ({
    env: { COUNTERFOIL_SECRET: (await readFile(secretFileIn(directory.dir), 'utf8')).trim() },
  });
  /** Runs SQL on the keys of a directory. */
  const changed = async (dir: string, change: (keys: readonly z.output<typeof Row>[]) => readonly string[]) => {
    const options = { mustExist: true, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: 1_024 } as const;
    const database = await openDatabase({ file: at(`${dir}/keys.db`), ...options });
    const found = database.prepare('SELECT id, wrapped FROM keys WHERE wrapped IS NOT NULL ORDER BY id').all();
    for (const sql of change(z.array(Row).parse(found))) database.exec(sql);
    truncateWal(database);
    database.close();
  };
  const registered = async (dir: string): Promise<string> => readFile(at(`${dir}/erasures.jsonl`), 'utf8');
  const verified = async (dir: string) => {
    const ran = await place.run(`audit verify --json --data-dir ${dir}`, await withSecret());
    return { ...ran, found: Verified.parse(JSON.parse(ran.stdout)).destroyedKeys };
  };
  const saysOf = ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string =>
    (stdout + stderr).replaceAll(/\s+/g, ' ');

  before(async () => {
    const { serving, client } = await directory.serve();
    for (const customerId of ['erased', 'kept', 'other']) {
      const body = { orderId: 'o-1', currencyCode: 'EUR', amount: 100, customerId, customer: { firstName: 'Zerlina' } };
      expect((await client.call('POST', '/client-session', body)).status).to.equal(200);
    }
    expect((await serving.end('SIGTERM')).code).to.equal(0);
    expect(await place.run('backup --out b-before')).to.include({ code: 0 });
    expect(await place.run('customers erase erased')).to.include({ code: 0 });
    expect(await place.run('backup --out b-sound')).to.include({ code: 0 });
    for (const dir of ['buried', 'moved', 'nameless']) await cp(directory.dir, at(dir), { recursive: true });
    await changed('moved', (keys) => {
      const [one, other] = keys.filter(isOfCustomer);
      return [`UPDATE keys SET wrapped = '${other?.wrapped}' WHERE id = '${one?.id}'`];
    });
    await changed('buried', (keys) => [
      `UPDATE keys SET wrapped = NULL, destroyed_at = 1 WHERE id = '${keys.find(isOfCustomer)?.id}'`,
    ]);
    await changed('nameless', () => ['UPDATE keys SET wrapped = NULL, destroyed_at = 1']);
  });

  it('and an erasure on record are told apart by audit verify and doctor', async () => {
    const sound = await verified(directory.dir);
    expect(sound, sound.stderr).to.include({ code: 0 });
    expect(sound.found).to.deep.include({ earlier: 0, unrecorded: [] }).and.have.property('recorded').above(0);
    const buried = await verified('buried');
    expect(buried).to.include({ code: 1 });
    expect(buried.found.unrecorded).to.have.length(1);
    expect(saysOf(buried)).to.include('1 key of personal data was destroyed, and no erasure is on record for it');
    const nameless = await verified('nameless');
    expect(nameless).to.include({ code: 1 });
    expect(nameless.found.unrecorded).to.have.length.above(2);
    const doctor = await place.run('doctor --data-dir buried');
    expect(doctor).to.include({ code: 1 });
    expect(saysOf(doctor)).to.include('no erasure is on record for it');
  });

  it('replaces no backup, and gets no name into the register', async () => {
    const [sound, manifest] = [await registered('b-sound'), await readFile(at('b-sound/manifest.json'), 'utf8')];
    const again = await place.run('backup --out b-sound --data-dir buried');
    expect(again).to.include({ code: 1 });
    expect(saysOf(again)).to.include('may have them: keep it');
    expect(await readFile(at('b-sound/manifest.json'), 'utf8')).to.equal(manifest);
    const further = await place.run('backup --out b-new --data-dir buried');
    expect(further).to.include({ code: 1 });
    expect(saysOf(further)).to.include('holds the log up to').and.to.include('no erasure is on record');
    const names = (text: string) => text.split('\n').slice(1);
    expect(names(await registered('b-new'))).to.deep.equal(names(sound));
    const restored = await place.run('restore --from b-new --data-dir of-new', await withSecret());
    expect(restored).to.include({ code: 1 });
    expect(saysOf(restored)).to.include('no erasure is on record');
  });

  it('is not made by the register of a newer backup: a restore puts its names on record', async () => {
    const register = '--erasures b-sound/erasures.jsonl';
    const restored = await place.run(`restore --from b-before ${register} --data-dir of-before`, await withSecret());
    expect(restored, restored.stderr).to.include({ code: 0 });
    const ran = await verified('of-before');
    expect(ran, ran.stderr).to.include({ code: 0 });
    expect(ran.found).to.deep.include({ earlier: 0, unrecorded: [] }).and.have.property('recorded').above(0);
  });

  it('opens no key under the id of another one: doctor and backups say so', async () => {
    const doctor = await place.run('doctor --data-dir moved');
    expect(doctor).to.include({ code: 1 });
    expect(saysOf(doctor)).to.include('1 key of personal data cannot be opened by any secret of this machine');
    expect(await place.run('backup --out b-sound --data-dir moved')).to.include({ code: 1 });
    expect(saysOf(await place.run('audit verify --data-dir moved'))).to.include('cannot be opened by any secret');
  });
});
