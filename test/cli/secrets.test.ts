// counterfoil secrets rotate: what the old master secret signed, hashed and wrapped is verified after the rotation.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { publicKeysOf } from '../../src/journal/signing-keys.ts';
import { SECRET_LABELS, Secrets } from '../../src/secrets.ts';
import { calmWorld } from '../support/calm-world.ts';
import { createSession, firstKeyIn, Place, type Serving } from './processes.ts';

const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

describe('what derives from the master secret', () => {
  const old = new Secrets([OLD]);
  const rotated = new Secrets([NEW, OLD]);

  for (const label of SECRET_LABELS)
    it(`is verified after a rotation, and signed by the new secret: ${label}`, () => {
      const before = old.sign(label, 'text');
      expect(rotated.verifies(label, 'text', before)).to.equal(true);
      expect(rotated.signatures(label, 'text')).to.include(before.toString('hex'));
      expect(rotated.keys(label)).to.deep.include(old.keys(label)[0]);
      const after = rotated.sign(label, 'text');
      expect(old.verifies(label, 'text', after)).to.equal(false);
      expect(new Secrets([NEW]).verifies(label, 'text', after)).to.equal(true);
    });

  it('opens a store key that the old secret wrapped, and wraps by the new one', () => {
    const key = Buffer.alloc(32, 3);
    expect(rotated.unwrap(old.wrap(key, calmWorld))).to.deep.equal({ storeKey: key, byFirst: false });
    expect(rotated.unwrap(rotated.wrap(key, calmWorld))).to.deep.equal({ storeKey: key, byFirst: true });
    expect(publicKeysOf(rotated)[1]).to.equal(publicKeysOf(old)[0]);
  });
});

describe('counterfoil secrets rotate', () => {
  const place = new Place();
  const file = join(place.dir, 'data/secret.key');
  let serving: Serving;
  let key: string;
  let clientToken: string;
  let notifications: string;
  let link: string;
  after(() => place.remove());

  const post = (url: string, path: string, headers: Record<string, string>, body: object): Promise<Response> =>
    fetch(new URL(path, url), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const streams = async (): Promise<number> =>
    z.looseObject({ events: z.int() }).parse(await place.json('audit verify store-0')).events;

  it('puts a new secret in front of the old one, for its owner alone, and wraps the key of the store by it', async () => {
    serving = await place.serve();
    key = firstKeyIn(serving.stdout());
    [, link = ''] = /dashboard\/#\/welcome\/(\S+)/.exec(serving.stdout()) ?? [];
    const session = await post(
      serving.url,
      '/client-session',
      { 'X-Api-Key': key },
      {
        orderId: 'o',
        currencyCode: 'EUR',
        amount: 100,
      },
    );
    ({ clientToken } = z.looseObject({ clientToken: z.string() }).parse(await session.json()));
    const { data } = z
      .looseObject({ data: z.array(z.looseObject({ id: z.string() })) })
      .parse(await place.json('keys list'));
    ({ url: notifications } = z
      .looseObject({ url: z.string() })
      .parse(await place.json(`webhooks incoming add --processor sandbox --key ${data[0]?.id}`)));
    expect(await place.run('audit checkpoint --out before.json')).to.include({ code: 0 });
    const before = (await readFile(file, 'utf8')).trim();
    const ran = await place.run('secrets rotate');
    expect(ran).to.include({ code: 0, stderr: '' });
    expect(ran.stdout).to.contain('Restart every process of the service now').and.not.to.contain(before);
    expect((await serving.end('SIGTERM')).code).to.equal(0);
    const [first, second, ...more] = (await readFile(file, 'utf8')).trim().split(',');
    expect([second, more.length]).to.deep.equal([before, 0]);
    expect(first).not.to.equal(before);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(await streams()).to.equal(3); // created, with its key store, and wrapped again
  });

  it('leaves keys, client tokens, paths, links and checkpoints of the old secret good', async () => {
    serving = await place.serve();
    expect(await createSession(serving.url, key)).to.equal(200);
    const instrument = await post(
      serving.url,
      '/checkout/payment-instruments',
      { 'X-Client-Token': clientToken },
      {
        card: { number: '4242424242424242', expirationMonth: '12', expirationYear: '2030', cvc: '123' },
      },
    );
    expect(instrument.status).to.equal(200);
    const path = new URL(notifications).pathname;
    const refusal = async (to: string): Promise<string> => (await post(serving.url, to, {}, {})).text();
    // the path is known, and only the signature of the processor is missing
    expect(await refusal(path)).to.contain("The processor's signature is missing");
    expect(await refusal(`${path.slice(0, -4)}0000`)).to.contain('The credentials are missing');
    expect(
      (await post(serving.url, '/dashboard/api/welcome/look', { 'X-Csrf': '1' }, { welcomeToken: link })).status,
    ).to.equal(200);
    expect(await place.run('audit verify --checkpoint before.json')).to.include({ code: 0 });
    expect(await streams()).to.equal(3);
    expect((await serving.end('SIGTERM')).code).to.equal(0);
  });

  it('is finished by the next start if it was killed before the key was wrapped', async () => {
    const [first = '', ...older] = (await readFile(file, 'utf8')).trim().split(',');
    const next = Buffer.alloc(32, 9).toString('base64url');
    await writeFile(file, [next, first, ...older].join(','));
    serving = await place.serve();
    expect(await createSession(serving.url, key)).to.equal(200);
    expect((await serving.end('SIGTERM')).code).to.equal(0);
    expect(await streams()).to.equal(4);
  });

  it('ends with the old secret alone: without the new one the store stays closed', async () => {
    const all = await readFile(file, 'utf8');
    await writeFile(file, all.trim().split(',').at(-1) ?? '');
    expect(await place.run('keys list')).to.include({ code: 2 });
    const ran = await place.run('secrets rotate');
    expect(ran).to.include({ code: 2 });
    expect(ran.stderr).to.contain('opens this store');
    expect(await readFile(file, 'utf8')).to.equal(all.trim().split(',').at(-1));
    await writeFile(file, all);
  });

  it('prints the new list where the environment has the secret, and changes nothing', async () => {
    const secret = Buffer.alloc(32, 5).toString('base64url');
    const before = await readFile(file, 'utf8');
    const ran = await place.run('secrets rotate --json', { env: { COUNTERFOIL_SECRET: secret } });
    const { secret: list } = z.looseObject({ secret: z.string() }).parse(JSON.parse(ran.stdout));
    expect(list).to.match(new RegExp(`^[A-Za-z0-9_-]{43},${secret}$`));
    expect(await readFile(file, 'utf8')).to.equal(before);
  });

  it('loses no secret to several rotations at once', async () => {
    const before = (await readFile(file, 'utf8')).trim().split(',');
    const ran = await Promise.all([1, 2, 3].map(() => place.begin('secrets rotate').ended()));
    const done = ran.filter(({ code }) => code === 0).length;
    expect(done).to.be.least(1);
    const after = (await readFile(file, 'utf8')).trim().split(',');
    expect(after.slice(done)).to.deep.equal(before);
    expect(await place.run('keys list')).to.include({ code: 0 });
  });
});
