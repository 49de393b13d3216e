// Which folder may import which, types included. `npm run check` applies it, and test/architecture.test.ts tests it.
import swc from '@swc/core/Visitor.js';

// The parser's walk does not know `using` declarations yet, and throws at them: their values are walked here.
const { visitStatement } = swc.Visitor.prototype;
swc.Visitor.prototype.visitStatement = function visitAny(statement) {
  if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement);
  for (const declared of statement.decls) this.visitVariableDeclarator(declared);
  return statement;
};

const PORTS = '(stores|processors)/[^/]+\\.ts';
const BASE = ['world\\.ts', 'deadlines\\.ts', 'app-error\\.ts'];
/** The words of the processor port that are the domain's own. */
const OUTCOMES = [
  'domain/operation\\.ts',
  'domain/dispute-status\\.ts',
  'domain/payment/outcome\\.ts',
  'domain/payment-instrument/recorded-data\\.ts',
  'domain/payment-method\\.ts',
];
/** What every inner room may use: the domain, the ports and what belongs to them. */
const INNER = [...BASE, PORTS, 'domain/', 'adapters\\.ts', 'telemetry/observer\\.ts', 'secrets\\.ts'];

/**
 * Each room and, besides itself, what it may import: paths below src/, as regular expressions.
 * domain <- journal <- commands, projections <- queries <- policies <- http <- service.ts <- cli.
 */
const ROOMS = {
  'domain/': [],
  'world\\.ts': [],
  'deadlines\\.ts': ['world\\.ts'],
  'app-error\\.ts': [],
  'secrets\\.ts': BASE,
  'adapters\\.ts': [...BASE, PORTS, 'telemetry/observer\\.ts'],
  'stores/[^/]+\\.ts': [...BASE],
  'processors/[^/]+\\.ts': [...BASE, 'domain/'],
  'stores/[^/]+/': [...BASE, 'stores/[^/]+\\.ts'],
  'processors/[^/]+/': [...BASE, PORTS, ...OUTCOMES, 'stores/sqlite/file/'],
  // Calls merchants' receivers: the function that commands/webhooks/ asks for.
  'receivers/': [...BASE, 'processors/http-call\\.ts', 'commands/webhooks/post\\.ts'],
  'journal/': INNER,
  'commands/': [...INNER, 'journal/'],
  'projections/': [...INNER, 'journal/'],
  'queries/': [...INNER, 'journal/', 'commands/', 'projections/'],
  // Also a program of its own, counterfoil-verify.
  'verify/': [],
  'audit/': [...INNER, 'journal/', 'commands/notifications/', 'queries/', 'verify/'],
  'policies/': [...INNER, 'journal/', 'commands/', 'projections/', 'queries/', 'audit/'],
  'http/': [...INNER, 'journal/', 'commands/', 'projections/', 'queries/', 'audit/', 'verify/', 'telemetry/sinks\\.ts'],
  'telemetry/': [...BASE, PORTS, ...OUTCOMES],
  '(service|open-streams)\\.ts': [
    ...INNER,
    'journal/',
    'commands/',
    'projections/',
    'queries/',
    'audit/',
    'policies/',
    'http/',
  ],
  '(config|settings|store-urls)\\.ts': [...BASE, 'http/checks/ip-network\\.ts'],
  'cli/': ['.*'],
};

/** Packages that one room alone knows. */
const PACKAGES = {
  'stores/mongodb/': ['mongodb'],
  'stores/eventstoredb/': ['@eventstore/db-client', '@grpc/grpc-js'],
  'stores/sqlite/': ['@photostructure/sqlite'],
  'http/': ['koa', '@koa/router', 'koa-bodyparser'],
  'telemetry/': ['prom-client', '@opentelemetry/.*'],
  'receivers/': ['ipaddr.js'],
  'cli/': ['commander', 'pino', 'pino-pretty', 'cli-progress', 'string-width'],
};

/** Loaded by a URL, as threads and what runs in them; a thread that runs from source has its own entry. */
const THREADS = '(-worker|-handler|commit-thread)\\.ts$|thread-from-source\\.mjs$';
/** A program of its own. */
const PROGRAMS = '^src/verify/main\\.ts$';

const below = (paths) => `^src/(${paths.join('|')})`;
const plain = (pattern) => pattern.replaceAll('\\', '').replaceAll('[^/]+', '*').replaceAll('.*', '*');
const packages = (names) => `(^|node_modules/)(${names.join('|')})(/|$)`;

export default {
  forbidden: [
    ...Object.entries(ROOMS).map(([room, allowed]) => ({
      name: `imports of ${plain(room)}`,
      comment: `Besides itself it may import: ${allowed.map(plain).join(', ') || 'nothing'}.`,
      severity: 'error',
      from: { path: below([room]) },
      // $1 is what the row's expression found: an adapter may import its own folder, not its neighbour's.
      to: {
        path: '^src/',
        pathNot: [room.endsWith('[^/]+/') ? '^src/$1' : below([room]), ...allowed.map((path) => `^src/${path}`)],
      },
    })),
    {
      name: 'rooms have rules',
      comment: 'A new file or folder below src/ needs its row in ROOMS.',
      severity: 'error',
      from: { path: '^src/', pathNot: below(Object.keys(ROOMS)) },
      to: {},
    },
    {
      name: 'the domain is pure',
      comment: 'It imports itself and zod.',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { pathNot: ['^src/', packages(['zod'])] },
    },
    ...Object.entries(PACKAGES).map(([room, names]) => ({
      name: `packages of ${room}`,
      comment: `Only ${room} knows ${names.map(plain).join(', ')}.`,
      severity: 'error',
      from: { path: '^src/', pathNot: below([room]) },
      to: { path: packages(names) },
    })),
    {
      name: 'the client is a package of its own',
      comment: 'It imports nothing besides itself, not even of Node: a worker runs it.',
      severity: 'error',
      from: { path: '^client/' },
      to: { pathNot: ['^client/'] },
    },
    {
      name: 'the service knows nothing of the client',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^client/' },
    },
    {
      name: 'the service knows nothing of the web',
      comment:
        'It serves the built files. What the web may import, biome-web.grit says: its pages are JSX, which this parser does not read.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^web/' },
    },
    { name: 'files make no circle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'folders make no circle',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'every file is used',
      comment: 'The command line reaches it, by imports alone.',
      severity: 'error',
      from: { path: '^src/cli/main\\.ts$' },
      to: { path: '^src/', pathNot: [THREADS, PROGRAMS], reachable: false },
    },
  ],
  options: { parser: 'swc', tsPreCompilationDeps: true, doNotFollow: { path: ['node_modules', '^dist/'] } },
};
