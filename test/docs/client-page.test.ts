// docs/client.md, and the receiver of the guide to webhooks: each snippet compiles against the
// published package, runs on a real service, and prints what its comments say.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { openReceivers, type Receivers } from '../../src/receivers/receivers.ts';
import { calmWorld } from '../support/calm-world.ts';
import { bodyOf } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { ROOT } from '../support/root.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/receiver.ts';
import { readPage } from './pages.ts';

const FENCE = /^```(?:ts|js)\n\/\/ ([\w-]+\.(?:ts|mjs))\n([\s\S]*?)^```$/gm;
const snippetsOf = (path: string): ReadonlyMap<string, string> =>
  new Map([...readPage(path).text.matchAll(FENCE)].map(([, name = '', text = '']) => [name, text] as const));

/** The output that a line with console.log announces, up to a comma or `…`. */
const printsOf = (text: string): readonly string[] =>
  [...text.matchAll(/console\.log\(.*\); \/\/ ([^,…\n]+)/g)].map(([, printed = '']) => printed.trim());

const CLIENT = snippetsOf('docs/client.md');
const WEBHOOKS = snippetsOf('docs/guides/webhooks.md');

const Order = z.looseObject({ orderId: z.string() });

describe('the snippets about the client', () => {
  let http: HttpService;
  let receivers: Receivers;
  let folder: string;
  before(async () => {
    receivers = openReceivers({ world: calmWorld, isAllowed: () => true });
    http = await serveHttp({ sandboxInMemory: true, post: receivers.post });
    folder = mkdtempSync(join(tmpdir(), 'counterfoil-client-page-'));
    mkdirSync(join(folder, 'node_modules/@counterfoil'), { recursive: true });
    // As installed: the package by its name, with its `exports`.
    symlinkSync(join(ROOT, 'client'), join(folder, 'node_modules/@counterfoil/client'));
    symlinkSync(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
    for (const [name, text] of [...CLIENT, ...WEBHOOKS]) writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const compilerOptions = {
      target: 'es2023',
      module: 'nodenext',
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      rewriteRelativeImportExtensions: true,
      outDir: 'built',
      rootDir: '.',
      allowJs: true,
      checkJs: true,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', '*.mjs'] }));
  });
  after(async () => {
    await http.stop();
    receivers.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> =>
    new Promise((resolve, reject) => {
      const { NODE_OPTIONS: _ours, ...plain } = process.env;
      execFile(process.execPath, [...args], { cwd: folder, env: { ...plain, ...env } }, (fault, out, err) =>
        fault === null ? resolve(out) : reject(new Error(`${out}${err}`)),
      );
    });

  it('are there', () => expect([CLIENT.size, WEBHOOKS.size]).to.deep.equal([10, 1]));

  it('compile against the types of the published package, in a strict project', async () => {
    expect(await run([join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json'])).to.equal('');
  });

  for (const [name, text] of [...CLIENT].filter(([name]) => name !== 'setup.ts')) {
    it(`run and print what they say: ${name}`, async () => {
      const env = { COUNTERFOIL_API_KEY: http.shop.key, COUNTERFOIL_URL: `http://127.0.0.1:${http.port}` };
      const printed = await run([join('built', name.replace(/\.ts$/, '.js'))], env);
      let from = 0;
      for (const expected of printsOf(text)) {
        const at = printed.indexOf(expected, from);
        expect(at, `${expected} in ${printed}`).to.be.at.least(0);
        from = at + expected.length;
      }
    });
  }

  it('take what a service sends, and find what was sent while nobody was there: receiver.mjs', async () => {
    const free = await openReceiver();
    const { port } = new URL(free.url);
    await free.close();
    const lost = await http.shop.captured();
    const added = await http.service.webhooks.addWebhookEndpoint({
      accountId: http.shop.accountId,
      url: `http://127.0.0.1:${port}/webhooks`,
    });
    if (added.kind === 'rejected') throw new Error(added.description);
    const { NODE_OPTIONS: _ours, ...plain } = process.env;
    const env = {
      ...plain,
      COUNTERFOIL_API_KEY: http.shop.key,
      COUNTERFOIL_URL: `http://127.0.0.1:${http.port}`,
      COUNTERFOIL_WEBHOOK_SECRET: added.secret,
      PORT: port,
    };
    const receiver = spawn(process.execPath, [join('built', 'receiver.mjs')], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    receiver.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    try {
      const orderOf = async (id: string): Promise<string> =>
        bodyOf(await http.shop.ask('GET', `/payments/${id}`), Order).orderId;
      await until(async () => printed.includes(`${await orderOf(lost.id)}: PAYMENT.STATUS SETTLED, 0 refunded\n`));
      const { id } = await http.shop.captured();
      await http.shop.ask('POST', `/payments/${id}/refund`, { amount: 100 });
      await until(async () => printed.includes(`${await orderOf(id)}: PAYMENT.REFUND SETTLED, 100 refunded\n`));
    } finally {
      receiver.kill();
      await once(receiver, 'exit');
    }
  });
});
