// Scripts that tests start as processes of their own: from source by tsx, or compiled when the tests are, and bundled
// where they are started often.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { besides } from '../../src/stores/sqlite/file/thread.ts';

/** The arguments of `node`: its own, then the script. */
export interface Script {
  readonly execArgv: readonly string[];
  readonly path: string;
}

/** The script `name` beside the caller's module (`import.meta.url`); `name` has no extension. */
export function scriptBeside(name: string, importerUrl: string): Script {
  const module = fileURLToPath(besides(name, importerUrl));
  const bundles = ['.cjs', '.mjs'].map((extension) => module.replace(/\.js$/, extension)); // test/bundle-stand-ins.mjs
  const path = bundles.find((bundle) => existsSync(bundle)) ?? module;
  return { execArgv: path.endsWith('.ts') ? ['--import', 'tsx'] : [], path };
}

/** All arguments of `node` that start the script. */
export const nodeArguments = ({ execArgv, path }: Script, ...args: readonly string[]): readonly string[] => [
  ...execArgv,
  path,
  ...args,
];
