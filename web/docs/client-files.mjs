// The clients as files below /docs, for `npm install` and `pip install`: the package of Node as npm packs it, and a
// wheel of the Python client. The same sources are the same bytes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipOf } from './zip.mjs';

/**
 * @param {string} root the repository, in which the client of Node is compiled
 * @returns {readonly { readonly name: string, readonly content: Uint8Array }[]}
 */
export const clientFiles = (root) => [nodePackage(join(root, 'client')), wheel(join(root, 'client-python'))];

/** Flags count for more than what an outer npm hands down, such as `npm pack --dry-run`. */
const PACK = ['pack', '--ignore-scripts', '--dry-run=false', '--offline', '--update-notifier=false', '--silent'];

/** @param {string} folder */
function nodePackage(folder) {
  const packed = mkdtempSync(join(tmpdir(), 'counterfoil-pack-'));
  try {
    const args = [...PACK, '--pack-destination', packed];
    execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    const [name = ''] = readdirSync(packed);
    return { name, content: readFileSync(join(packed, name)) };
  } finally {
    rmSync(packed, { recursive: true, force: true });
  }
}

/** A wheel of pure Python, from pyproject.toml (PyPA, "Binary distribution format"). @param {string} folder */
function wheel(folder) {
  const read = (/** @type {string} */ path) => readFileSync(join(folder, path));
  const values = read('pyproject.toml')
    .toString()
    .matchAll(/^([\w-]+) = "(.*)"$/gm);
  /** @type {{ readonly [name: string]: string }} */
  const project = Object.fromEntries([...values].map(([, name, value]) => [name, value]));
  const { name, version, description } = project;
  const tag = 'py3-none-any';
  const info = `${name}-${version}.dist-info`;
  const metadata = [
    ...['Metadata-Version: 2.1', `Name: ${name}`, `Version: ${version}`, `Summary: ${description}`],
    ...[`Requires-Python: ${project['requires-python']}`, 'License: Apache-2.0'],
    ...['Description-Content-Type: text/markdown', '', read('README.md').toString()],
  ];
  const sources = readdirSync(join(folder, 'counterfoil')).filter((file) => /\.py$|^py\.typed$/.test(file));
  const files = [
    ...sources.toSorted().map((file) => ({ path: `counterfoil/${file}`, content: read(`counterfoil/${file}`) })),
    { path: `${info}/LICENSE`, content: read('LICENSE') },
    { path: `${info}/METADATA`, content: Buffer.from(metadata.join('\n')) },
    {
      path: `${info}/WHEEL`,
      content: Buffer.from(`Wheel-Version: 1.0\nGenerator: counterfoil\nRoot-Is-Purelib: true\nTag: ${tag}\n`),
    },
  ];
  const lines = files.map(({ path, content }) => `${path},sha256=${digest(content)},${content.length}\n`);
  const record = { path: `${info}/RECORD`, content: Buffer.from(`${lines.join('')}${info}/RECORD,,\n`) };
  return { name: `${name}-${version}-${tag}.whl`, content: zipOf([...files, record]) };
}

/** @param {Uint8Array} content */
const digest = (content) => createHash('sha256').update(content).digest('base64url');
