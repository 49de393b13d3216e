// An operator signs and exports, an outsider verifies with one file and nothing else, and somebody tampers in between.
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { z } from 'zod';
import { alterLog } from '../support/altered-log.ts';
import { ROOT } from '../support/root.ts';
import { Place } from './processes.ts';

const Paid = z.looseObject({ paymentId: z.string() });
const Verified = z.looseObject({
  events: z.number(),
  broken: z.number(),
  breaks: z.array(z.looseObject({ stream: z.string(), revision: z.number() })),
  checkpoints: z.array(z.looseObject({ holds: z.boolean() })),
});

describe('counterfoil audit verify, checkpoint, key and export', () => {
  const place = new Place();
  const other = new Place();
  /** A directory without Counterfoil: only the file, its key and the program. */
  let outside: string;
  let payment: string;
  let key: string;
  before(async () => {
    outside = await mkdtemp(join(tmpdir(), 'counterfoil-outside-'));
    await copyFile(join(ROOT, 'dist/counterfoil-verify.mjs'), join(outside, 'verify.mjs'));
    for (const one of [other, place]) {
      const serving = await one.serve();
      ({ paymentId: payment } = Paid.parse(await one.json(`demo --url ${serving.url}`)));
      await one.json(`demo --url ${serving.url}`);
      await serving.end('SIGTERM');
    }
    key = (await place.run('audit key')).stdout.trim();
  });
  after(async () => {
    await rm(outside, { recursive: true });
    for (const one of [other, place]) await one.remove();
  });
  const file = (name: string): string => join(place.dir, name);
  const json = async (name: string): Promise<Record<string, unknown>> =>
    z.record(z.string(), z.unknown()).parse(JSON.parse(await readFile(file(name), 'utf8')));
  const verify = async (...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> => {
    try {
      const ran = await promisify(execFile)(process.execPath, ['verify.mjs', ...args], { cwd: outside, env: {} });
      return { code: 0, ...ran };
    } catch (fault) {
      return z.object({ code: z.number(), stdout: z.string(), stderr: z.string() }).parse(fault);
    }
  };

  it('signs the log, shows that a later log extends it, and proves a payment to an outsider', async () => {
    expect(await place.run('audit checkpoint --out first.json')).to.include({ code: 0, stderr: '' });
    const serving = await place.serve();
    await place.json(`demo --url ${serving.url}`);
    // beside the running service
    expect(await place.run('audit checkpoint --since first.json --out second.json')).to.include({ code: 0 });
    await serving.end('SIGTERM');
    const ran = await place.run(`audit export ${payment} --since first.json --out proof.json`);
    expect(ran).to.include({ code: 0, stderr: '' });
    expect(ran.stdout).to.contain(`counterfoil-verify proof.json --key ${key} --payment ${payment}`);
    const checked = await verify(file('proof.json'), '--key', key, '--checkpoint', file('first.json'));
    expect(checked).to.include({ code: 0, stderr: '' });
    expect(checked.stdout).to.contain(`payment-${payment}`).and.to.contain('PaymentCaptured');
    expect(checked.stdout).to.match(/begins with the \d+ events of the kept one, unchanged/);
    expect(checked.stdout).to.contain('Everything that is said here holds.');
    expect(await verify(file('second.json'), '--key', key, '--checkpoint', file('first.json'))).to.include({ code: 0 });
    const whole = await place.run('audit verify --checkpoint first.json --checkpoint second.json');
    expect(whole).to.include({ code: 0, stderr: '' });
    expect(await place.run(`audit verify ${payment}`)).to.include({ code: 0 });
  });

  it('proves nothing with a member of the proof changed, whichever it is', async () => {
    const proof = await json('proof.json');
    const paths: (readonly (string | number)[])[] = [];
    const collect = (value: unknown, path: readonly (string | number)[]): void => {
      if (Array.isArray(value)) for (const [n, one] of value.entries()) collect(one, [...path, n]);
      else if (typeof value === 'object' && value !== null)
        for (const [name, one] of Object.entries(value)) collect(one, [...path, name]);
      else paths.push(path);
    };
    collect(proof, []);
    expect(paths.length).to.be.above(60);
    const { reportOn } = await import('../../src/verify/verify.ts');
    for (const path of paths) {
      const changed: unknown = structuredClone(proof);
      change(changed, path);
      const isProven = await reportOn({ file: changed, keys: [key], kept: await json('first.json') }).then(
        ({ findings }) => findings.every(({ isGood }) => isGood),
        () => false,
      );
      // The key in the file is not trusted: it is only named where none fits.
      expect(isProven, path.join('.')).to.equal(path.join('.') === 'checkpoint.publicKey');
    }
  });

  it('says in a sentence what is wrong with a file, a key or a store that does not fit', async () => {
    const otherKey = (await other.run('audit key')).stdout.trim();
    await other.run('audit checkpoint --out other.json');
    const proof = await json('proof.json');
    await writeFile(join(outside, 'trick.json'), JSON.stringify({ ...proof, paymentId: '\u001b[2Jpay_1\u009b' }));
    const [first] = z
      .array(z.looseObject({ events: z.array(z.looseObject({ data: z.string() })) }))
      .parse(proof['streams']);
    const events = first?.events.map((event) => ({ ...event, data: `${event.data}\ud800` }));
    await writeFile(join(outside, 'half-pair.json'), JSON.stringify({ ...proof, streams: [{ ...first, events }] }));
    await writeFile(join(outside, 'no.json'), '{"format":');
    await writeFile(join(outside, 'list.json'), '[]');
    await writeFile(join(outside, 'half.json'), JSON.stringify({ ...proof, streams: [{}] }));
    const cases: readonly (readonly [args: readonly string[], code: number, said: string])[] = [
      [[file('proof.json')], 2, 'Usage:'],
      [[file('proof.json'), '--key', 'abc'], 1, '"abc" is not a public key: allowed is base64url of 32 bytes.'],
      [[file('proof.json'), '--key', otherKey], 1, `is not signed by a key that you gave. It names the key ${key}.`],
      [['no.json', '--key', key], 1, 'no.json is not JSON.'],
      [['list.json', '--key', key], 1, 'The file is not a JSON object.'],
      [['half.json', '--key', key], 1, 'Stream 1 has no right "stream".'],
      [['gone.json', '--key', key], 2, 'no such file'],
      [[file('first.json'), '--key', key, '--payment', payment], 1, 'The file does not prove the payment'],
      [
        [file('proof.json'), '--key', key, '--payment', 'pay_other'],
        1,
        'The file does not prove the payment pay_other.',
      ],
      [['half-pair.json', '--key', key], 1, 'Stream 1, event 0 has no right "data".'],
      [[file('proof.json'), '--key', `-${key.slice(1)}`], 1, 'is not signed by a key that you gave'],
      [['trick.json', '--key', key], 1, 'NO  The first stream is not that of the payment ?[2Jpay_1?.'],
      [
        [file('proof.json'), '--key', key, '--key', otherKey, '--checkpoint', join(other.dir, 'other.json')],
        1,
        'The kept checkpoint is of another store',
      ],
      [
        [file('first.json'), '--key', key, '--checkpoint', file('second.json')],
        1,
        'Nothing here shows that the checkpoint extends the kept one.',
      ],
    ];
    for (const [args, code, said] of cases) {
      const ran = await verify(...args);
      expect([ran.code, ran.stdout + ran.stderr], args.join(' ')).to.satisfy(
        ([found, text]: [number, string]) => found === code && text.includes(said),
      );
    }
    const otherFile = join(other.dir, 'other.json');
    const commands: readonly (readonly [command: string, code: number, said: string])[] = [
      [`audit verify --checkpoint ${otherFile}`, 1, 'It is not signed by the key of this store'],
      [`audit verify --checkpoint ${otherFile} --key ${otherKey}`, 1, 'It is of another store'],
      ['audit verify --checkpoint proof.json', 2, 'proof.json has the format "counterfoil-proof-1"'],
      ['audit verify --checkpoint gone.json', 2, 'gone.json cannot be read'],
      ['audit verify --key abc', 2, '"abc" is not a public key'],
      ['audit verify --key -Vabc', 2, '"-Vabc" is not a public key'],
      [`audit verify ${payment} --checkpoint first.json`, 2, 'A checkpoint signs the whole log'],
      ['audit checkpoint --out first.json', 2, 'first.json exists, and is not replaced.'],
      ['audit checkpoint --out none/x.json', 2, 'none/x.json cannot be written'],
      [`audit checkpoint --since ${otherFile} --out x.json`, 1, 'It is not signed by the key of this store'],
      ['audit export cs_01 --out x.json', 2, 'is not the id of a payment'],
      [`audit export pay_${'0'.repeat(32)} --out x.json`, 1, `There is no payment pay_${'0'.repeat(32)}.`],
    ];
    for (const [command, code, said] of commands) {
      const ran = await place.run(command);
      expect({ code: ran.code, said: ran.stderr }, command).to.satisfy(
        (found: { code: number; said: string }) => found.code === code && found.said.includes(said),
      );
    }
  });

  it('verifies without the secret if the key is given, and signs nothing', async () => {
    const env = { COUNTERFOIL_SECRET: Buffer.alloc(32, 5).toString('base64url') };
    const without = await place.run('audit verify --checkpoint first.json', { env });
    expect(without.code).to.equal(1);
    expect(without.stderr).to.contain(
      'Its signature cannot be checked: the secret of the store is not here. Give --key.',
    );
    expect(await place.run(`audit verify --checkpoint first.json --key ${key}`, { env })).to.include({ code: 0 });
    const refused = await place.run('audit checkpoint --out x.json', { env });
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.contain('The signing key derives from it.');
  });

  it('finds what was changed in the file of the log, and signs a broken log no more', async () => {
    const log = join(place.dir, 'data/events.db');
    const stream = `payment-${payment}`;
    await alterLog(log, stream, { kind: 'dataAltered', n: 6 });
    expect(await place.run('audit verify')).to.include({ code: 0, stderr: '' });
    const last = await place.run('audit verify --checkpoint first.json');
    expect(last.code).to.equal(1);
    expect(last.stderr).to.match(/^first\.json: The first \d+ events are not those that were signed/);
    expect(await place.run('audit checkpoint --since first.json --out x.json')).to.include({ code: 1 });
    await alterLog(log, stream, { kind: 'metadataAltered', n: 3 });
    const ran = await place.run('audit verify --json');
    expect(ran.code).to.equal(1);
    const { broken, breaks } = Verified.parse(JSON.parse(ran.stdout));
    expect([broken, breaks.map(({ revision }) => revision)]).to.deep.equal([1, [4]]);
    expect(ran.stderr).to.contain(`${stream} is broken at revision 4`);
    const refused = await place.run(`audit checkpoint --out x.json`);
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.contain('Nothing is signed while the log is broken');
    await alterLog(log, stream, { kind: 'endDeleted', n: 0 });
    const gone = await place.run('audit verify --checkpoint second.json');
    expect(gone.code).to.equal(1);
    expect(gone.stderr).to.match(/^second\.json: It signs \d+ events, and the log has \d+: events were removed\.\n$/);
  });
});

type Tree = { [member: string]: Tree | string | number };

/** Changes what stands at a path. */
function change(tree: unknown, [name = '', ...rest]: readonly (string | number)[]): void {
  const members = tree as Tree;
  const before = members[name];
  if (typeof before === 'object') change(before, rest);
  else members[name] = typeof before === 'number' ? before + 1 : changedText(before ?? '');
}

/** The text with one character changed, of the same kind. */
function changedText(text: string): string {
  const place = Math.max(0, text.search(/[0-9a-z]/));
  const one = text[place] ?? '';
  return `${text.slice(0, place)}${one === '1' ? '2' : '1'}${text.slice(place + 1)}`;
}
