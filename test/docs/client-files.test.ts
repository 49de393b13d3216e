// The clients as files of a running service: npm and pip install them from its address, without any other server.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { z } from 'zod';
import { readWebFiles } from '../../src/cli/read-web-files.ts';
import { pythonLacks } from '../client/drivers.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { ROOT } from '../support/root.ts';
import { readPage } from './pages.ts';

const run = promisify(execFile);
const { NODE_OPTIONS: _ours, ...env } = process.env;
/** A registry and an index that nobody can ask. */
const OFFLINE = { ...env, npm_config_registry: 'http://127.0.0.1:1', PIP_NO_INDEX: '1', PIP_NO_CACHE_DIR: '1' };
const Hashes = z.record(z.string(), z.string());

describe('the clients as files below /docs', () => {
  let http: HttpService;
  let folder: string;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
    folder = mkdtempSync(join(tmpdir(), 'counterfoil-client-files-'));
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await http.stop();
  });

  /** The address in a command of a page, at the service of this test. */
  const addressOn = (page: string, end: string): string => {
    const urls = readPage(page).text.match(/http:\/\/127\.0\.0\.1:4000\/docs\/[\w.-]+/g) ?? [];
    const [url = expect.fail(`${page} names no file`)] = urls.filter((one) => one.endsWith(end));
    return url.replace(':4000', `:${http.port}`);
  };
  /** An empty folder. */
  const empty = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(path);
    return path;
  };

  it('are named by each page that installs one, in the version that is built', async () => {
    const built = await readWebFiles('docs');
    const pages = ['docs/client.md', 'client/README.md', 'docs/python-client.md', 'client-python/README.md'];
    for (const page of [...pages, 'docs/guides/index.md']) {
      const named = [...readPage(page).text.matchAll(/\/docs\/([\w.-]+\.(?:tgz|whl))/g)].map(([, name = '']) => name);
      expect(named, page).not.to.be.empty;
      for (const name of named) expect(built.has(name), `${page}: ${name}`).to.equal(true);
    }
  });

  it('are installed by npm, and imported', async () => {
    const cwd = empty('npm');
    writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
    const flags = ['--no-audit', '--no-fund', '--no-update-notifier', '--cache', join(folder, 'npm-cache')];
    await run('npm', ['install', ...flags, addressOn('docs/client.md', '.tgz')], { cwd, env: OFFLINE });
    const script = `import { Counterfoil } from '@counterfoil/client';
      const { clientSessions } = new Counterfoil({ apiKey: '${http.shop.key}', baseUrl: 'http://127.0.0.1:${http.port}' });
      console.log((await clientSessions.create({ orderId: 'order-1' })).orderId);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd, env });
    expect(stdout.trim()).to.equal('order-1');
  });

  describe('of Python', () => {
    before(function () {
      const lacks = pythonLacks();
      if (lacks === undefined) return;
      console.log(`      The file of the Python client is not tested: ${lacks}.`);
      this.skip();
    });
    const imported = async (path: string): Promise<unknown> => {
      const script = `import importlib.metadata, json
from counterfoil import Counterfoil
session = Counterfoil("${http.shop.key}", "http://127.0.0.1:${http.port}").client_sessions.create({"orderId": "order-1"})
print(json.dumps([importlib.metadata.version("counterfoil"), session["orderId"]]))`;
      const { stdout } = await run('python3', ['-c', script], { env: { ...env, PYTHONPATH: path } });
      return JSON.parse(stdout);
    };

    it('are installed by pip, and imported', async function () {
      const hasPip = await run('python3', ['-m', 'pip', '--version']).then(
        () => true,
        () => false,
      );
      if (!hasPip) {
        console.log('      The file of the Python client is not installed: there is no pip.');
        this.skip();
      }
      const target = empty('pip');
      const flags = ['--quiet', '--disable-pip-version-check', '--root-user-action=ignore', '--target', target];
      const args = ['-m', 'pip', 'install', ...flags, addressOn('docs/python-client.md', '.whl')];
      expect((await run('python3', args, { env: OFFLINE })).stderr).to.equal('');
      expect(await imported(target)).to.deep.equal(['0.1.0', 'order-1']);
      expect(readFileSync(join(target, 'counterfoil/py.typed'), 'utf8')).to.equal('');
    });

    it('are an archive that needs no pip', async () => {
      const [archive, target] = [join(folder, 'counterfoil.whl'), empty('unpacked')];
      const answer = await fetch(addressOn('docs/python-client.md', '.whl'));
      writeFileSync(archive, Buffer.from(await answer.arrayBuffer()));
      await run('python3', ['-m', 'zipfile', '-e', archive, target]);
      expect(await imported(target)).to.deep.equal(['0.1.0', 'order-1']);
    });
  });

  it('are the same bytes each time that they are built', async () => {
    const script = `import { createHash } from 'node:crypto';
      import { clientFiles } from '${pathToFileURL(join(ROOT, 'web/docs/client-files.mjs')).href}';
      const hash = (content) => createHash('sha256').update(content).digest('base64url').slice(0, 22);
      const hashes = clientFiles(${JSON.stringify(ROOT)}).map(({ name, content }) => [name, '"' + hash(content) + '"']);
      console.log(JSON.stringify(Object.fromEntries(hashes)));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { env });
    const built = await readWebFiles('docs');
    const hashes = Object.entries(Hashes.parse(JSON.parse(stdout)));
    expect(hashes).to.have.length(2);
    for (const [name, hash] of hashes) expect(built.get(name)?.etag, name).to.equal(hash);
  });
});
