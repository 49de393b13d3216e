// counterfoil backup and restore beside a shop that is open, killed on their way, and with what happens to disks.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { z } from 'zod';
import { alone } from '../../src/cli/alone.ts';
import { BACKUP_LOCK, contentIn, writeManifest } from '../../src/cli/backup/backup-directory.ts';
import { readErasures } from '../../src/cli/backup/erasures.ts';
import { makeBackup } from '../../src/cli/backup/make-backup.ts';
import { Refused } from '../../src/cli/exit.ts';
import { RESTORE_LOCK } from '../../src/cli/open/log-end.ts';
import { readSecretFile, secretFileIn } from '../../src/cli/open/machine-secrets.ts';
import { operatorContext } from '../../src/journal/contexts.ts';
import { actsIn, recordDestruction } from '../../src/journal/destroyed-keys.ts';
import { Secrets } from '../../src/secrets.ts';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { openSqliteKeyStore } from '../../src/stores/sqlite/key-store.ts';
import { liveWorld } from '../../src/world.ts';
import { lostOf } from '../crash/books.ts';
import { alterLog } from '../support/altered-log.ts';
import { openEventStoreDbLoopback } from '../support/eventstoredb-loopback/eventstoredb-loopback.ts';
import { Memory, randomFrom, Shopper } from '../support/load.ts';
import { nodeArguments, scriptBeside } from '../support/script.ts';
import { DataDirectory } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { quickMain } from './built.ts';
import type { Ran } from './command-hosts.ts';

const Made = z.looseObject({
  events: z.int(),
  added: z.int(),
  broken: z.int(),
  position: z.string(),
  lastRecordedAt: z.string(),
  parts: z.array(z.looseObject({ part: z.string(), file: z.string(), bytes: z.int() })),
});
const Opened = z.looseObject({ clientToken: z.string() });
const Restored = z.looseObject({ events: z.int(), erasures: z.looseObject({ named: z.int() }) });
const Verified = z.looseObject({ events: z.int(), root: z.string(), broken: z.int() });

describe('counterfoil backup and restore', () => {
  const directory = new DataDirectory();
  const memory = new Memory();
  const { place } = directory;
  const at = (name: string): string => join(place.dir, name);
  const withSecret = (env: Readonly<Record<string, string>> = {}) => ({
    env: { ...(secret !== undefined && { COUNTERFOIL_SECRET: secret }), ...env },
  });
  const backup = async (flags: string): Promise<z.output<typeof Made>> => {
    const ran = await place.run(`backup ${flags} --json`, withSecret());
    expect(ran, ran.stderr).to.include({ code: 0 });
    return Made.parse(JSON.parse(ran.stdout));
  };
  /** In a process of its own: one that other commands share would hold the files open under their former names. */
  const restore = (flags: string, env = {}): Promise<Ran> =>
    place.begin(`restore ${flags}`, withSecret(env).env).ended();
  /** Resolves when the read models are built. */
  const ready = (url: string): Promise<void> => until(async () => (await fetch(`${url}/health/ready`)).status === 200);
  const verified = async (dir: string): Promise<z.output<typeof Verified>> =>
    Verified.parse(await place.json(`audit verify --data-dir ${dir}`));
  let secret: string | undefined;
  /** The shop's log when it was closed. */
  let whole: z.output<typeof Verified>;

  before(async () => {
    const { serving, client } = await directory.serve();
    const over = new AbortController();
    const shoppers = Array.from({ length: 2 }, (_, n) =>
      new Shopper(`s${n}`, memory, randomFrom(n), 'prompt').shop(client, over.signal),
    );
    const afterMore = async (writes: number): Promise<void> => {
      const before = memory.acknowledged.size;
      await until(() => memory.acknowledged.size >= before + writes);
    };
    await afterMore(40);
    const rebuilding = place.run('projections rebuild --all');
    const first = await backup('--out b');
    expect(first).to.include({ broken: 0, added: first.events });
    expect(await rebuilding).to.include({ code: 0 });
    await afterMore(20);
    const second = await backup('--out b');
    expect(second.events).to.equal(first.events + second.added);
    expect(second.added).to.be.greaterThan(20);
    await cp(at('b'), at('b-open'), { recursive: true });
    await afterMore(20);
    over.abort();
    await Promise.all(shoppers);
    const third = await backup('--out b');
    expect(third.parts.map(({ file }) => file)).to.deep.equal([
      'log-1.db',
      'log-2.jsonl',
      'log-3.jsonl',
      'sandbox-3.db',
      'keys-3.db',
    ]);
    expect((await serving.end('SIGTERM')).code).to.equal(0);
    secret = (await readFile(secretFileIn(directory.dir), 'utf8')).trim();
    whole = await verified('data');
    expect(whole.events).to.be.least(third.events);
    // what policies appended while the service ended
    expect(await backup('--out b')).to.include({ events: whole.events });
  });
  after(() => directory.remove());

  it('brings back every acknowledged write and the same log, with the ledger of the sandbox', async () => {
    const ran = await restore('--from b --data-dir back');
    expect(ran).to.include({ code: 0 });
    expect(ran.stdout).to.match(
      new RegExp(`up to position ${whole.events - 1}, ${whole.events} events, the last one recorded at 20`),
    );
    expect(await readdir(at('back'))).to.have.members(['events.db', 'sandbox.db', 'keys.db']);
    expect(await verified('back')).to.include({ root: whole.root, broken: 0 });
    const serving = await place.serve('--json --log-level warn --data-dir back', {
      ...withSecret().env,
      COUNTERFOIL_RATE_LIMIT: '0',
    });
    await ready(serving.url);
    expect(await lostOf(directory.client(serving.url), memory.acknowledged.values())).to.deep.equal([]);
    expect((await serving.end('SIGTERM')).code).to.equal(0);
    const diff = await place.run('sandbox diff --data-dir back', withSecret());
    expect(diff, diff.stdout + diff.stderr).to.include({ code: 0 });
  });

  it('restores log and ledger of one instant, though the shop was open', async () => {
    expect(await restore('--from b-open --data-dir back-open')).to.include({ code: 0 });
    const { env } = withSecret();
    const serving = await place.serve('--json --log-level warn --data-dir back-open', env);
    await ready(serving.url);
    expect((await serving.end('SIGTERM')).code).to.equal(0);
    const diff = await place.run('sandbox diff --data-dir back-open', { env });
    expect(diff, diff.stdout + diff.stderr).to.include({ code: 0 });
  });

  it('refuses a directory that holds a store, and one in which a service runs', async () => {
    await mkdir(at('in-use/running'), { recursive: true });
    await writeFile(at('in-use/running/4000.json'), '{}');
    for (const [dir, file] of [
      ['data', 'events.db'],
      ['in-use', 'running/4000.json'],
    ]) {
      const ran = await restore(`--from b --data-dir ${dir}`);
      expect(ran.code).to.equal(1);
      expect(ran.stderr).to.contain(`holds a store already: there is ${join(at(`${dir}`), `${file}`)}`);
    }
    expect(await readdir(at('in-use'))).to.deep.equal(['running']);
  });

  it('refuses a backup with one bit changed, whichever part it is in, and leaves no store', async () => {
    for (const { file, bytes } of (await backup('--out b')).parts)
      for (const byte of [Math.floor(bytes / 3), bytes - 1]) {
        await cp(at('b'), at('b-altered'), { recursive: true });
        const content = await readFile(at(`b-altered/${file}`));
        content[byte] = (content[byte] ?? 0) ^ 16;
        await writeFile(at(`b-altered/${file}`), content);
        const ran = await restore('--from b-altered --data-dir back-altered');
        expect(ran.code).to.equal(1);
        expect(ran.stderr).to.contain(`${file} was altered: its hash is not that of the manifest. Use another backup.`);
        expect(await readdir(at('back-altered'))).to.deep.equal([]);
        await rm(at('b-altered'), { recursive: true });
      }
  });

  it('refuses a part that is cut off or missing', async () => {
    await cp(at('b'), at('b-cut'), { recursive: true });
    const content = await readFile(at('b-cut/log-2.jsonl'));
    await writeFile(at('b-cut/log-2.jsonl'), content.subarray(0, content.length - 1));
    expect((await restore('--from b-cut --data-dir back-cut')).stderr).to.match(
      /log-2\.jsonl was altered: it has \d+ bytes/,
    );
    const goesOn = async (says: string): Promise<void> => {
      const ran = await place.run('backup --out b-cut', withSecret());
      expect(ran.code).to.equal(1);
      expect(ran.stderr).to.contain(says).and.contain('cannot be restored: back up into a new directory');
    };
    await goesOn('log-2.jsonl was altered');
    await rm(at('b-cut/log-2.jsonl'));
    await goesOn('log-2.jsonl is missing');
    expect((await restore('--from b-cut --data-dir back-cut')).stderr).to.contain('log-2.jsonl is missing');
    await rm(at('b-cut/manifest.json'));
    expect((await restore('--from b-cut --data-dir back-cut')).stderr).to.contain('is not a backup');
  });

  it('refuses a manifest with any bit changed', async () => {
    const text = await readFile(at('b/manifest.json'));
    expect(contentIn(text.toString(), 'm')).to.include({ events: whole.events });
    for (let bit = 0; bit < text.length * 8; bit += 1) {
      const altered = Buffer.from(text);
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => contentIn(altered.toString('latin1'), 'm'), `bit ${bit}`).to.throw(/was altered/);
    }
  });

  it('refuses the backup of another store, of a log that was put back, and a directory of something else', async () => {
    await mkdir(at('photos'));
    await writeFile(at('photos/cat.jpg'), 'cat');
    expect((await place.run('backup --out photos')).stderr).to.contain(
      'is not a backup, and it is not empty: it has cat.jpg',
    );
    await (await place.serve('--data-dir other')).end('SIGTERM');
    expect((await place.run('backup --out b --data-dir other')).stderr).to.contain('is the backup of another store');
    expect(await restore('--from b-open --data-dir older')).to.include({ code: 0 });
    const older = await place.run('backup --out b --data-dir older', withSecret());
    expect(older.code).to.equal(1);
    expect(older.stderr).to.contain('an older copy was put back');
  });

  it('backs up a broken log, says so, and brings it back as it was', async () => {
    await cp(at('back'), at('broken'), { recursive: true });
    await alterLog(at('broken/events.db'), 'store-0', { kind: 'dataCut', n: 0 });
    const ran = await place.run('backup --out b-broken --data-dir broken', withSecret());
    expect(ran.code).to.equal(1);
    expect(ran.stderr).to.match(/The log has \d+ breaks?, and so has the backup/);
    expect(await restore('--from b-broken --data-dir back-broken')).to.include({ code: 0 });
    expect((await place.run('audit verify --data-dir back-broken')).stdout).to.equal(
      (await place.run('audit verify --data-dir broken')).stdout,
    );
  });

  /** The steps of a run that ends, or undefined for one that was killed. */
  async function runChild(...args: readonly string[]): Promise<readonly string[] | undefined> {
    const script = nodeArguments(scriptBeside('./backup-child', import.meta.url), ...args);
    const child = spawn(process.execPath, script, { stdio: ['ignore', 'pipe', 'inherit'] });
    const printed: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => printed.push(text));
    const [code, signal] = await once(child, 'close');
    if (signal === 'SIGKILL') return undefined;
    expect(code).to.equal(0);
    return z.array(z.string()).parse(JSON.parse(printed.join('')));
  }

  it('is finished by the next run, wherever a backup was killed', async () => {
    const steps = (await runChild('backup', at('k'), directory.dir)) ?? [];
    expect(steps).to.deep.equal(['sandbox-1.db', 'keys-1.db', 'copied log', 'log-1.db', 'manifest']);
    for (const step of steps) {
      await rm(at('k'), { recursive: true });
      expect(await runChild('backup', at('k'), directory.dir, step)).to.equal(undefined);
      expect(await backup('--out k')).to.include({ events: whole.events, broken: 0 });
      await rm(at('k-back'), { recursive: true, force: true });
      expect(await restore('--from k --data-dir k-back')).to.include({ code: 0 });
      expect(await verified('k-back')).to.include({ root: whole.root });
      expect(
        (await readdir(at('k'))).filter(
          (name) => !/^(lock|manifest\.json|erasures\.jsonl|log-1\.db|(sandbox|keys)-\d\.db)$/.test(name),
        ),
      ).to.deep.equal([]);
    }
  });

  it('holds the previous backup or the new one, wherever a later run was killed', async () => {
    const older = Made.parse(
      JSON.parse(
        await readFile(at('b-open/manifest.json'), 'utf8').then((text) =>
          JSON.stringify({ ...JSON.parse(text), added: 0 }),
        ),
      ),
    );
    for (const step of ['sandbox-3.db', 'keys-3.db', 'copied log', 'log-3.jsonl', 'manifest']) {
      await rm(at('k'), { recursive: true, force: true });
      await cp(at('b-open'), at('k'), { recursive: true });
      expect(await runChild('backup', at('k'), directory.dir, step)).to.equal(undefined);
      await rm(at('k-back'), { recursive: true, force: true });
      const ran = Restored.parse(JSON.parse((await restore('--from k --data-dir k-back --json')).stdout));
      expect(ran.events).to.equal(step === 'manifest' ? whole.events : older.events);
      expect(await backup('--out k')).to.include({ events: whole.events });
    }
  });

  it('is finished by the next run, wherever a restore was killed; no service starts before', async () => {
    const steps = (await runChild('restore', at('b'), at('k-back-0'))) ?? [];
    expect(steps).to.deep.equal([
      'copied log',
      'added events',
      'copied sandbox',
      'copied keys',
      'put sandbox',
      'put keys',
      'put log',
    ]);
    for (const [n, step] of steps.entries()) {
      const dir = `k-back-${n + 1}`;
      expect(await runChild('restore', at('b'), at(dir), step)).to.equal(undefined);
      const early = await place.run(`serve --port 0 --data-dir ${dir}`);
      expect(early.code).to.equal(2);
      expect(early.stderr).to.contain('is not finished. Run `counterfoil restore` again.');
      expect(await restore(`--from b --data-dir ${dir}`)).to.include({ code: 0 });
      expect(await readdir(at(dir))).to.have.members(['events.db', 'sandbox.db', 'keys.db']);
      expect(await verified(dir)).to.include({ root: whole.root, broken: 0 });
    }
  });

  it('keeps the previous backup when the disk is full, and goes on when it is not', async () => {
    await cp(at('b-open'), at('full'), { recursive: true });
    const before = await readFile(at('full/manifest.json'), 'utf8');
    // No file may grow over 256 KiB, which a process meets as a disk that takes no more.
    const script = `trap '' XFSZ; ulimit -f 256; exec "${process.execPath}" "${quickMain()}" "$@"`;
    const full = (args: readonly string[]) =>
      promisify(execFile)('bash', ['-c', script, 'bash', ...args], {
        cwd: place.dir,
        env: { ...process.env, ...withSecret().env },
      }).then(
        () => ({ code: 0, stderr: '' }),
        (fault: unknown) => z.looseObject({ code: z.number(), stderr: z.string() }).parse(fault),
      );
    const ran = await full(['backup', '--out', 'full']);
    expect(ran.code, ran.stderr).to.equal(1);
    expect(ran.stderr).to.match(/full cannot be written: .*An earlier backup in it is as it was\./);
    expect(await readFile(at('full/manifest.json'), 'utf8')).to.equal(before);
    const restoring = await full(['restore', '--from', 'full', '--data-dir', 'full-back']);
    expect(restoring.code).to.equal(1);
    expect(restoring.stderr).to.match(/full-back cannot be written: /);
    expect(await backup('--out full')).to.include({ events: whole.events });
    expect(await restore('--from full --data-dir full-back')).to.include({ code: 0 });
  });

  it('leaves no second copy of the keys where the key store is elsewhere', async () => {
    const ran = await restore('--from b --data-dir back-keys', {
      COUNTERFOIL_KEY_STORE: `sqlite:${at('elsewhere/keys.db')}`,
    });
    expect(ran).to.include({ code: 0 });
    expect(await readdir(at('back-keys'))).to.have.members(['events.db', 'sandbox.db']);
    expect((await readdir(at('elsewhere'))).filter((file) => file === 'keys.db')).to.have.length(1);
  });

  it('refuses a second backup into the same directory at the same time', async () => {
    await alone(at('b'), BACKUP_LOCK, async () => {
      const ran = await place.run('backup --out b');
      expect(ran.code).to.equal(1);
      expect(ran.stderr).to.contain('Another process writes to');
    });
    expect(await place.run('backup --out b')).to.include({ code: 0 });
  });

  it('brings back nobody who was erased since, by the register of a newer backup', async () => {
    const PERSON = 'Zerlina';
    const { env } = withSecret();
    expect(await restore('--from b --data-dir person')).to.include({ code: 0 });
    const serving = await place.serve('--json --log-level warn --data-dir person', env);
    const body = {
      orderId: 'o-1',
      currencyCode: 'EUR',
      amount: 100,
      customerId: 'cust-7',
      customer: { firstName: PERSON },
    };
    const client = directory.client(serving.url);
    await ready(serving.url);
    const { clientToken } = Opened.parse(JSON.parse((await client.call('POST', '/client-session', body)).text));
    expect((await serving.end('SIGTERM')).code).to.equal(0);
    await backup('--out p-old --data-dir person');
    expect(await readFile(at('p-old/erasures.jsonl'), 'utf8')).to.match(/^\{.*"count":0,"hmac":"[0-9a-f]{64}"\}\n$/);
    const erased = await place.run('customers erase cust-7 --data-dir person', { env });
    expect(erased, erased.stderr).to.include({ code: 0 });
    await backup('--out p-new --data-dir person');
    const register = await readFile(at('p-new/erasures.jsonl'), 'utf8');
    expect(register)
      .to.match(/^\{"format":"counterfoil-erasures-1".*\}\n(\{"keyId":"[^"]+","time":"[^"]+"\}\n)+$/)
      .and.not.include('cust-7');

    /** What the session says of the customer. */
    const namesIn = async (dir: string, flags: string): Promise<string> => {
      expect(await restore(`--from p-old --data-dir ${dir}${flags}`)).to.include({ code: 0 });
      expect(await verified(dir)).to.include({ broken: 0 });
      const again = await place.serve(`--json --log-level warn --data-dir ${dir}`, env);
      await ready(again.url);
      const { text } = await directory.client(again.url).call('GET', `/client-session?clientToken=${clientToken}`);
      expect((await again.end('SIGTERM')).code).to.equal(0);
      return text;
    };
    expect(await namesIn('p-back', '')).to.include(PERSON);
    expect(await namesIn('p-erased', ' --erasures p-new/erasures.jsonl'))
      .to.include('o-1')
      .and.not.include(PERSON);
    for (const name of await readdir(at('p-erased')))
      if (/\.db/.test(name)) expect(await readFile(at(`p-erased/${name}`), 'latin1'), name).to.not.include(PERSON);
  });

  it('refuses a register of erasures that it cannot apply', async () => {
    await cp(at('b'), at('keyless'), { recursive: true });
    const { parts, ...content } = contentIn(await readFile(at('keyless/manifest.json'), 'utf8'), 'keyless');
    await writeManifest(at('keyless'), { ...content, parts: parts.filter(({ part }) => part !== 'keys') });
    const ran = await restore('--from keyless --data-dir erased --erasures p-new/erasures.jsonl');
    expect(ran.code).to.equal(1);
    expect(ran.stderr).to.contain(', and the backup has no keys');
    expect(await readdir(at('erased'))).to.deep.equal([]);
  });

  it('refuses a register that was altered anywhere, cut, of another store, or without a header', async () => {
    const text = await readFile(at('p-new/erasures.jsonl'), 'utf8');
    const stored = await readSecretFile(secretFileIn(directory.dir));
    const { storeId } = contentIn(await readFile(at('p-new/manifest.json'), 'utf8'), 'm');
    const owner = { secrets: new Secrets(stored === undefined ? [] : [stored.secret]), storeId };
    const file = at('register.jsonl');
    const read = async (content: string, by = owner): Promise<string> => {
      await writeFile(file, content);
      return readErasures(file, by).then(
        (erasures) => `${erasures.length} erasures`,
        (fault: unknown) => `${fault instanceof Refused} ${String(fault)}`,
      );
    };
    expect(await read(text)).to.equal(`${text.split('\n').length - 2} erasures`);
    for (let at = 0; at < text.length; at += 1)
      expect(await read(text.slice(0, at) + (text[at] === '1' ? '2' : '1') + text.slice(at + 1)), `${at}`).to.match(
        /^true .*(was altered|is not a register)/,
      );
    const lines = text.split('\n');
    for (const cut of [lines.slice(0, -2).join('\n'), lines.toSpliced(1, 1).join('\n'), `${text}${lines[1]}\n`])
      expect(await read(cut)).to.match(/was altered|is not a register/);
    expect(await read(lines.slice(1).join('\n'))).to.contain('one of an earlier version: it has no header');
    expect(await read('')).to.contain('is not a register of erasures');
    expect(await read(text, { ...owner, storeId: 'other' })).to.contain('is the register of another store');
    expect(await read(text, { ...owner, secrets: new Secrets([]) })).to.contain('the secret of the store is not here');
    expect(await read(text, { ...owner, secrets: new Secrets([Buffer.alloc(32, 9)]) })).to.contain('was altered');
  });

  it('needs the register of a backup with keys, and the secret for it', async () => {
    await cp(at('p-old'), at('p-none'), { recursive: true });
    await rm(at('p-none/erasures.jsonl'));
    const ran = await restore('--from p-none --data-dir none');
    expect(ran.code).to.equal(1);
    expect(ran.stderr).to.contain('erasures.jsonl cannot be read').and.contain('--erasures');
    const closed = await place.begin('restore --from p-old --data-dir none').ended();
    expect(closed.code).to.equal(1);
    expect(closed.stderr).to.contain('the secret of the store is not here');
    const unsigned = await place.run('backup --out none --data-dir p-back');
    expect(unsigned.code).to.equal(1);
    expect(unsigned.stderr).to.contain('It signs the register of erasures');
  });

  it('says which erasures it applied, and names all of them in the next register', async () => {
    const ran = await restore('--from b --data-dir before-person --erasures p-new/erasures.jsonl');
    expect(ran, ran.stderr).to.include({ code: 0 });
    expect(ran.stdout).to.match(
      /The register names (\d+) erasures?: 0 keys were destroyed, 0 before the backup, and \1 not found in the backup\./,
    );
    await backup('--out b-next --data-dir before-person');
    const register = await readFile(at('b-next/erasures.jsonl'), 'utf8');
    expect(register.split('\n').slice(1)).to.deep.equal(
      (await readFile(at('p-new/erasures.jsonl'), 'utf8')).split('\n').slice(1),
    );
  });

  it('lets one of two restores into a directory at the same time', async () => {
    const both = await Promise.all([1, 2].map(() => restore('--from b --data-dir both')));
    expect(both.map(({ code }) => code).sort()).to.deep.equal([0, 1]);
    expect(both.map(({ stderr }) => stderr).join('')).to.match(/Another process writes to|holds a store already/);
    expect(await readdir(at('both'))).to.have.members(['events.db', 'sandbox.db', 'keys.db']);
    expect(await verified('both')).to.include({ root: whole.root, broken: 0 });
    await alone(at('third'), RESTORE_LOCK, async () => {
      const ran = await restore('--from b --data-dir third');
      expect(ran.code).to.equal(1);
      expect(ran.stderr).to.contain('Another process writes to');
    });
  });

  it('keeps no erasure waiting while it copies the log', async () => {
    expect(await restore('--from b --data-dir beside')).to.include({ code: 0 });
    const file = at('beside/events.db');
    const stored = await readSecretFile(secretFileIn(directory.dir));
    const report = (fault: unknown): void => expect.fail(String(fault));
    const events = await openSqliteEventStore({ file, world: liveWorld, report });
    const keys = await openSqliteKeyStore({ file: at('beside/keys.db'), world: liveWorld });
    await keys.putIfAbsent('person.1', 'wrapped');
    const destroyedAfter: string[] = [];
    await makeBackup(at('b-beside'), {
      source: { kind: 'sqlite', file },
      dataDir: at('beside'),
      keys: { file: at('beside/keys.db') },
      secrets: new Secrets(stored === undefined ? [] : [stored.secret]),
      events,
      world: liveWorld,
      report,
      signal: new AbortController().signal,
      onStep: async (step) => {
        if (step !== 'copied log') return; // the snapshot of the log is open
        const context = operatorContext(liveWorld, '');
        await recordDestruction(actsIn(events, liveWorld), liveWorld, context, ['person.1'], 'erasure');
        await keys.destroy(['person.1'], 7);
        destroyedAfter.push(step);
      },
    });
    expect(destroyedAfter).to.deep.equal(['copied log']);
    const copied = await openSqliteKeyStore({ file: at('b-beside/keys-1.db'), world: liveWorld });
    expect(await copied.get(['person.1'])).to.deep.equal([{ id: 'person.1', wrapped: 'wrapped' }]);
    expect(await readFile(at('b-beside/erasures.jsonl'), 'utf8')).to.contain('"person.1"');
    for (const one of [copied, keys, events]) await one.close();
  });

  it('restores into EventStoreDB, and backs that up into a directory that restores into a file', async () => {
    await mkdir(at('eventstoredb'));
    const server = await openEventStoreDbLoopback({ directory: at('eventstoredb') });
    try {
      const there = withSecret({ COUNTERFOIL_EVENT_STORE: server.url });
      expect(await restore('--from b --data-dir node', there.env)).to.include({ code: 0 });
      expect(await readdir(at('node'))).to.have.members(['sandbox.db', 'keys.db']);
      const first = Made.parse(
        JSON.parse((await place.run('backup --out b-node --data-dir node --json', there)).stdout),
      );
      expect(first).to.include({ events: whole.events, broken: 0 });
      const env = { ...there.env, COUNTERFOIL_READ_MODELS: `sqlite:${at('node.db')}` };
      const serving = await place.serve('--json --log-level warn --data-dir node', env);
      // newer versions of Node take these for ends of lines
      const args = ['--name', 'La\u2028t\u2029er'];
      const created = await place.run('accounts create --data-dir node', { env, args });
      expect(created, created.stderr).to.include({ code: 0 });
      const second = await place.run('backup --out b-node --data-dir node --json', there);
      const made = Made.parse(JSON.parse(second.stdout));
      expect(made.added).to.be.greaterThan(0);
      expect(await restore('--from b-node --data-dir from-node')).to.include({ code: 0 });
      expect(await verified('from-node')).to.include({ events: made.events, broken: 0 });
      expect(made.events).to.equal(first.events + made.added);
      expect((await serving.end('SIGTERM')).code).to.equal(0);
    } finally {
      await server.kill();
    }
  });
});
