// The parts of `npm run affected`, of `npm run check` and of the order of `npm test`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/root.ts';
import { scriptBeside } from '../support/script.ts';
import { affectedTests, within } from './affected-tests.ts';
import { visibleToRules } from './changed-imports.ts';
import { type Importers, importersOfAll, withStarted } from './imports.ts';

describe('the tests that a change affects', () => {
  let importers: Importers;
  before(async () => {
    process.chdir(ROOT);
    importers = withStarted(await importersOfAll());
  });
  const affected = (path: string): readonly string[] => affectedTests([path], importers);

  it('begin with those that import the file itself', () => {
    expect(affected('src/domain/payment/change.ts')[0]).to.match(/^test\/domain\/payment\//);
  });

  it('include those that start it as a thread', () => {
    expect(affected('src/stores/sqlite/append-handler.ts')).to.include('test/stores/sqlite-event-store.test.ts');
  });

  it('include those that start it as a process', () => {
    expect(affected('test/crash/steps/stopping-child.ts')).to.include('test/crash/steps/on-sqlite.test.ts');
  });

  it('include those of the command line', () => {
    expect(affected('src/cli/admin/keys.ts')).to.include('test/cli/keys.test.ts');
  });

  it('are none where a type alone is imported', () => {
    expect(affected('src/stores/event-store.ts')).not.to.include('test/domain/payment/capture.test.ts');
  });

  it('are a test that has changed itself', () => {
    expect(affected('test/world.test.ts')).to.deep.equal(['test/world.test.ts']);
  });

  it('read the page that has changed', () => {
    expect(affected('docs/contract.md')).to.include('test/docs/references.test.ts');
    expect(affected('deploy/README.md')).to.include('test/docs/references.test.ts');
  });

  it('drive a browser where a page of the web has changed', () => {
    expect(affected('web/dashboard/src/app/routes.tsx')).to.include('test/browser/payments.test.ts');
  });

  it('are the nearest that fit into a time, and at least one', () => {
    const seconds: Record<string, number> = { near: 50, far: 20, farther: 5 };
    const fitting = (limit: number): readonly string[] =>
      within(limit, Object.keys(seconds), (test) => seconds[test] ?? 0);
    expect([fitting(60), fitting(10), fitting(100)]).to.deep.equal([
      ['near', 'farther'],
      ['near'],
      ['near', 'far', 'farther'],
    ]);
  });
});

describe('the rules of imports', () => {
  const SOURCE = "import { a } from './a.ts';\nexport const b = a + 1;\n";
  const seen = (path: string, content: string): string => visibleToRules(path, content).join('\n');

  it('are not asked again about what a function does', () => {
    expect(seen('src/b.ts', SOURCE.replace('+ 1', '+ 2'))).to.equal(seen('src/b.ts', SOURCE));
  });

  for (const [what, path, content] of [
    ['an import that is new', 'src/b.ts', `${SOURCE}export { c } from './c.ts';\n`],
    ['an import over several lines', 'src/b.ts', SOURCE.replace("{ a } from './a.ts'", "{\n  a,\n} from './c.ts'")],
    ['a module that is loaded later', 'src/b.ts', `${SOURCE}await import(\n  './c.ts'\n);\n`],
    ['a file that moved', 'src/http/b.ts', SOURCE],
  ] as const)
    it(`are asked again about ${what}`, () => expect(seen(path, content)).not.to.equal(seen('src/b.ts', SOURCE)));

  it('are asked again when they change', () => {
    expect(seen('.dependency-cruiser.mjs', 'other')).not.to.equal(seen('.dependency-cruiser.mjs', 'rules'));
  });
});

describe('the parts of the suite', () => {
  it('name files of tests that exist', () => {
    const parts = JSON.stringify(join(ROOT, 'test/parts.mjs'));
    const print = `import(${parts}).then(({ REST, BROWSER }) => console.log(JSON.stringify([...REST, ...BROWSER])))`;
    const texts: readonly string[] = JSON.parse(execFileSync(process.execPath, ['-e', print], { encoding: 'utf8' }));
    const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });
    const tests = files.filter((path) => path.endsWith('.test.ts'));
    expect(texts.filter((text) => !tests.some((path) => path.startsWith(text)))).to.deep.equal([]);
  });
});

describe('the times of the test files', () => {
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'counterfoil-times-'));
    symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  });
  after(() => rmSync(dir, { recursive: true }));

  const TESTS = 'dist/tests/test';
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  const env = { PATH: process.env['PATH'] };
  const order = (): readonly string[] => {
    const print = `import(${JSON.stringify(join(ROOT, '.mocharc.compiled.mjs'))}).then((config) => console.log(JSON.stringify(config.default.spec)))`;
    return JSON.parse(execFileSync(process.execPath, ['-e', print], { cwd: dir, env, encoding: 'utf8' }));
  };
  const KEPT = 'dist/inner-loop/test-times.json';
  /** Computes for 700 ms, however many share the machine. */
  const BUSY = 'while (process.cpuUsage().user < 700_000);';

  it('make the order of the next run', () => {
    write(join(TESTS, 'a.test.js'), '');
    write(join(TESTS, 'b.test.js'), '');
    write(KEPT, '{ "b.test.js": { "seconds": 2, "cpu": 1 } }');
    expect(order()).to.deep.equal([join(TESTS, 'b.test.js'), join(TESTS, 'a.test.js')]);
  });

  it('count what their processes compute', () => {
    write(join(TESTS, 'a.test.js'), "it('is quick', () => {});");
    const child = `require('node:child_process').execFileSync(process.execPath, ['-e', '${BUSY}']);`;
    write(join(TESTS, 'b.test.js'), `it('has a busy process', () => { ${child} });`);
    const { execArgv, path } = scriptBeside('../support/file-times', import.meta.url);
    const mocha = join(ROOT, 'node_modules/mocha/bin/mocha.js');
    const run = [
      ...execArgv,
      mocha,
      '--no-config',
      '--timeout',
      '300000',
      '--parallel',
      '--jobs',
      '2',
      '--require',
      path,
      ...order(),
    ];
    const printed = execFileSync(process.execPath, run, { cwd: dir, env, encoding: 'utf8' });

    const kept = JSON.parse(readFileSync(join(dir, KEPT), 'utf8'));
    expect(kept['b.test.js'].cpu).to.be.above(0.6);
    expect(printed).to.match(/2 files of tests took \d+ s of CPU; the slowest:\n +\d+\.\d s {2}b\.test\.js\n/);
  });
});
