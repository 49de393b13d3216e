// npm run outside: what people and programs see of a checkout over a fixed history (help, --json, answers,
// descriptions, names of metrics), written to files. Two checkouts are the same from outside if their files are. It
// uses the built command line and HTTP alone, so that nothing inside has to stay as it is.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { alterLog } from '../support/altered-log.ts';
import { ROOT } from '../support/root.ts';
import { Checkout, type Credential, type Given, type Service } from './checkout.ts';
import { Context, FILE } from './history.ts';

const HELP = `npm run outside -- history FOLDER         make the history, a data directory that does not exist
npm run outside -- record FOLDER OUT      record over a copy of it, into a folder that does not exist
  --checkout PATH   use another checkout, which is built

Record two checkouts over one history, then compare: diff -r OLDER NEWER
`;

async function record(history: string, to: string): Promise<void> {
  if (existsSync(to)) throw new Error(`${to} exists`);
  mkdirSync(to, { recursive: true });
  const write = (name: string, lines: readonly string[]): void =>
    writeFileSync(join(to, name), `${lines.join('\n').trimEnd()}\n`);
  const at = async (work: (place: string) => Promise<void>): Promise<void> => {
    const place = mkdtempSync(join(tmpdir(), 'counterfoil-outside-'));
    try {
      cpSync(history, place, { recursive: true });
      await work(place);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  };
  const context = Context.parse(JSON.parse(readFileSync(join(history, FILE), 'utf8')));
  await at(async (place) => {
    const cli = new Checkout(checkout, place);
    write('help.txt', await helpOf(cli, []));
    write('reads.txt', await commands(cli, readingCommands(context)));
    const service = await cli.serve();
    try {
      for (const path of ['/openapi.json', '/management/openapi.json'])
        write(`${path.slice(1).replace('/', '-')}.txt`, [pretty((await service.ask('GET', path)).text)]);
      write('answers.txt', await answers(service, context));
      write('writes.txt', await writes(service, context));
      write('metrics.txt', await service.metricNames());
    } finally {
      await service.end();
    }
    mkdirSync(join(place, 'restored'));
    cpSync(join(place, 'data/secret.key'), join(place, 'restored/secret.key'));
    write('changes.txt', await commands(cli, changingCommands(context)));
  });
  await at(async (place) => {
    await alterLog(join(place, 'data/events.db'), `payment-${context.broken}`, { kind: 'dataCut', n: 1 });
    const cli = new Checkout(checkout, place);
    write('broken.txt', await commands(cli, brokenCommands(context)));
  });
}

/** The help of a command and of all below it. */
async function helpOf(cli: Checkout, path: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await cli.run([...path, '--help']);
  const [, listed = ''] = /\nCommands:\n([\s\S]*?)(?:\n\n|$)/.exec(stdout) ?? [];
  const below = [...listed.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name);
  const own = [`$ counterfoil ${path.join(' ')} --help`, stdout];
  for (const name of below.filter((one) => one !== 'help')) own.push(...(await helpOf(cli, [...path, name])));
  return own;
}

/** Each command as people and as programs see it; `--json` alone where it changes something. */
async function commands(cli: Checkout, lines: readonly string[]): Promise<readonly string[]> {
  const same = new Same();
  const told: string[] = [];
  for (const line of lines) {
    const { code, stdout, stderr } = await cli.run(line.split(' '));
    told.push(same.of(`$ counterfoil ${line}\n${stdout}${stderr}exit code ${code}\n`));
  }
  return told;
}

const readingCommands = ({ shop, other, payment, disputed, customer, connection }: Context): readonly string[] => {
  const at = `--account ${shop.accountId}`;
  return both([
    ...['version', 'accounts list', 'keys list', `keys list ${at}`, 'users list', 'connections list'],
    ...[`connections show ${connection}`, `routing show ${at}`, 'projections list', 'projections parked'],
    ...[
      `payments show ${payment}`,
      `payments show ${disputed}`,
      `payments list ${at}`,
      `payments list --unknown ${at}`,
    ],
    ...[`payments list --status DECLINED,SETTLED --limit 3 ${at}`, `payments list --account ${other.accountId}`],
    ...[
      'payments list',
      'payments show pay_none',
      'books',
      `books ${at}`,
      'notifications parked',
      'webhooks deliveries',
    ],
    ...['webhooks endpoints list', 'webhooks deliveries --failed', 'webhooks incoming list', 'audit streams'],
    ...[`audit show ${payment}`, `audit replay payment-${payment}`, `audit replay payment-${payment} --revision 1`],
    ...[`audit replay payment-${payment} --diff`, 'audit verify', `audit verify payment-${payment}`, 'audit key'],
    ...[
      'audit conservation',
      'sandbox ledger',
      'sandbox diff',
      `sandbox faults --show ${at}`,
      'sandbox clock',
      'config',
    ],
    ...[`customers erase ${customer}`, 'keys create', 'nothing', 'webhooks endpoints', 'keys revoke key_none'],
  ]);
};

const changingCommands = ({ shop, other, payment, customer, left }: Context): readonly string[] => {
  const at = `--account ${other.accountId}`;
  return json([
    ...['accounts create --name Third', `accounts rename ${other.accountId} Second`],
    `accounts set-origins --origins https://a.example,https://b.example ${at}`,
    `keys create --name one --scopes transactions:retrieve --expires 90d ${at}`,
    `keys create --name two --management --grants all ${at}`,
    ...[`webhooks incoming add --processor sandbox --key ${other.keyId}`, `keys rotate ${shop.keyId} --overlap 1h`],
    ...[`keys set-scopes ${shop.keyId} --scopes transactions:retrieve`, ...twice(`keys revoke ${shop.keyId}`)],
    ...[`users add --email new@shop.example --role support ${at}`, 'users reset support@shop.example'],
    ...[...twice('users disable support@shop.example'), `connections add --processor sandbox --name third ${at}`],
    ...[`webhooks endpoints add --url http://127.0.0.1:9/two ${at}`, ...twice('projections rebuild --all')],
    ...[`customers erase ${customer} --account ${shop.accountId}`, `payments show ${payment}`],
    ...twice(`customers erase ${left} --account ${shop.accountId}`),
    ...[
      'sandbox clock advance 1h',
      'sandbox wait --until-settled --timeout 1s',
      'sandbox reset',
      'sandbox reset --yes',
    ],
    ...[
      ...twice('backup --out backup'),
      'restore --from backup --data-dir restored',
      'audit verify --data-dir restored',
    ],
    ...['copy --from sqlite:data/events.db --to sqlite:copy/events.db', ...twice('secrets rotate'), 'audit verify'],
  ]);
};

const brokenCommands = ({ broken }: Context): readonly string[] => [
  ...json(['projections rebuild --all']),
  ...both([
    'projections list',
    'projections parked',
    `payments show ${broken}`,
    `audit show ${broken}`,
    'audit streams',
  ]),
  ...both(['audit verify', `audit replay payment-${broken}`, 'audit conservation', 'books', 'sandbox diff']),
  ...json([`projections retry payments payment-${broken}`, `projections discard payments payment-${broken}`]),
  ...json([...twice(`projections release payment-${broken}`), 'backup --out backup', 'projections parked', 'books']),
];

const both = (lines: readonly string[]): readonly string[] => lines.flatMap((line) => [line, `${line} --json`]);
const json = (lines: readonly string[]): readonly string[] => lines.map((line) => `${line} --json`);
const twice = (line: string): readonly string[] => [line, line];

const LOOSE = z.looseObject({});

/** Every GET of the descriptions, with every id that the lists of the account have. */
async function answers(service: Service, { shop, other, customer }: Context): Promise<readonly string[]> {
  const told: string[] = [];
  const same = new Same({ keepsTimes: true });
  for (const account of [shop, other]) {
    const key: Credential = { 'X-Api-Key': account.key };
    const known = new Map<string, string[]>([['customerId', [customer]]]);
    const ask = async (path: string, credential: Credential = key): Promise<Given> => {
      const given = await service.ask('GET', path, credential);
      told.push(same.of(shown('GET', path, given)));
      return given;
    };
    for (const [document, credential] of [
      ['/openapi.json', key],
      ['/management/openapi.json', { 'X-Api-Key': account.management }],
    ] as const) {
      const { paths } = z
        .looseObject({ paths: z.record(z.string(), LOOSE) })
        .parse(JSON.parse((await service.ask('GET', document)).text));
      const gets = Object.entries(paths)
        .filter(([path, of]) => 'get' in of && !path.startsWith('/health') && !path.includes('openapi'))
        .map(([path]) => path);
      const lists = gets.filter((path) => !path.includes('{'));
      for (const path of lists) {
        const { body } = await ask(
          path === '/payment-instruments' ? `${path}?customer_id=${customer}` : path,
          credential,
        );
        known.set(
          path,
          body.data.map(({ id, token }) => String(id ?? token)),
        );
      }
      for (const path of gets.filter((one) => one.includes('{'))) {
        const list = path.slice(0, path.indexOf('/{'));
        for (const id of [...(known.get(list) ?? []), ...(list === '/customers' ? [customer] : []), 'none'])
          await ask(path.replace(/\{\w+\}/, encodeURIComponent(id)).replaceAll(/\{\w+\}/g, 'none'), credential);
      }
    }
  }
  return told;
}

/** Calls that change something, refusals among them, in the second account. */
async function writes(service: Service, { other }: Context): Promise<readonly string[]> {
  const told: string[] = [];
  const same = new Same();
  const key: Credential = { 'X-Api-Key': other.key };
  const management: Credential = { 'X-Api-Key': other.management };
  const ask = async (method: string, path: string, body?: object, credential = key): Promise<Given> => {
    const given = await service.ask(method, path, credential, body);
    told.push(same.of(shown(method, path, given)));
    return given;
  };
  const { payments } = await import('./history.ts');
  await payments(ask);
  for (const path of ['/client-session', '/payments', '/payment-links', '/payment-instruments/x/vault'])
    for (const body of [{}, { amount: -1 }, { amount: 'x', currencyCode: 'XXX', orderId: 1 }])
      await ask('POST', path, body);
  for (const path of ['/payments/pay_none', '/nothing', '/payments?limit=x', '/events?after=x']) await ask('GET', path);
  await ask('GET', '/payments', undefined, {});
  await ask('GET', '/payments', undefined, management);
  const made = await ask('POST', '/management/keys', { name: 'n', scopes: ['transactions:retrieve'] }, management);
  const id = z.looseObject({ apiKey: z.looseObject({ id: z.string() }) }).parse(JSON.parse(made.text)).apiKey.id;
  await ask('POST', `/management/keys/${id}/scopes`, { scopes: ['transactions:refund'] }, management);
  await ask('POST', `/management/keys/${id}/rotate`, { overlapMs: 1_000 }, management);
  for (let time = 0; time < 2; time += 1) await ask('POST', `/management/keys/${id}/revoke`, {}, management);
  await ask('POST', '/management/keys', { name: '', scopes: [] }, management);
  const endpoint = await ask('POST', '/management/webhook-endpoints', { url: 'http://127.0.0.1:9/x' }, management);
  const { endpoint: of = LOOSE.parse({}) } = z
    .looseObject({ endpoint: LOOSE.optional() })
    .parse(JSON.parse(endpoint.text));
  const at = `/management/webhook-endpoints/${String(of['id'])}`;
  await ask('PATCH', at, { url: 'http://127.0.0.1:9/y' }, management);
  await ask('POST', `${at}/rotate-secret`, { overlapMs: 1_000 }, management);
  await ask('POST', `${at}/disable`, {}, management);
  await ask('DELETE', at, undefined, management);
  await ask('POST', '/management/users', { email: 'm@shop.example', role: 'support' }, management);
  await ask('PATCH', '/management/account', { name: 'Other again' }, management);
  return told;
}

const HEADERS = /^(date|keep-alive|connection|x-request-id|content-length|transfer-encoding)$/;
const shown = (method: string, path: string, { status, headers, text }: Given): string => {
  const named = [...headers].filter(([name]) => !HEADERS.test(name)).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path}\n${status}\n${named.join('\n')}\n${pretty(text)}\n`;
};

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 1);
  } catch {
    return text;
  }
}

/** Replaces what is random or of the moment, the same by the same. `keepsTimes`: those of the history are fixed. */
class Same {
  readonly #names = new Map<string, string>();
  readonly #keepsTimes: boolean;

  constructor({ keepsTimes = false } = {}) {
    this.#keepsTimes = keepsTimes;
  }

  of(text: string): string {
    const named = text
      .replaceAll(RANDOM, (found) => {
        const name =
          this.#names.get(found) ?? `<${/^[a-z]+(?=_)/.exec(found)?.[0] ?? 'random'} ${this.#names.size + 1}>`;
        this.#names.set(found, name);
        return name;
      })
      .replaceAll(/127\.0\.0\.1:\d{5}/g, '<address>')
      .replaceAll(/"\w+Ms": \d+/g, '<milliseconds>');
    return this.#keepsTimes ? named : named.replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:[\d.]+Z)?/g, '<time>');
  }
}
/** Ids and secrets with a prefix, tokens, UUIDs, digests. */
const RANDOM =
  /\b[a-z]{2,}(?:_[a-z]+)*_(?=[\w+/=]*\d)[\w+/=]{12,}|eyJ[\w.-]+|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\b[0-9a-f]{24,}\w*|(?<=\.)[\w-]{43}\b|(?<="reference": ")\d{9}|counterfoil-outside-\w+/g;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { checkout: { type: 'string', default: ROOT }, help: { type: 'boolean' } },
});
const [what, folder, out] = positionals;
const checkout = resolve(values.checkout);
if (what === 'history' && folder !== undefined) {
  const { makeHistory } = await import('./history.ts');
  await makeHistory(checkout, resolve(folder));
} else if (what === 'record' && folder !== undefined && out !== undefined) {
  await record(resolve(folder), resolve(out));
} else {
  process.stdout.write(HELP);
  process.exitCode = values.help === true ? 0 : 2;
}
