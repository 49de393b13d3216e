// The rules on imports and on the world, as dependency-cruiser and Biome hold them: a planted violation fails, an
// allowed import passes.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { z } from 'zod';
import { ROOT } from './support/root.ts';

const BIOME_RULES = ['biome.json', 'biome-regexp.grit', 'biome-web.grit', 'biome-world.grit'];

interface Planted {
  readonly file: string;
  readonly source: string;
}
const imports = (folder: string, ...specifiers: readonly string[]): readonly Planted[] =>
  specifiers.map((specifier) => ({ file: `src/${folder}`, source: `export * from '${specifier}';` }));
const worldly = (...sources: readonly string[]): readonly Planted[] =>
  sources.map((source) => ({ file: 'src/commands/a.ts', source }));

const inTheClient = (...specifiers: readonly string[]): readonly Planted[] =>
  specifiers.map((specifier) => ({ file: 'client/src/a.ts', source: `export * from '${specifier}';` }));

const FORBIDDEN_IMPORTS: readonly Planted[] = [
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
  ...imports('http/middleware/a.ts', '../../telemetry/prometheus.ts', '../../telemetry/opentelemetry.ts'),
  ...imports(
    'http/routes/a.ts',
    '../../service.ts',
    '../../cli/a.ts',
    '../../stores/sqlite/a.ts',
    '../../processors/sandbox/a.ts',
  ),
  ...imports(
    'telemetry/a.ts',
    '../cli/a.ts',
    '../service.ts',
    '../config.ts',
    '../stores/sqlite/a.ts',
    '../processors/sandbox/a.ts',
  ),
  ...['journal', 'commands', 'projections', 'queries', 'policies', 'http', 'stores/sqlite'].flatMap((folder) =>
    imports(`${folder}/b.ts`, folder.includes('/') ? '../../telemetry/a.ts' : '../telemetry/a.ts'),
  ),
  ...imports(
    'telemetry/observer.ts',
    '../commands/a.ts',
    '../http/a.ts',
    '../projections/a.ts',
    '../domain/a.ts',
    '../adapters.ts',
  ),
  ...imports('service.ts', './telemetry/a.ts'),
  ...imports('service.ts', './cli/a.ts', './stores/sqlite/a.ts', './processors/sandbox/a.ts'),
  ...imports('stores/event-store.ts', '../commands/a.ts', './sqlite/a.ts'),
  ...imports(
    'stores/sqlite/a.ts',
    '../../domain/a.ts',
    '../../journal/a.ts',
    '../../commands/a.ts',
    '../../service.ts',
  ),
  ...imports('processors/sandbox/a.ts', '../../domain/payment/a.ts', '../../http/a.ts'),
  ...imports('world.ts', './commands/a.ts', './stores/sqlite/a.ts', './deadlines.ts'),
  ...imports('deadlines.ts', './commands/a.ts', './stores/event-store.ts'),
  ...imports('stores/sqlite/a.ts', '../mongodb/b.ts'),
  ...imports('processors/sandbox/a.ts', '../../stores/sqlite/b.ts', '../other/b.ts'),
  ...imports('commands/a.ts', 'mongodb', 'koa', 'prom-client'),
  ...imports('stores/mongodb/a.ts', '@eventstore/db-client'),
  ...imports('a-new-room/a.ts', '../world.ts'),
  ...inTheClient('../../src/domain/payment/b.ts', '../../src/world.ts', 'zod', 'node:crypto'),
  ...imports('http/a.ts', '../../client/src/b.ts'),
  { file: 'src/domain/a.ts', source: "import type { World } from '../world.ts';\nexport type Clock = World;" },
  { file: 'src/http/a.ts', source: "export const late = (): Promise<unknown> => import('../cli/b.ts');" },
];

const inTheWeb = (...sources: readonly string[]): readonly Planted[] =>
  sources.map((source) => ({ file: 'web/dashboard/src/a.ts', source }));

const FORBIDDEN_IN_THE_WORLD: readonly Planted[] = [
  ...inTheWeb(
    "export { SCOPES } from '../../../src/domain/scopes.ts';",
    "export { inCurrency } from '../../../src/domain/money.ts';",
    "import { SCOPES } from '../../../src/domain/scopes.ts';\nexport const count = SCOPES.length;",
    "import { type Role, ROLES } from '../../../src/domain/user/roles.ts';\nexport const roles: readonly Role[] = ROLES;",
    "export const late = import('../../../src/world.ts');",
    "export { frame } from '../../checkout-sdk/src/frame.ts';",
    "import { type Configuration, CONNECT } from '../../checkout-sdk/src/shared/protocol.ts';\nexport const first: [Configuration?, unknown?] = [undefined, CONNECT];",
  ),
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
    String.raw`export const slashes = /\/+$/;`,
    String.raw`export const blanks = /[ \t]*,/g;`,
    String.raw`export const inGroup = /(?:\w{1,})@/;`,
  ),
];

const ALLOWED_IMPORTS: readonly Planted[] = [
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
  ...imports('queries/a.ts', '../projections/models/payments.ts', '../commands/caller.ts', '../stores/read-models.ts'),
  ...imports('policies/a.ts', '../commands/a.ts', '../projections/a.ts', '../queries/a.ts'),
  ...imports(
    'http/routes/a.ts',
    '../route.ts',
    '../../commands/a.ts',
    '../../queries/a.ts',
    '../../domain/a.ts',
    '../exchange.ts',
    'koa',
  ),
  ...imports('http/middleware/a.ts', '../../telemetry/sinks.ts'),
  ...imports(
    'telemetry/a.ts',
    '../stores/event-store.ts',
    '../processors/processor.ts',
    '../world.ts',
    'prom-client',
    '@opentelemetry/api',
  ),
  ...imports('cli/b.ts', '../telemetry/a.ts'),
  ...inTheClient('./b.ts'),
  ...imports('journal/b.ts', '../telemetry/observer.ts'),
  ...imports('service.ts', './http/a.ts', './policies/a.ts', './stores/event-store.ts'),
  ...imports(
    'cli/a.ts',
    '../service.ts',
    '../http/app.ts',
    '../stores/sqlite/a.ts',
    '../processors/sandbox/a.ts',
    'node:fs',
  ),
  ...imports(
    'stores/sqlite/a.ts',
    '../event-store.ts',
    './file/a.ts',
    '../../world.ts',
    'node:fs',
    'node:timers/promises',
  ),
  ...imports('stores/mongodb/a.ts', 'mongodb', './b.ts'),
  ...imports(
    'processors/sandbox/a.ts',
    './b.ts',
    '../processor.ts',
    '../../domain/payment/outcome.ts',
    '../../stores/sqlite/file/a.ts',
    'node:fs',
  ),
];

const ALLOWED_IN_THE_WORLD: readonly Planted[] = [
  ...inTheWeb(
    "import type { Scope } from '../../../src/domain/scopes.ts';\nexport type Scopes = readonly Scope[];",
    "export type { Role } from '../../../src/domain/user/roles.ts';",
    "import type { CounterfoilSdk } from '../../checkout-sdk/src/sdk/public.ts';\nexport type Sdk = CounterfoilSdk;",
    "export { Money } from './parts/money.tsx';",
    "export { minorDigits } from '../../../src/domain/currency.ts';",
  ),
  { file: 'src/world.ts', source: 'export const live = () => [Date.now(), Math.random(), setTimeout, fetch];' },
  { file: 'src/stores/memory/a.ts', source: 'setImmediate(() => undefined);\nexport const now = Date.now();' },
  {
    file: 'src/commands/a.ts',
    source:
      "import { createHash, createHmac, type Hash } from 'node:crypto';\nexport const made: Hash[] = [createHash('sha256')];\nexport { createHmac };",
  },
  { file: 'src/commands/a.ts', source: 'export const most = Math.max(1, 2);' },
  {
    file: 'src/commands/a.ts',
    source: String.raw`export const bounded = [/^\/+$/, /(?<!\/)\/+$/, /\s+/g, /\.\w+$/, /\w{1,9}@/];`,
  },
  { file: 'test/a.test.ts', source: "export { liveWorld } from '../src/world.ts';\nexport const now = Date.now();" },
  {
    file: 'bench/a.ts',
    source: "export { openService } from '../src/service.ts';\nexport const now = performance.now();",
  },
];

const run = promisify(execFile);
/** The output of a command, even if it failed because it found something. */
const printed = async (args: readonly string[], cwd: string): Promise<string> => {
  const failed = z.looseObject({ stdout: z.string() });
  const options = { cwd, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await run(process.execPath, [...args], options).catch((fault: unknown) => failed.parse(fault));
  return stdout;
};

/** A checker: returns the planted files in which a rule found an error. */
type Checker = (folder: string) => Promise<readonly string[]>;

const resolve = createRequire(import.meta.url).resolve;
const BIOME = resolve('@biomejs/biome/bin/biome');
const BiomeReport = z.looseObject({
  diagnostics: z.array(
    z.looseObject({ category: z.string(), severity: z.string(), location: z.looseObject({ path: z.string() }) }),
  ),
});
const WORLD_RULES: ReadonlySet<string> = new Set(['plugin', 'lint/style/noRestrictedGlobals']);

const byBiome: Checker = async (folder) => {
  for (const name of BIOME_RULES) await copyFile(join(ROOT, name), join(folder, name));
  const options = ['lint', '--reporter=json', '--vcs-enabled=false', '--max-diagnostics=none', '.'];
  const { diagnostics } = BiomeReport.parse(JSON.parse(await printed([BIOME, ...options], folder)));
  const broken = diagnostics.filter(({ category, severity }) => severity === 'error' && WORLD_RULES.has(category));
  return broken.map(({ location }) => location.path);
};

const CRUISER = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
const CruiserReport = z.looseObject({
  summary: z.looseObject({
    violations: z.array(
      z.looseObject({
        from: z.string(),
        to: z.string(),
        rule: z.looseObject({ name: z.string(), severity: z.string() }),
        cycle: z.array(z.looseObject({ name: z.string() })).optional(),
      }),
    ),
  }),
});
type Violation = z.infer<typeof CruiserReport>['summary']['violations'][number];

const cruised = async (folder: string): Promise<readonly Violation[]> => {
  const options = ['--config', join(ROOT, '.dependency-cruiser.mjs'), '--output-type', 'json', '.'];
  const { summary } = CruiserReport.parse(JSON.parse(await printed([CRUISER, ...options], folder)));
  return summary.violations.filter(({ rule }) => rule.severity === 'error');
};

const byCruiser: Checker = async (folder) => {
  const violations = await cruised(folder);
  return violations.filter(({ rule }) => !OF_A_TREE.has(rule.name)).map(({ from }) => from);
};
/** Rules on more than one import, which have tests of their own. */
const OF_A_TREE: ReadonlySet<string> = new Set([
  'files make no circle',
  'folders make no circle',
  'every file is used',
]);

const place = ({ file }: Planted, index: number): string => file.replace(/\ba\.ts$/, `a${index}.ts`);

/** The files that the sources import and nobody planted, empty. */
const imported = (file: string, source: string): readonly string[] =>
  [...source.matchAll(/from '(\.[^']+)'/g)].map(([, specifier = '']) => normalize(join(dirname(file), specifier)));

/** Runs `work` in a folder that holds the sources, and an empty file for each import that has none. */
async function planted<T>(sources: ReadonlyMap<string, string>, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-architecture-'));
  try {
    const empty = [...sources]
      .flatMap(([file, source]) => imported(file, source))
      .map((file) => [file, 'export {};'] as const);
    for (const [file, source] of new Map([...empty, ...sources])) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), `${source}\n`);
    }
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Plants the sources, each where no other stands, and answers where the checker found an error. */
async function findings(all: readonly Planted[], check: Checker): Promise<ReadonlySet<Planted>> {
  const projects: Map<string, Planted>[] = [];
  for (const [index, one] of all.entries()) {
    const path = place(one, index);
    const free = projects.find((project) => !project.has(path)) ?? new Map<string, Planted>();
    if (free.size === 0) projects.push(free);
    free.set(path, one);
  }
  const found = projects.map(async (project) => {
    const sources = new Map([...project].map(([path, { source }]) => [path, source]));
    return (await planted(sources, check)).flatMap((path) => project.get(path) ?? []);
  });
  return new Set((await Promise.all(found)).flat());
}

const named = ({ file, source }: Planted): string => `${file}: ${source.replaceAll('\n', ' ')}`;

function itHolds(forbidden: readonly Planted[], allowed: readonly Planted[], check: Checker): void {
  let found: ReadonlySet<Planted>;
  before(async function plantEverything() {
    found = await findings([...forbidden, ...allowed], check);
  });

  for (const one of forbidden) it(`refuse ${named(one)}`, () => expect(found.has(one)).to.equal(true));
  for (const one of allowed) it(`allow ${named(one)}`, () => expect(found.has(one)).to.equal(false));
}

describe('the rules on imports', () => itHolds(FORBIDDEN_IMPORTS, ALLOWED_IMPORTS, byCruiser));
describe('the rules on the world', () => itHolds(FORBIDDEN_IN_THE_WORLD, ALLOWED_IN_THE_WORLD, byBiome));

describe('the imports of a tree', () => {
  /** The findings of the rule in these files. */
  const violations = async (
    rule: string,
    sources: { readonly [file: string]: string },
  ): Promise<readonly Violation[]> =>
    (await planted(new Map(Object.entries(sources)), cruised)).filter(({ rule: { name } }) => name === rule);
  /** Which files, or folders, are part of a circle. */
  const inCircles = async (rule: string, sources: { readonly [file: string]: string }): Promise<readonly string[]> => {
    const found = await violations(rule, sources);
    return [...new Set(found.flatMap(({ from, cycle = [] }) => [from, ...cycle.map(({ name }) => name)]))].sort();
  };

  it('may come together again, and name a third file that both import', async () => {
    const found = await inCircles('files make no circle', {
      'src/domain/payment/a.ts': "export { c } from './b.ts';\nexport { d } from './d.ts';",
      'src/domain/payment/b.ts': "export { d as c } from './d.ts';",
      'src/domain/payment/d.ts': 'export const d = 1;',
    });
    expect(found).to.deep.equal([]);
  });

  it('may not come back to where they began: not over a third file, and not for a type alone', async () => {
    const found = await inCircles('files make no circle', {
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

  it('may not lead from a folder to another and back, even if no file does, and for types alone', async () => {
    const found = await inCircles('folders make no circle', {
      'src/domain/payment/a.ts': "import type { B } from '../session/b.ts';\nexport type A = B;",
      'src/domain/session/b.ts': 'export type B = 1;',
      'src/domain/session/c.ts': "import type { D } from '../payment/d.ts';\nexport type C = D;",
      'src/domain/payment/d.ts': 'export type D = 1;',
    });
    expect(found).to.deep.equal(['src/domain/payment', 'src/domain/session']);
  });

  it('reach every file, from the command line on, over a type or an import at run time too', async () => {
    const found = await violations('every file is used', {
      'src/cli/main.ts':
        "import type { A } from './a.ts';\nexport const b = (): Promise<unknown> => import('./b.ts');\nexport type Main = A;",
      'src/cli/a.ts': 'export type A = 1;',
      'src/cli/b.ts': 'export const b = 1;',
      'src/cli/left.ts': 'export const left = 1;',
      'src/stores/sqlite/some-worker.ts': 'export const loadedByUrl = 1;',
    });
    expect(found.map(({ to }) => to)).to.deep.equal(['src/cli/left.ts']);
  });
});
