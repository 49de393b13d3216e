// npm run outside: what people and programs see of a checkout over a fixed history (help, --json, answers,
// descriptions, names of metrics), written to files. Two checkouts are the same from outside if their files are. It
// uses the built command line and HTTP alone, so that nothing inside has to stay as it is.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { Place } from '../cli/processes.ts';
import { alterLog } from '../support/altered-log.ts';
import { freePort } from '../support/free-port.ts';
import { ROOT } from '../support/root.ts';
import { type Ask, askAt, type Credential, type Given } from './ask.ts';
import { Context, FILE, makeHistory, payments } from './history.ts';

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
  const onCopy = async (work: (place: Place) => Promise<void>): Promise<void> => {
    const place = new Place(main);
    try {
      cpSync(history, place.dir, { recursive: true });
      await work(place);
    } finally {
      await place.remove();
    }
  };
  const context = Context.parse(JSON.parse(readFileSync(join(history, FILE), 'utf8')));
  await onCopy(async (place) => {
    write('help.txt', await helpOf(place, ''));
    write('reads.txt', await commands(place, readingCommands(context)));
    const metricsPort = await freePort();
    const serving = await place.serve(`--json --metrics-port ${metricsPort}`, { COUNTERFOIL_RATE_LIMIT: '0' });
    for (const path of DESCRIPTIONS)
      write(`${path.slice(1).replace('/', '-')}.txt`, [pretty((await askAt(serving.url)('GET', path)).text)]);
    write('answers.txt', await answers(serving.url, context));
    write('writes.txt', await writes(serving.url, context));
    const { text } = await askAt(`http://127.0.0.1:${metricsPort}`)('GET', '/metrics');
    write('metrics.txt', text.match(/^# .*/gm)?.toSorted() ?? []);
    await serving.end('SIGTERM');
    mkdirSync(join(place.dir, 'restored'));
    cpSync(join(place.dir, 'data/secret.key'), join(place.dir, 'restored/secret.key'));
    write('changes.txt', await commands(place, changingCommands(context)));
  });
  await onCopy(async (place) => {
    await alterLog(join(place.dir, 'data/events.db'), `payment-${context.broken}`, { kind: 'dataCut', n: 1 });
    write('broken.txt', await commands(place, brokenCommands(context)));
  });
}

const DESCRIPTIONS = ['/openapi.json', '/management/openapi.json'] as const;

/** The help of a command and of all below it. */
async function helpOf(place: Place, path: string): Promise<readonly string[]> {
  const { stdout } = await place.run(`${path} --help`);
  const [, listed = ''] = /\nCommands:\n([\s\S]*?)(?:\n\n|$)/.exec(stdout) ?? [];
  const told = [`$ counterfoil${path} --help`, stdout];
  for (const [, name = ''] of listed.matchAll(/^ {2}([a-z][\w-]*)/gm))
    if (name !== 'help') told.push(...(await helpOf(place, `${path} ${name}`)));
  return told;
}

/** Each command as people and as programs see it; `--json` alone where it changes something. */
async function commands(place: Place, lines: readonly string[]): Promise<readonly string[]> {
  const same = new Same();
  const told: string[] = [];
  for (const line of lines) {
    const { code, stdout, stderr } = await place.run(line);
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

const Description = z.looseObject({ paths: z.record(z.string(), z.looseObject({})) });

/** Every GET of the descriptions, with every id that the lists of the account have. */
async function answers(url: string, { shop, other, customer }: Context): Promise<readonly string[]> {
  const told: string[] = [];
  const same = new Same({ keepsTimes: true });
  for (const account of [shop, other])
    for (const [document, key] of [
      [DESCRIPTIONS[0], account.key],
      [DESCRIPTIONS[1], account.management],
    ] as const) {
      const ask = telling(askAt(url, { 'X-Api-Key': key }), told, same);
      const { paths } = Description.parse(JSON.parse((await askAt(url)('GET', document)).text));
      const gets = Object.keys(paths).filter(
        (path) => paths[path]?.['get'] !== undefined && !/^\/health|openapi/.test(path),
      );
      const known = new Map([['/customers', [customer]]]);
      for (const list of gets.filter((path) => !path.includes('{'))) {
        const query = list === '/payment-instruments' ? `?customer_id=${customer}` : '';
        const { body } = await ask('GET', `${list}${query}`);
        known.set(
          list,
          body.data.flatMap(({ id = [], token = id }) => token),
        );
      }
      for (const path of gets.filter((one) => one.includes('{')))
        for (const id of [...(known.get(path.slice(0, path.indexOf('/{'))) ?? []), 'none'])
          await ask('GET', path.replace(/\{\w+\}/, encodeURIComponent(id)).replaceAll(/\{\w+\}/g, 'none'));
    }
  return told;
}

/** Calls that change something, refusals among them, in the second account. */
async function writes(url: string, { other }: Context): Promise<readonly string[]> {
  const told: string[] = [];
  const same = new Same();
  const ask = telling(askAt(url, { 'X-Api-Key': other.key }), told, same);
  const management: Credential = { 'X-Api-Key': other.management };
  const manage = telling(askAt(url, management), told, same);
  await payments(ask);
  for (const path of ['/client-session', '/payments', '/payment-links', '/payment-instruments/x/vault'])
    for (const body of [{}, { amount: -1 }, { amount: 'x', currencyCode: 'XXX', orderId: 1 }])
      await ask('POST', path, body);
  for (const path of ['/payments/pay_none', '/nothing', '/payments?limit=x', '/events?after=x']) await ask('GET', path);
  for (const credential of [{}, management]) await ask('GET', '/payments', undefined, credential);
  const { apiKey } = (await manage('POST', '/management/keys', { name: 'n', scopes: ['transactions:retrieve'] })).body;
  const key = `/management/keys/${apiKey?.id}`;
  await manage('POST', `${key}/scopes`, { scopes: ['transactions:refund'] });
  await manage('POST', `${key}/rotate`, { overlapMs: 1_000 });
  for (let time = 0; time < 2; time += 1) await manage('POST', `${key}/revoke`, {});
  await manage('POST', '/management/keys', { name: '', scopes: [] });
  const { endpoint } = (await manage('POST', '/management/webhook-endpoints', { url: 'http://127.0.0.1:9/x' })).body;
  const receiver = `/management/webhook-endpoints/${endpoint?.id}`;
  await manage('PATCH', receiver, { url: 'http://127.0.0.1:9/y' });
  await manage('POST', `${receiver}/rotate-secret`, { overlapMs: 1_000 });
  await manage('POST', `${receiver}/disable`, {});
  await manage('DELETE', receiver);
  await manage('POST', '/management/users', { email: 'm@shop.example', role: 'support' });
  await manage('PATCH', '/management/account', { name: 'Other again' });
  return told;
}

/** Puts each call and its answer among those that are told. */
const telling =
  (ask: Ask, told: string[], same: Same): Ask =>
  async (method, path, ...rest) => {
    const given = await ask(method, path, ...rest);
    told.push(same.of(shown(method, path, given)));
    return given;
  };

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
  /\b[a-z]{2,}(?:_[a-z]+)*_(?=[\w+/=]*\d)[\w+/=]{12,}|eyJ[\w.-]+|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\b[0-9a-f]{24,}\w*|(?<=\.)[\w-]{43}\b|(?<="reference": ")\d{9}|counterfoil-cli-\w+/g;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { checkout: { type: 'string', default: ROOT }, help: { type: 'boolean' } },
});
const [what, folder, out] = positionals;
const main = join(resolve(values.checkout), 'dist/cli/main.js');
if (what === 'history' && folder !== undefined) {
  await makeHistory(main, resolve(folder));
} else if (what === 'record' && folder !== undefined && out !== undefined) {
  await record(resolve(folder), resolve(out));
} else {
  process.stdout.write(HELP);
  process.exitCode = values.help === true ? 0 : 2;
}
