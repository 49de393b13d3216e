// A key store that is damaged, gone, older than the log or of another log: each command says it, and nothing is lost.
import { cp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { openDatabase } from '../../src/stores/sqlite/file/database.ts';
import type { Client } from '../support/load-client.ts';
import { DataDirectory } from '../support/service-process.ts';
import { until } from '../support/until.ts';

const PERSON = { firstName: 'Zerlina' };
const CUSTOMERS = 120;
const NOT_OURS = 'The key store is not that of this event log';
const UNUSABLE =
  /The key store \S+keys\.db cannot be used: Error: (?:database disk image is malformed|file is not a database)/;
const Opened = z.looseObject({ clientToken: z.string() });

describe('the keys of personal data', () => {
  const directory = new DataDirectory();
  const { place } = directory;
  const at = (name: string): string => join(place.dir, name);
  let oldToken: string;
  let newToken: string;
  after(() => directory.remove());

  const session = async (client: Client, customerId: string): Promise<string> => {
    const body = { orderId: 'o-1', currencyCode: 'EUR', amount: 100, customerId, customer: PERSON };
    return Opened.parse((await client.call('POST', '/client-session', body)).body).clientToken;
  };
  /** All keys in the file itself, without its write-ahead log. */
  const settle = async (dir: string): Promise<void> => {
    const file = join(dir, 'keys.db');
    const database = await openDatabase({ file, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: 1_024 });
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    for (const suffix of ['-wal', '-shm']) await rm(`${file}${suffix}`, { force: true });
  };
  const overwritten =
    (from: number, to: (length: number) => number) =>
    async (file: string): Promise<void> => {
      const bytes = await readFile(file);
      await writeFile(file, bytes.fill(0xa5, from, to(bytes.length)));
    };

  before(async () => {
    const first = await directory.serve();
    oldToken = await session(first.client, 'first');
    expect((await first.serving.end('SIGTERM')).code).to.equal(0);
    await settle(directory.dir);
    await cp(directory.dir, at('early'), { recursive: true });
    const { serving, client } = await directory.serve();
    const tokens = await Promise.all(Array.from({ length: CUSTOMERS }, (_, n) => session(client, `customer-${n}`)));
    newToken = tokens.at(-1) ?? '';
    expect((await serving.end('SIGTERM')).code).to.equal(0);
    await settle(directory.dir);
    expect((await readFile(join(directory.dir, 'keys.db'))).length).to.be.greaterThan(16_384);
    expect(await place.run('backup --out b')).to.include({ code: 0 });
    await (await place.serve('--data-dir other')).end('SIGTERM');
    await settle(at('other'));
  });

  interface Damage {
    readonly what: string;
    readonly says: string | RegExp;
    readonly damage: (file: string) => Promise<void>;
    /** It is older: a service starts, and warns. */
    readonly starts?: true;
  }
  const damages: readonly Damage[] = [
    { what: 'garbage in its middle', says: UNUSABLE, damage: overwritten(5_000, (length) => length - 100) },
    { what: 'a header of garbage', says: UNUSABLE, damage: overwritten(0, () => 64) },
    { what: 'a cut end', says: UNUSABLE, damage: async (file) => truncate(file, 8_192) },
    { what: 'nothing in it', says: NOT_OURS, damage: (file) => writeFile(file, '') },
    { what: 'no file', says: NOT_OURS, damage: (file) => rm(file) },
    { what: 'the keys of another log', says: NOT_OURS, damage: (file) => cp(at('other/keys.db'), file) },
    {
      what: 'the keys of an earlier time',
      says: 'The key store is older than the event log, or damaged: it misses 120 keys that events name',
      damage: (file) => cp(at('early/keys.db'), file),
      starts: true,
    },
  ];
  for (const [n, { what, says, damage, starts = false }] of damages.entries())
    it(`with ${what} are reported by each command in a sentence, and everything is there when they are back`, async () => {
      const name = `damaged-${n}`;
      await cp(directory.dir, at(name), { recursive: true });
      await damage(at(`${name}/keys.db`));
      const said = (text: string): void => {
        const words = text.replaceAll(/\s+/g, ' ');
        if (typeof says === 'string') expect(words).to.include(says);
        else expect(words).to.match(says);
        expect(text).to.not.match(/^ {4}at /m);
      };
      const manifest = await readFile(at('b/manifest.json'), 'utf8');
      for (const [command, codes] of [
        ['doctor', [1]],
        ['audit verify', [0]],
        ['projections rebuild client-sessions', [1, 3]],
        ['backup --out b', [1, 3]],
      ] as const) {
        const ran = await place.run(`${command} --data-dir ${name}`);
        expect(ran.code, `${command}: ${ran.stderr}`).to.be.oneOf([...codes]);
        said(command === 'doctor' ? ran.stdout : ran.stderr);
      }
      expect(await readFile(at('b/manifest.json'), 'utf8')).to.equal(manifest);
      const flags = `--json --log-level warn --data-dir ${name}`;
      if (starts) {
        const serving = await place.serve(flags, { COUNTERFOIL_RATE_LIMIT: '0' });
        await until(() => serving.stderr().includes('older than the event log'));
        const client = directory.client(serving.url);
        // a document has the person, and what needs the log is refused: nothing passes for an erased value
        expect((await client.call('GET', `/client-session?clientToken=${newToken}`)).text).to.include('Zerlina');
        const lost = await client.call('PATCH', '/client-session', { clientToken: newToken, amount: 200 });
        expect([lost.status, lost.text.includes('ServiceUnavailable')], lost.text).to.deep.equal([503, true]);
        expect((await client.call('GET', `/client-session?clientToken=${oldToken}`)).text).to.include('Zerlina');
        await serving.end('SIGTERM');
      } else {
        const refused = await place.serve(flags).then(
          () => 'it started',
          (fault: unknown) => String(fault),
        );
        said(refused);
      }
      for (const suffix of ['-wal', '-shm']) await rm(at(`${name}/keys.db${suffix}`), { force: true });
      await cp(join(directory.dir, 'keys.db'), at(`${name}/keys.db`));
      const again = await place.serve(flags, { COUNTERFOIL_RATE_LIMIT: '0' });
      const client = directory.client(again.url);
      for (const token of [oldToken, newToken])
        expect((await client.call('GET', `/client-session?clientToken=${token}`)).text).to.include('Zerlina');
      expect((await again.end('SIGTERM')).code).to.equal(0);
      const dry = await place.run(`projections rebuild client-sessions --dry-run --data-dir ${name}`);
      expect(dry, dry.stderr).to.include({ code: 0 });
    });

  it('that are lost for good do not end backups: a new directory takes one', async () => {
    await cp(directory.dir, at('lost'), { recursive: true });
    await cp(at('early/keys.db'), at('lost/keys.db'));
    const ran = await place.run('backup --out b-new --data-dir lost');
    expect(ran.code).to.equal(1);
    expect(ran.stdout).to.include('holds the log up to position');
    expect(ran.stderr).to.include('older than the event log');
  });
});
