// The client as a shop installs it: small, without dependencies, and able to run in Node and in a worker.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { expect } from 'chai';
import { build } from 'esbuild';
import { z } from 'zod';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { leaveOut } from '../support/left-out.ts';
import { ROOT } from '../support/root.ts';
import { compiled, compilerLacks, misprinted } from './shop-project.ts';

const run = promisify(execFile);
const MOST_BYTES = 100_000;
const Packed = z.tuple([
  z.object({ filename: z.string(), size: z.number(), files: z.array(z.object({ path: z.string() })) }),
]);

describe('the package of the client', () => {
  let folder: string;
  let packed: z.output<typeof Packed>[0];
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'counterfoil-client-package-'));
    const { NODE_OPTIONS: _ours, ...env } = process.env;
    const pack = ['pack', '--json', '--offline', '--pack-destination', folder];
    const { stdout } = await run('npm', pack, { cwd: join(ROOT, 'client'), env });
    [packed] = Packed.parse(JSON.parse(stdout));
    mkdirSync(join(folder, 'shop'));
    writeFileSync(join(folder, 'shop/package.json'), '{"type":"module"}');
    const install = ['install', '--offline', '--no-audit', '--no-fund', join(folder, packed.filename)];
    await run('npm', install, { cwd: join(folder, 'shop'), env });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('has at most 100 kB, its README, its changelog and its licence', () => {
    expect(packed.size).to.be.within(10_000, MOST_BYTES);
    const paths = packed.files.map(({ path }) => path);
    expect(paths).to.include.members(['README.md', 'CHANGELOG.md', 'LICENSE', 'dist/entry.js', 'dist/entry.d.ts']);
    const commonjs = ['package.json', 'entry.js', 'entry.d.ts'].map((name) => `dist/commonjs/${name}`);
    expect(paths).to.include.members(commonjs);
    expect(paths.filter((path) => path.startsWith('src') || path.includes('tsbuildinfo'))).to.deep.equal([]);
  });

  it('installs nothing besides itself', async () => {
    const path = join(folder, 'shop/node_modules/@counterfoil/client/package.json');
    expect(
      Object.keys(JSON.parse(readFileSync(path, 'utf8'))).filter((name) => /dependencies/i.test(name)),
    ).to.deep.equal([]);
    const { stdout } = await run('npm', ['ls', '--all', '--parseable'], { cwd: join(folder, 'shop') });
    expect(stdout.trim().split('\n')).to.have.length(2);
  });

  it('compiles in a CommonJS project, with the oldest TypeScript that it supports', async () => {
    const lacks = compilerLacks('5.4');
    if (lacks !== undefined) leaveOut(lacks);
    const project = { type: 'commonjs', options: { module: 'commonjs' } } as const;
    expect(await compiled(join(folder, 'shop'), '5.4', project)).to.equal('');
    expect(await misprinted(join(folder, 'shop'))).to.equal(undefined);
  });

  describe('in a worker, which has the interfaces of the web alone', () => {
    let http: HttpService;
    before(async () => {
      http = await serveHttp({ sandboxInMemory: true });
    });
    after(() => http.stop());

    /** The interfaces that browsers' workers, Cloudflare's and Deno have in common. */
    const WEB = {
      ...{ fetch, Headers, Request, Response, URL, URLSearchParams, AbortController, AbortSignal, TextEncoder },
      ...{ TextDecoder, crypto, performance, setTimeout, clearTimeout, atob, btoa, console },
    };

    /** Bundles a script that imports the package, and returns the result of its `run`. */
    async function inWorker(script: string, given: object): Promise<unknown> {
      const shop = join(folder, 'shop');
      const { outputFiles } = await build({
        stdin: { contents: script, resolveDir: shop },
        bundle: true,
        platform: 'browser',
        format: 'iife',
        globalName: 'bundle',
        write: false,
      });
      const context = createContext({ ...WEB, ...given });
      runInContext(outputFiles[0]?.text ?? '', context);
      return runInContext('bundle.run()', context);
    }

    it('creates a session and reads why no payment exists', async () => {
      const script = `
        import { Counterfoil, CounterfoilError } from '@counterfoil/client';
        export const run = async () => {
          const counterfoil = new Counterfoil({ apiKey, baseUrl });
          const session = await counterfoil.clientSessions.create({ orderId: 'from-a-worker' });
          const fault = await counterfoil.payments.get('pay_none').catch((thrown) => thrown);
          return [session.orderId, CounterfoilError.is(fault, 'NotFound')];
        };`;
      const given = { apiKey: http.shop.key, baseUrl: `http://127.0.0.1:${http.port}` };
      expect(await inWorker(script, given)).to.deep.equal(['from-a-worker', true]);
    });

    it('verifies a webhook, and refuses a changed one', async () => {
      const { Webhook } = await import('standardwebhooks');
      const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
      const message = { eventId: 'evt_1', eventType: 'X', sequence: 1, payment: { id: 'pay_1', status: 'SETTLED' } };
      const text = JSON.stringify(message);
      const sent = new Date();
      const headers = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(Math.floor(sent.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign('evt_1', sent, text),
      };
      const script = `
        import { verifyWebhook } from '@counterfoil/client';
        export const run = async () => {
          const { payment } = await verifyWebhook(text, headers, secret);
          const fault = await verifyWebhook(text + ' ', headers, secret).catch((thrown) => thrown);
          return [payment.id, fault.reason];
        };`;
      expect(await inWorker(script, { text, headers, secret })).to.deep.equal(['pay_1', 'bad_signature']);
    });
  });
});
