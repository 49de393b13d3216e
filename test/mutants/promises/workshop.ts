// A copy of the tree with its tests compiled, in which faults are planted: one at a time, and each is taken out again.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildContext, type BuildOptions, build, context, transformSync } from 'esbuild';
import { z } from 'zod';
import { type Importers, reached } from '../../inner-loop/imports.ts';
import { ROOT } from '../../support/root.ts';
import type { PlantedFault } from './fault.ts';

/** The code that V8 keeps of a bundle is of its text before: this is none. */
const NO_CODE = 'none';
const WEB = 'dist/web/checkout';

/** The entry of the command line's bundle hosts this module. */
const HOST = 'test/cli/command-host.mjs';
const HOSTED = 'src/cli/main.ts';
/** In a folder that is kept: of which files it was built. It is not there while a fault may be. */
const BUILT_OF = '.built-of';

interface Bundle {
  readonly made: BuildContext<{ write: false; metafile: true }>;
  /** Its compiled modules. */
  readonly inputs: ReadonlySet<string>;
  /** The files of tests, from the root, that start something of it. */
  readonly tests: ReadonlySet<string>;
}

export interface Planted {
  /** Before these files of tests run: what they start has the fault too. */
  bundleFor(tests: readonly string[]): Promise<void>;
  takeOut(): void;
}

export class Workshop {
  readonly root: string;
  readonly #kept: string | undefined;
  readonly #graph: Importers;
  readonly #bundles: readonly Bundle[];
  /** Modules of threads, which are bundled in their own places. */
  readonly #threads: readonly string[];

  private constructor(
    { root, kept, graph }: Place,
    { bundles, threads }: { readonly bundles: readonly Bundle[]; readonly threads: readonly string[] },
  ) {
    this.root = root;
    this.#kept = kept;
    this.#graph = graph;
    this.#bundles = bundles;
    this.#threads = threads;
  }

  /** Copies and builds; takes minutes. `keptIn`: a folder that has what an earlier run built, and keeps it. */
  static async open(graph: Importers, keptIn?: string): Promise<Workshop> {
    const paths = listed();
    const tree = keptIn === undefined ? undefined : hashOf(paths);
    const root = keptIn ?? mkdtempSync(join(tmpdir(), 'counterfoil-faults-'));
    const marker = join(root, BUILT_OF);
    const isBuilt = existsSync(marker) && readFileSync(marker, 'utf8') === tree;
    if (isBuilt) rmSync(marker);
    else buildIn(root, paths);
    return Workshop.#of({ root, kept: tree, graph });
  }

  /** Another one beside it. */
  async copy(): Promise<Workshop> {
    const root = mkdtempSync(join(tmpdir(), 'counterfoil-faults-'));
    cpSync(this.root, root, { recursive: true, verbatimSymlinks: true });
    return Workshop.#of({ root, kept: undefined, graph: this.#graph });
  }

  static async #of(place: Place): Promise<Workshop> {
    const { root, graph } = place;
    const { BUNDLES, THREADS } = Scripts.parse(
      await import(pathToFileURL(join(ROOT, 'test/bundle-command-line.mjs')).href),
    );
    const { bundlesIn } = StandIns.parse(await import(pathToFileURL(join(ROOT, 'test/bundle-stand-ins.mjs')).href));
    const all = [...BUNDLES, ...z.array(Options).parse(bundlesIn(root))];
    const undo = unbundled(root, THREADS);
    const bundles: Bundle[] = [];
    for (const options of all) {
      const made = await context({ ...options, absWorkingDir: root, write: false, metafile: true });
      const { metafile, outputFiles } = await made.rebuild();
      // that of a copy names the places of the first one
      for (const { path, contents } of outputFiles)
        if (!readFileSync(path).equals(contents)) writeFileSync(path, contents);
      const tests = new Set(reached(entriesOf(options), graph).keys());
      bundles.push({ made, inputs: new Set(Object.keys(metafile.inputs)), tests });
    }
    undo();
    return new Workshop(place, { bundles, threads: THREADS });
  }

  plant({ file, find, replace }: PlantedFault): Planted {
    const before = new Map<string, Buffer | undefined>();
    const put = (path: string, content: string | Uint8Array): void => {
      const at = join(this.root, path);
      if (!before.has(path)) before.set(path, existsSync(at) ? readFileSync(at) : undefined);
      writeFileSync(at, content);
    };
    const isWeb = file.startsWith('web/');
    const takeOut = (): void => {
      for (const [path, content] of before)
        if (content === undefined) rmSync(join(this.root, path), { force: true });
        else writeFileSync(join(this.root, path), content);
      if (isWeb) cpSync(join(this.root, `${WEB}.sound`), join(this.root, WEB), { recursive: true });
    };
    const text = readFileSync(join(ROOT, file), 'utf8').replace(find, () => replace);
    if (isWeb) {
      put(file, text);
      this.#buildCheckout();
      return { takeOut, bundleFor: async () => {} };
    }
    const js = compiled(text);
    const module = file.replace(/\.ts$/, '.js');
    const places = file.startsWith('client/')
      ? [`dist/tests/${module}`, module.replace('client/src/', 'client/dist/')]
      : [`dist/tests/${module}`, module.replace(/^src\//, 'dist/')];
    const isThread = this.#threads.some((thread) => module === `src/${thread}`);
    for (const place of places)
      if (existsSync(join(this.root, place)) && !(isThread && place.startsWith('dist/tests/'))) put(place, js);
    const left = new Set(this.#bundles.filter(({ inputs }) => places.some((place) => inputs.has(place))));
    let isVerifierLeft = file.startsWith('src/verify/');
    const bundleFor = async (tests: readonly string[]): Promise<void> => {
      const bundles = [...left].filter((bundle) => tests.some((test) => bundle.tests.has(test)));
      if (bundles.length === 0 && !isVerifierLeft) return;
      const undo = unbundled(this.root, this.#threads, (path) => (path === module ? js : undefined));
      const files: { readonly path: string; readonly contents: Uint8Array }[] = [];
      for (const bundle of bundles) {
        files.push(...(await bundle.made.rebuild()).outputFiles);
        left.delete(bundle);
      }
      if (isVerifierLeft) files.push(...(await this.#verifier()));
      isVerifierLeft = false;
      undo();
      for (const { path, contents } of files) {
        const made = path.slice(this.root.length + 1);
        const cache = made.replace(/\.cjs$/, '.cache');
        put(made, contents);
        if (cache !== made && existsSync(join(this.root, cache))) put(cache, NO_CODE);
      }
    };
    return { takeOut, bundleFor };
  }

  /** Unless it is to be kept. */
  async close(): Promise<void> {
    for (const { made } of this.#bundles) await made.dispose();
    if (this.#kept === undefined) rmSync(this.root, { recursive: true, force: true });
    else writeFileSync(join(this.root, BUILT_OF), this.#kept);
  }

  async #verifier() {
    const { outputFiles } = await build({
      absWorkingDir: this.root,
      entryPoints: ['dist/tests/src/verify/main.js'],
      outfile: 'dist/counterfoil-verify.mjs',
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      banner: { js: '#!/usr/bin/env node' },
      write: false,
    });
    return outputFiles;
  }

  #buildCheckout(): void {
    const sound = join(this.root, `${WEB}.sound`);
    if (!existsSync(sound)) cpSync(join(this.root, WEB), sound, { recursive: true });
    const script = `import { join } from 'node:path';
      const { buildCheckout } = await import('./web/checkout-sdk/build.mjs');
      const { compressTexts } = await import('./web/compress.mjs');
      await buildCheckout(join(process.cwd(), '${WEB}'));
      await compressTexts(join(process.cwd(), '${WEB}'), { pages: false });`;
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: this.root, stdio: 'ignore' });
  }
}

interface Place {
  readonly root: string;
  /** Of which files it was built, if it is kept. */
  readonly kept: string | undefined;
  readonly graph: Importers;
}

/** The files of the tree, as they are now. */
const listed = (): readonly string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
    .split('\0')
    .filter((path) => path !== '' && !path.endsWith('node_modules') && existsSync(join(ROOT, path)));

/** The faults themselves are not part of what is built. */
function hashOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths)
    if (!path.startsWith('test/mutants/')) hash.update(`${path}\0`).update(readFileSync(join(ROOT, path)));
  return hash.digest('hex');
}

function buildIn(root: string, paths: readonly string[]): void {
  const inRoot = (command: string, ...args: readonly string[]): string =>
    execFileSync(command, args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 2 ** 26,
    });
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  for (const path of paths) cpSync(join(ROOT, path), join(root, path), { verbatimSymlinks: true });
  for (const path of ['dist/web', 'dist/.web-inputs', 'client/dist', 'client/src/api-types.ts'])
    if (existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(root, path), { recursive: true });
  linkPackages(root);
  inRoot('git', 'init', '--quiet');
  inRoot('git', 'add', '--all');
  inRoot('npm', 'run', '--silent', 'build');
  inRoot('npm', 'run', '--silent', 'build:tests');
}

/** The sources that a bundle begins with. */
function entriesOf({ entryPoints }: BuildOptions): readonly string[] {
  const entries = z.union([z.array(z.string()), z.record(z.string(), z.string())]).parse(entryPoints);
  return Object.values(entries).map((entry) =>
    entry === HOST
      ? HOSTED
      : entry
          .replace(/\.js$/, '.ts')
          .replace(/^dist\/tests\//, '')
          .replace(/^dist\//, 'src/'),
  );
}

const Options = z.custom<BuildOptions>((value) => typeof value === 'object' && value !== null);
const Scripts = z.object({ BUNDLES: z.array(Options), THREADS: z.array(z.string()) });
const StandIns = z.object({ bundlesIn: z.custom<(root: string) => unknown>((value) => typeof value === 'function') });

/** Packages of others as they are; our own are those of the copy. */
function linkPackages(root: string): void {
  const packages = join(root, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@counterfoil') symlinkSync(join(ROOT, 'node_modules', name), join(packages, name));
  mkdirSync(join(packages, '@counterfoil'));
  for (const [name, folder] of [
    ['client', 'client'],
    ['web', 'web'],
    ['mutants', 'test/mutants'],
    ['typescript-5.4', 'test/client/compilers/5.4'],
    ['typescript-6.0', 'test/client/compilers/6.0'],
  ] as const) {
    symlinkSync(join('../..', folder), join(packages, '@counterfoil', name));
    const own = join(ROOT, folder, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(root, folder, 'node_modules'));
  }
}

/**
 * Puts the modules of threads in the place of the tests' bundles of them; answers how to undo that. `planted`: the text
 * of a module that is not that of its source.
 */
function unbundled(
  root: string,
  threads: readonly string[],
  planted: (module: string) => string | undefined = () => undefined,
): () => void {
  const before = threads.map((thread) => {
    const module = `src/${thread}`;
    const path = join(root, 'dist/tests', module);
    const bundle = readFileSync(path);
    const source = join(ROOT, module.replace(/\.js$/, '.ts'));
    writeFileSync(path, planted(module) ?? compiled(readFileSync(source, 'utf8')));
    return { path, bundle };
  });
  return () => {
    for (const { path, bundle } of before) writeFileSync(path, bundle);
  };
}

/** As `npm run build:tests` compiles it. */
function compiled(text: string): string {
  const { code } = transformSync(text, {
    loader: 'ts',
    target: 'es2023',
    sourcemap: 'inline',
    tsconfigRaw: { compilerOptions: { target: 'es2023', verbatimModuleSyntax: true } },
  });
  return code.replaceAll(/(\bfrom\s*|\bimport\s*\(?\s*)"(\.{1,2}\/[^"]+)\.ts"/g, '$1"$2.js"');
}
