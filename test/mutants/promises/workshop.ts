// A copy of the tree with its tests compiled, in which faults are planted: one at a time, and each is taken out again.
import { execFileSync } from 'node:child_process';
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
import { type BuildOptions, build, transformSync } from 'esbuild';
import { z } from 'zod';
import { ROOT } from '../../support/root.ts';
import type { PlantedFault } from './fault.ts';

/** The code that V8 keeps of a bundle is of its text before: this is none. */
const NO_CODE = 'none';
const WEB = 'dist/web/checkout';

interface Bundle {
  readonly options: BuildOptions;
  /** Its compiled modules. */
  readonly inputs: ReadonlySet<string>;
}

export class Workshop {
  readonly root: string;
  readonly #bundles: readonly Bundle[];
  /** Modules of threads, which are bundled in their own places. */
  readonly #threads: readonly string[];

  private constructor(root: string, bundles: readonly Bundle[], threads: readonly string[]) {
    this.root = root;
    this.#bundles = bundles;
    this.#threads = threads;
  }

  /** Copies and builds; takes minutes. */
  static async open(): Promise<Workshop> {
    const root = mkdtempSync(join(tmpdir(), 'counterfoil-faults-'));
    const inRoot = (command: string, ...args: readonly string[]): string =>
      execFileSync(command, args, {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
        maxBuffer: 2 ** 26,
      });
    const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    for (const path of listed.split('\0'))
      if (path !== '' && !path.endsWith('node_modules') && existsSync(join(ROOT, path)))
        cpSync(join(ROOT, path), join(root, path), { verbatimSymlinks: true });
    for (const path of ['dist/web', 'dist/.web-inputs', 'client/dist', 'client/src/api-types.ts'])
      if (existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(root, path), { recursive: true });
    linkPackages(root);
    inRoot('git', 'init', '--quiet');
    inRoot('git', 'add', '--all');
    inRoot('npm', 'run', '--silent', 'build');
    inRoot('npm', 'run', '--silent', 'build:tests');
    return Workshop.#of(root);
  }

  /** Another one beside it. */
  async copy(): Promise<Workshop> {
    const root = mkdtempSync(join(tmpdir(), 'counterfoil-faults-'));
    cpSync(this.root, root, { recursive: true, verbatimSymlinks: true });
    return Workshop.#of(root);
  }

  static async #of(root: string): Promise<Workshop> {
    const { BUNDLES, THREADS } = Scripts.parse(
      await import(pathToFileURL(join(ROOT, 'test/bundle-command-line.mjs')).href),
    );
    const { bundlesIn } = StandIns.parse(await import(pathToFileURL(join(ROOT, 'test/bundle-stand-ins.mjs')).href));
    const all = [...BUNDLES, ...z.array(Options).parse(bundlesIn(root))];
    const undo = unbundled(root, THREADS);
    const bundles: Bundle[] = [];
    for (const options of all) {
      const { metafile } = await build({ ...options, absWorkingDir: root, write: false, metafile: true });
      bundles.push({ options, inputs: new Set(Object.keys(metafile.inputs)) });
    }
    undo();
    return new Workshop(root, bundles, THREADS);
  }

  /** Answers how to take it out again. */
  async plant({ file, find, replace }: PlantedFault): Promise<() => void> {
    const before = new Map<string, Buffer | undefined>();
    const put = (path: string, content: string | Uint8Array): void => {
      const at = join(this.root, path);
      if (!before.has(path)) before.set(path, existsSync(at) ? readFileSync(at) : undefined);
      writeFileSync(at, content);
    };
    const takeOut = (): void => {
      for (const [path, content] of before)
        if (content === undefined) rmSync(join(this.root, path), { force: true });
        else writeFileSync(join(this.root, path), content);
      if (isWeb) cpSync(join(this.root, `${WEB}.sound`), join(this.root, WEB), { recursive: true });
    };
    const isWeb = file.startsWith('web/');
    const text = readFileSync(join(ROOT, file), 'utf8').replace(find, () => replace);
    if (isWeb) {
      put(file, text);
      this.#buildCheckout();
      return takeOut;
    }
    const js = compiled(text);
    const module = file.replace(/\.ts$/, '.js');
    const places = file.startsWith('client/')
      ? [`dist/tests/${module}`, module.replace('client/src/', 'client/dist/')]
      : [`dist/tests/${module}`, module.replace(/^src\//, 'dist/')];
    for (const place of places) if (existsSync(join(this.root, place))) put(place, js);
    const undo = unbundled(this.root, this.#threads, (path) => (path === module ? js : undefined));
    const made: { readonly path: string; readonly contents: Uint8Array }[] = [];
    for (const { options, inputs } of this.#bundles) {
      if (!places.some((place) => inputs.has(place))) continue;
      const { outputFiles } = await build({ ...options, absWorkingDir: this.root, write: false });
      made.push(...outputFiles);
    }
    if (file.startsWith('src/verify/')) made.push(...(await this.#verifier()));
    undo();
    for (const { path, contents } of made) put(path.slice(this.root.length + 1), contents);
    for (const { path } of made) {
      const cache = path.slice(this.root.length + 1).replace(/\.cjs$/, '.cache');
      if (existsSync(join(this.root, cache))) put(cache, NO_CODE);
    }
    return takeOut;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
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
  ] as const) {
    symlinkSync(join(root, folder), join(packages, '@counterfoil', name));
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
