// The shops of examples/, each as a process beside a service, where this machine has what it runs on.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from '../support/root.ts';
import { until } from '../support/until.ts';

export interface ExampleShop {
  readonly name: string;
  /** The file that a merchant copies, from the root of the repository. */
  readonly file: string;
  /** Why it cannot run on this machine; undefined if it can. */
  readonly lacks: () => string | undefined;
  /** Its command line. `folder` is one for files of its own. */
  readonly command: (at: { readonly folder: string; readonly port: number }) => Promise<readonly [string, ...string[]]>;
}

export interface RunningShop {
  readonly url: string;
  /** All that it has written. */
  readonly printed: () => string;
  end(): Promise<void>;
}

const pathTo = (file: string): string => join(ROOT, file);
const succeeds = (command: string, ...args: readonly string[]): boolean => spawnSync(command, args).status === 0;

/** The first Python that has Flask, and is new enough for the client. */
const PYTHONS = ['python3', '/usr/bin/python3'];
const HAS_FLASK = 'import flask, sys; sys.exit(0 if sys.version_info >= (3, 11) else 1)';
const pythonWithFlask = (): string | undefined => PYTHONS.find((python) => succeeds(python, '-c', HAS_FLASK));
const HAS_EXTENSIONS = 'exit(extension_loaded("curl") && extension_loaded("pdo_sqlite") ? 0 : 1);';

export const EXAMPLE_SHOPS: readonly ExampleShop[] = [
  {
    name: 'Express',
    file: 'examples/express/shop.mjs',
    lacks: () => undefined,
    command: async () => [process.execPath, pathTo('examples/express/shop.mjs')],
  },
  {
    name: 'Next.js, whose handlers are called without Next.js',
    file: 'examples/nextjs/route.ts',
    lacks: () => undefined,
    async command({ folder, port }) {
      const outfile = join(folder, 'route.mjs');
      const entryPoints = [pathTo('examples/nextjs/route.ts')];
      await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
      return [process.execPath, pathTo('test/examples/next-server.mjs'), outfile, String(port)];
    },
  },
  {
    name: 'Flask',
    file: 'examples/flask/shop.py',
    lacks: () =>
      pythonWithFlask() === undefined
        ? 'there is no Python 3.11 with Flask: install it (apt-get install python3-flask)'
        : undefined,
    command: async () => [pythonWithFlask() ?? '', pathTo('examples/flask/shop.py')],
  },
  {
    name: 'PHP',
    file: 'examples/php/shop.php',
    lacks: () =>
      succeeds('php', '-r', HAS_EXTENSIONS)
        ? undefined
        : 'there is no PHP with curl and SQLite: install it (apt-get install php-cli php-curl php-sqlite3)',
    command: async ({ port }) => ['php', '-S', `127.0.0.1:${port}`, pathTo('examples/php/shop.php')],
  },
];

interface Settings {
  readonly folder: string;
  readonly port: number;
  readonly counterfoilUrl: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly staffToken: string;
}

/** Starts a shop, and resolves when it responds. Throws with its output if it ends before that. */
export async function startShop(
  { command }: ExampleShop,
  { folder, port, counterfoilUrl, apiKey, webhookSecret, staffToken }: Settings,
): Promise<RunningShop> {
  const [program, ...args] = await command({ folder, port });
  const child = spawn(program, args, {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TMPDIR: folder,
      PYTHONPATH: pathTo('client-python'),
      PYTHONDONTWRITEBYTECODE: '1',
      PORT: String(port),
      COUNTERFOIL_URL: counterfoilUrl,
      COUNTERFOIL_API_KEY: apiKey,
      COUNTERFOIL_WEBHOOK_SECRET: webhookSecret,
      SHOP_STAFF_TOKEN: staffToken,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const url = `http://127.0.0.1:${port}`;
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`the shop ended with ${child.exitCode}: ${printed}`);
    return fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return {
    url,
    printed: () => printed,
    async end() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
