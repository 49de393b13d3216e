// The graph of imports at run time: for each file of the sources and the tests, the files that import it. Types are not
// part of it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Paths are relative to the root, with `/`. */
export type Importers = ReadonlyMap<string, readonly string[]>;

const CODE = /\.[cm]?[jt]s$/;
const codeIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => CODE.test(path) && !path.includes('node_modules'));

/** To be called in the root. Files that nothing imports are in it too. */
export async function importersOfAll(): Promise<Importers> {
  const files = ['client/src', 'src', 'test', 'bench'].flatMap(codeIn);
  const { metafile } = await build({
    stdin: { contents: files.map((path) => `import './${path}';`).join('\n'), resolveDir: '.' },
    bundle: true,
    packages: 'external',
    external: ['../dist/*', '../../dist/*', '../../../dist/*'],
    platform: 'node',
    format: 'esm',
    outdir: 'dist',
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  const importers = new Map<string, string[]>(files.map((path) => [path, []]));
  for (const [importer, { imports }] of Object.entries(metafile.inputs)) {
    for (const { path } of imports) {
      // The command line's bundle imports what the build made of a source.
      const source = path.replace(/^(\.\.\/)+dist\/(.*)\.js$/, 'src/$2.ts');
      if (importer !== '<stdin>') importers.get(source)?.push(importer);
    }
  }
  return importers;
}

/** A file that starts the command line names its compiled file, or its bundle. */
const COMMAND_LINE = /\bdist\/(?:cli\/main\.js|command-line\/main\.cjs)\b/;
/** Modules that threads and processes run: they are named without an extension, beside the file that names them. */
const STARTED = /\b(?:besides|scriptBeside|startThread|new URL)\(\s*['"`](\.{1,2}\/[^'"`$]+)/g;

/** The graph in which a file that starts another as a thread or a process also imports it. */
export function withStarted(importers: Importers): Importers {
  const all = new Map([...importers].map(([path, those]) => [path, [...those]]));
  for (const starter of importers.keys()) {
    const text = readFileSync(starter, 'utf8');
    if (COMMAND_LINE.test(text)) all.get('src/cli/main.ts')?.push(starter);
    for (const [, name = ''] of text.matchAll(STARTED)) {
      const module = join(starter, '..', name);
      (all.get(module) ?? all.get(`${module}.ts`))?.push(starter);
    }
  }
  return all;
}

/** The files that import one of `sources`, directly or through others, and over how many imports; the sources at 0. */
export function reached(sources: readonly string[], importers: Importers): ReadonlyMap<string, number> {
  const distances = new Map(sources.map((source) => [source, 0]));
  for (const [file, distance] of distances) {
    for (const importer of importers.get(file) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  return distances;
}
