// docs/python-client.md: its snippets run on a real service in the order of the page, and print what their comments
// say.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { pythonLacks } from '../client/drivers.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { ROOT } from '../support/root.ts';
import { readPage } from './pages.ts';

const run = promisify(execFile);
const PAGE = readPage('docs/python-client.md').text;
const SNIPPETS = [...PAGE.matchAll(/^```python\n# (\w+\.py)\n([\s\S]*?)^```$/gm)].map(
  ([, name = '', text = '']) => ({ name, text }) as const,
);
/** The lines that the comments after calls of print announce. */
const printsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^ *print\(.*\) {2}# (.+)$/gm)].map(([, printed = '']) => printed);

describe('the snippets about the Python client', () => {
  const lacks = pythonLacks();
  let http: HttpService;
  let folder: string;
  before(async function () {
    if (lacks !== undefined) {
      console.log(`      The snippets of docs/python-client.md are not run: ${lacks}.`);
      this.skip();
    }
    http = await serveHttp({ sandboxInMemory: true });
    folder = mkdtempSync(join(tmpdir(), 'counterfoil-python-page-'));
    for (const { name, text } of SNIPPETS) writeFileSync(join(folder, name), text);
  });
  after(async () => {
    if (lacks !== undefined) return;
    await http.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are all blocks of the page, and most of them print something', () => {
    expect(SNIPPETS).to.have.length(PAGE.split('\n```python\n').length - 1);
    expect(SNIPPETS.filter(({ text }) => printsOf(text).length > 0).map(({ name }) => name)).to.deep.equal([
      'a_payment.py',
      'errors.py',
      'again.py',
      'test_receiver.py',
    ]);
  });

  for (const { name, text } of SNIPPETS)
    it(`run and print what they say: ${name}`, async () => {
      const { stdout } = await run('python3', [name], {
        cwd: folder,
        env: {
          ...process.env,
          PYTHONPATH: join(ROOT, 'client-python'),
          PYTHONDONTWRITEBYTECODE: '1',
          COUNTERFOIL_API_KEY: http.shop.key,
          COUNTERFOIL_URL: `http://127.0.0.1:${http.port}`,
        },
      });
      expect(stdout.split('\n')).to.include.members([...printsOf(text)]);
    });
});
