// docs/client.md and the README's pay.mjs: each snippet compiles against the published package, runs on a real service, and prints what its comments say.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { ROOT } from '../support/root.ts';
import { readPage } from './pages.ts';

const FENCE = /^```(?:ts|js)\n\/\/ ([\w-]+\.(?:ts|mjs))\n([\s\S]*?)^```$/gm;
const snippetsOf = (path: string): ReadonlyMap<string, string> =>
  new Map([...readPage(path).text.matchAll(FENCE)].map(([, name = '', text = '']) => [name, text] as const));

/** What a line with console.log says that it prints, up to a comma or `…`. */
const printsOf = (text: string): readonly string[] =>
  [...text.matchAll(/console\.log\(.*\); \/\/ ([^,…\n]+)/g)].map(([, printed = '']) => printed.trim());

const CLIENT = snippetsOf('docs/client.md');
const README = snippetsOf('README.md');

describe('the snippets about the client', () => {
  let http: HttpService;
  let folder: string;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
    folder = mkdtempSync(join(tmpdir(), 'counterfoil-client-page-'));
    mkdirSync(join(folder, 'node_modules'));
    // As installed: the package by its name, with its `exports`.
    symlinkSync(ROOT, join(folder, 'node_modules/counterfoil'));
    symlinkSync(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
    for (const [name, text] of [...CLIENT, ...README]) writeFileSync(join(folder, name), text);
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
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> =>
    new Promise((resolve, reject) => {
      const { NODE_OPTIONS: _ours, ...plain } = process.env;
      execFile(process.execPath, [...args], { cwd: folder, env: { ...plain, ...env } }, (fault, out, err) =>
        fault === null ? resolve(out) : reject(new Error(`${out}${err}`)),
      );
    });

  it('are there', () => expect([CLIENT.size, README.size]).to.deep.equal([9, 1]));

  it('compile against the types of the published package, in a strict project', async () => {
    expect(await run([join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json'])).to.equal('');
  });

  for (const [name, text] of [...CLIENT, ...README].filter(([name]) => name !== 'setup.ts')) {
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
});
