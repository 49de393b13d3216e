// The rules of the house on imports and on the world, as the linter holds them: planted violations fail, what is meant to be passes.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RULES = ['biome.json', 'biome-house.json', 'biome-world.grit'];

interface Planted {
  readonly file: string;
  readonly source: string;
}
const imports = (folder: string, ...specifiers: readonly string[]): readonly Planted[] =>
  specifiers.map((specifier) => ({ file: `src/${folder}`, source: `export * from '${specifier}';` }));
const worldly = (...sources: readonly string[]): readonly Planted[] => sources.map((source) => ({ file: 'src/commands/a.ts', source }));

const FORBIDDEN: readonly Planted[] = [
  ...imports(
    'domain/a.ts',
    '../world.ts',
    '../stores/event-store.ts',
    '../journal/envelope.ts',
    '../app-error.ts',
    'node:crypto',
    'koa',
    '@koa/router',
  ),
  ...imports('domain/payment/a.ts', '../../world.ts', '../../http/route.ts', '../../secrets.ts', 'lru-cache'),
  ...imports(
    'journal/a.ts',
    '../commands/a.ts',
    '../projections/a.ts',
    '../http/a.ts',
    '../service.ts',
    '../stores/sqlite/a.ts',
    '../processors/sandbox/a.ts',
  ),
  ...imports(
    'projections/engine/a.ts',
    '../../commands/a.ts',
    '../../queries/a.ts',
    '../../policies/a.ts',
    '../../stores/memory/a.ts',
    '../../stores/sqlite/file/a.ts',
  ),
  ...imports(
    'commands/a.ts',
    '../projections/a.ts',
    '../queries/a.ts',
    '../policies/a.ts',
    '../http/a.ts',
    '../service.ts',
    '../config.ts',
    '../settings.ts',
  ),
  ...imports('queries/a.ts', '../policies/a.ts', '../http/a.ts'),
  ...imports('policies/a.ts', '../http/a.ts', '../cli/a.ts', '../stores/sqlite/a.ts'),
  ...imports('http/routes/a.ts', '../../service.ts', '../../cli/a.ts', '../../stores/sqlite/a.ts', '../../processors/sandbox/a.ts'),
  ...imports('telemetry/a.ts', '../cli/a.ts', '../service.ts', '../config.ts', '../stores/sqlite/a.ts', '../processors/sandbox/a.ts'),
  ...['journal', 'commands', 'projections', 'queries', 'policies', 'http', 'stores/sqlite'].flatMap((folder) =>
    imports(`${folder}/b.ts`, folder.includes('/') ? '../../telemetry/a.ts' : '../telemetry/a.ts'),
  ),
  ...imports('observer.ts', './commands/a.ts', './telemetry/a.ts'),
  ...imports('service.ts', './telemetry/a.ts'),
  ...imports('service.ts', './cli/a.ts', './stores/sqlite/a.ts', './processors/sandbox/a.ts'),
  ...imports('stores/event-store.ts', '../commands/a.ts', './sqlite/a.ts'),
  ...imports('stores/sqlite/a.ts', '../../domain/a.ts', '../../journal/a.ts', '../../commands/a.ts', '../../service.ts'),
  ...imports('processors/sandbox/a.ts', '../../domain/payment/a.ts', '../../http/a.ts'),
  ...imports('world.ts', './commands/a.ts', './stores/sqlite/a.ts'),
  ...worldly(
    'export const now = Date.now();',
    'export const now = new Date();',
    'export const now = performance.now();',
    'export const now = process.hrtime.bigint();',
    'export const now = globalThis.Date;',
    'export const chance = Math.random();',
    'export const { random } = Math;',
    'export const id = crypto.randomUUID();',
    "export { randomUUID } from 'node:crypto';",
    "import { randomBytes } from 'node:crypto';\nexport const bytes = randomBytes(1);",
    "import * as everything from 'node:crypto';\nexport const bytes = everything.randomBytes(1);",
    "import everything from 'crypto';\nexport const bytes = everything.randomBytes(1);",
    "import { createHash, webcrypto } from 'node:crypto';\nexport const both = [createHash, webcrypto];",
    'setTimeout(() => undefined, 1);',
    'setInterval(() => undefined, 1);',
    'setImmediate(() => undefined);',
    "export { setTimeout as wait } from 'node:timers/promises';",
    "export const answer = fetch('http://localhost');",
    "export { readFileSync } from 'node:fs';",
    "import { readFile } from 'fs/promises';\nexport const read = readFile;",
    "export const files = await import('node:fs');",
    "export { spawn } from 'node:child_process';",
    "export { Worker } from 'node:worker_threads';",
  ),
];

const ALLOWED: readonly Planted[] = [
  ...imports('domain/payment/a.ts', 'zod', './b.ts', '../money.ts', '../client-session/fields.ts'),
  ...imports('domain/a.ts', 'zod', './money.ts', './payment/state.ts'),
  ...imports(
    'journal/a.ts',
    '../domain/category.ts',
    '../world.ts',
    '../stores/event-store.ts',
    '../processors/processor.ts',
    '../adapters.ts',
    'lru-cache',
  ),
  ...imports('projections/engine/a.ts', '../../domain/a.ts', '../../journal/a.ts', '../../stores/read-models.ts'),
  ...imports(
    'commands/a.ts',
    '../journal/transact.ts',
    '../domain/payment/state.ts',
    '../processors/processor.ts',
    '../secrets.ts',
    '../stores/store-unavailable.ts',
  ),
  ...imports('queries/a.ts', '../projections/payments.ts', '../commands/caller.ts', '../stores/read-models.ts'),
  ...imports('policies/a.ts', '../commands/a.ts', '../projections/a.ts', '../queries/a.ts'),
  ...imports(
    'http/routes/a.ts',
    '../route.ts',
    '../../commands/a.ts',
    '../../queries/a.ts',
    '../../domain/a.ts',
    '../api-service.ts',
    'koa',
  ),
  ...imports(
    'telemetry/a.ts',
    '../stores/event-store.ts',
    '../processors/processor.ts',
    '../http/app.ts',
    '../projections/engine/engine.ts',
    'prom-client',
    '@opentelemetry/api',
  ),
  ...imports('cli/b.ts', '../telemetry/a.ts'),
  ...imports('journal/b.ts', '../observer.ts'),
  ...imports('service.ts', './http/a.ts', './policies/a.ts', './stores/event-store.ts'),
  ...imports('cli/a.ts', '../service.ts', '../http/app.ts', '../stores/sqlite/a.ts', '../processors/sandbox/a.ts', 'node:fs'),
  ...imports('stores/sqlite/a.ts', '../event-store.ts', './file/a.ts', '../../world.ts', 'node:fs', 'node:timers/promises'),
  ...imports('processors/sandbox/a.ts', '../processor.ts', '../../stores/sqlite/file/a.ts', 'node:fs'),
  { file: 'src/world.ts', source: 'export const live = () => [Date.now(), Math.random(), setTimeout, fetch];' },
  { file: 'src/stores/memory/a.ts', source: 'setImmediate(() => undefined);\nexport const now = Date.now();' },
  {
    file: 'src/commands/a.ts',
    source:
      "import { createHash, createHmac, type Hash } from 'node:crypto';\nexport const made: Hash[] = [createHash('sha256')];\nexport { createHmac };",
  },
  { file: 'src/commands/a.ts', source: 'export const most = Math.max(1, 2);' },
  { file: 'test/a.test.ts', source: "export { liveWorld } from '../src/world.ts';\nexport const now = Date.now();" },
  { file: 'bench/a.ts', source: "export { openService } from '../src/service.ts';\nexport const now = performance.now();" },
];

const Report = z.looseObject({
  diagnostics: z.array(z.looseObject({ category: z.string(), severity: z.string(), location: z.looseObject({ path: z.string() }) })),
});
const HOUSE_RULES: ReadonlySet<string> = new Set([
  'plugin',
  'lint/style/noRestrictedImports',
  'lint/style/noRestrictedGlobals',
  'lint/suspicious/noImportCycles',
]);
const run = promisify(execFile);

const place = ({ file }: Planted, index: number): string => file.replace(/\ba\.ts$/, `a${index}.ts`);

/** Plants the sources, each where no other stands, and answers where a rule of the house found an error. */
async function findings(planted: readonly Planted[]): Promise<ReadonlySet<Planted>> {
  const projects: Map<string, Planted>[] = [];
  for (const [index, one] of planted.entries()) {
    const path = place(one, index);
    const free = projects.find((project) => !project.has(path)) ?? new Map<string, Planted>();
    if (free.size === 0) projects.push(free);
    free.set(path, one);
  }
  return new Set((await Promise.all(projects.map(lint))).flat());
}

async function lint(project: ReadonlyMap<string, Planted>): Promise<readonly Planted[]> {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-architecture-'));
  try {
    for (const name of RULES) await copyFile(join(ROOT, name), join(folder, name));
    for (const [path, { source }] of project) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), `${source}\n`);
    }
    const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
    const options = ['lint', '--reporter=json', '--vcs-enabled=false', '--max-diagnostics=none', '.'];
    const failed = z.looseObject({ stdout: z.string() });
    const { stdout } = await run(process.execPath, [biome, ...options], { cwd: folder }).catch((fault: unknown) => failed.parse(fault));
    const { diagnostics } = Report.parse(JSON.parse(stdout));
    const broken = diagnostics.filter(({ category, severity }) => severity === 'error' && HOUSE_RULES.has(category));
    return broken.flatMap(({ location }) => project.get(location.path) ?? []);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const named = ({ file, source }: Planted): string => `${file}: ${source.replaceAll('\n', ' ')}`;

describe('the rules of the house', () => {
  let found: ReadonlySet<Planted>;
  before(async function plantEverything() {
    found = await findings([...FORBIDDEN, ...ALLOWED]);
  });

  for (const one of FORBIDDEN) it(`refuse ${named(one)}`, () => expect(found.has(one)).to.equal(true));
  for (const one of ALLOWED) it(`allow ${named(one)}`, () => expect(found.has(one)).to.equal(false));
});

describe('the imports of a tree', () => {
  /** Which of the files are part of a circle; each is planted with its source. */
  const inCircles = async (sources: { readonly [file: string]: string }): Promise<readonly string[]> => {
    const planted = Object.entries(sources).map(([file, source]) => [file, { file, source }] as const);
    return (await lint(new Map(planted))).map(({ file }) => file).sort();
  };

  it('may come together again, and say what a file beside it says', async () => {
    const found = await inCircles({
      'src/domain/payment/a.ts': "export { c } from './b.ts';\nexport { d } from './d.ts';",
      'src/domain/payment/b.ts': "export { d as c } from './d.ts';",
      'src/domain/payment/d.ts': 'export const d = 1;',
    });
    expect(found).to.deep.equal([]);
  });

  it('may not come back to where they began: not over a third file, and not for a type alone', async () => {
    const found = await inCircles({
      'src/domain/payment/a.ts': "import type { C } from './c.ts';\nexport type A = C;",
      'src/domain/payment/b.ts': "import type { A } from './a.ts';\nexport type B = A;",
      'src/domain/payment/c.ts': "import type { B } from './b.ts';\nexport type C = B | 1;",
      'test/support/one.ts': "import { other } from './other.ts';\nexport const one = (): number => other;",
      'test/support/other.ts': "import { one } from './one.ts';\nexport const other = one();",
    });
    expect(found).to.deep.equal([
      'src/domain/payment/a.ts',
      'src/domain/payment/b.ts',
      'src/domain/payment/c.ts',
      'test/support/one.ts',
      'test/support/other.ts',
    ]);
  });
});
