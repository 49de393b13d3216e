// How deep a call goes: files, functions and calls of this service that run on its main thread until the answer, by
// V8's precise coverage.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { readSecretFile, secretFileIn } from '../src/cli/open/machine-secrets.ts';
import { listen } from '../src/cli/serve/http-listener.ts';
import { SIGNATURE_HEADER, signatureOf } from '../src/processors/sandbox/notifications.ts';
import { Secrets } from '../src/secrets.ts';
import { formatTime, liveWorld } from '../src/world.ts';
import { type Answer, Client } from '../test/support/load-client.ts';
import { card } from '../test/support/node.ts';
import { type Bench, type Row, rowOf } from './row.ts';
import { firstOf, main, quiet } from './support/data-directory.ts';
import { median, sessionFields } from './support/patches.ts';
import { AS_STARTED, end, unpinned } from './support/pinned.ts';
import { temporary } from './support/temporary.ts';

/** Rounds before those that count: the first calls of a process also fill its caches. */
const WARM = 30;
/** A function counts that runs in more than half of them: timers of the service run beside some of the calls. */
const COUNTED = 15;
/** The quiet time (ms) after which work that follows the response counts as over, because its end is not reported. */
const QUIET_MS = 400;
/** Before a counted call, ms: what earlier calls left to do is done, and what is remembered is still fresh. */
const WARM_MS = 60;
/** BENCH_DEPTH='POST /payments' lists what that call runs. */
const LISTED = process.env['BENCH_DEPTH'];
const NONE = { files: Number.NaN, functions: Number.NaN };
/** The goal for each; the others are only shown. */
const REACH: Readonly<Record<string, { readonly files: number; readonly functions: number }>> = {
  'GET /client-session': NONE,
  'PATCH /client-session': { files: 50, functions: 180 },
  'POST /payments': { files: 110, functions: 420 },
  'POST /payments/{id}/refund': NONE,
  'a webhook in, until it is handled': NONE,
  'a webhook out, until it is on record': NONE,
};

const Ran = z.array(z.object({ url: z.string(), name: z.string(), at: z.number(), calls: z.number() }));
type Ran = z.output<typeof Ran>;
const Session = z.looseObject({ clientToken: z.string() });
const Token = z.looseObject({ token: z.string() });
const Payment = z.looseObject({ id: z.string() });
const History = z.looseObject({
  data: z.array(z.looseObject({ data: z.looseObject({ reference: z.string().optional() }) })),
});

type Seen = Map<string, Ran[]>;

export const bench: Bench = async () => {
  const directory = await temporary();
  const dataDir = join(directory, 'data');
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  });
  const hook = fileURLToPath(new URL('support/coverage-hook.mjs', import.meta.url));
  const serve = [main, 'serve', '--json', '--port', '0', '--data-dir', dataDir];
  const server = spawn(process.execPath, [...AS_STARTED, '--import', hook, ...serve], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, ...quiet },
  });
  try {
    const { url, key, accountId } = await firstOf(server);
    const client = new Client(url, key);
    const seen: Seen = new Map();
    const notify = await notifier(client, dataDir);
    for (let round = 0; round < WARM + COUNTED; round += 1)
      await checkout({ server, client, seen, notify }, round >= WARM);
    const to = await listen(receiver, { host: '127.0.0.1', port: 0 });
    const add = [main, 'webhooks', 'endpoints', 'add', '--url', to, '--account', accountId, '--data-dir', dataDir];
    await once(unpinned(add, quiet), 'exit');
    for (let round = 0; round < WARM + COUNTED; round += 1) await delivery({ server, client, seen }, round >= WARM);
    client.close();
    if (LISTED !== undefined) list(usual(seen.get(LISTED) ?? []));
    return Object.keys(REACH).flatMap((what) => rowsOf(what, seen.get(what) ?? []));
  } finally {
    await end(server);
    receiver.close();
    await rm(directory, { recursive: true });
  }
};

interface Measured {
  readonly server: ChildProcess;
  readonly client: Client;
  readonly seen: Seen;
}

/** A session that is changed, paid, captured and refunded in part, and the processor's notification about it. */
async function checkout(
  { server, client, seen, notify }: Measured & { readonly notify: Notify },
  counts: boolean,
): Promise<void> {
  const counted = async (what: string, call: () => Promise<Answer>): Promise<unknown> => {
    if (counts) await pause(WARM_MS);
    await ranIn(server);
    const answer = bodyOf(await call());
    if (counts) seen.set(what, [...(seen.get(what) ?? []), await ranIn(server)]);
    return answer;
  };
  const { clientToken, token } = await tokenized(client);
  const change = { clientToken, customer: { firstName: 'Grace' }, metadata: { source: 'bench' } };
  await counted('PATCH /client-session', () => client.call('PATCH', '/client-session', change));
  await counted('GET /client-session', () => client.call('GET', `/client-session?clientToken=${clientToken}`));
  const pay = () => client.call('POST', '/payments', { clientToken, paymentMethodToken: token });
  const { id } = Payment.parse(await counted('POST /payments', pay));
  bodyOf(await client.call('POST', `/payments/${id}/capture`, {}));
  await counted('POST /payments/{id}/refund', () => client.call('POST', `/payments/${id}/refund`, { amount: 100 }));
  const { data } = History.parse(bodyOf(await client.call('GET', `/payments/${id}/events`)));
  const reference = data.flatMap(({ data: { reference: named } }) => named ?? [])[0] ?? '';
  await counted('a webhook in, until it is handled', async () => {
    const answer = await notify(reference);
    if (counts) await pause(QUIET_MS);
    return answer;
  });
}

/** A payment whose authorization is sent to a merchant's endpoint. */
async function delivery({ server, client, seen }: Measured, counts: boolean): Promise<void> {
  const { clientToken, token } = await tokenized(client);
  bodyOf(await client.call('POST', '/payments', { clientToken, paymentMethodToken: token }));
  if (!counts) return;
  await ranIn(server);
  await pause(QUIET_MS);
  const what = 'a webhook out, until it is on record';
  seen.set(what, [...(seen.get(what) ?? []), await ranIn(server)]);
}

async function tokenized(client: Client): Promise<{ readonly clientToken: string; readonly token: string }> {
  const { clientToken } = Session.parse(bodyOf(await client.call('POST', '/client-session', sessionFields('order'))));
  const { token } = Token.parse(
    bodyOf(await client.inCheckout(clientToken, 'POST', '/checkout/payment-instruments', card())),
  );
  return { clientToken, token };
}

type Notify = (reference: string) => Promise<Answer>;

/** Tells of an authorization as the sandbox does. */
async function notifier(client: Client, dataDir: string): Promise<Notify> {
  const secret = await readSecretFile(secretFileIn(dataDir));
  const [key] = new Secrets([secret?.secret ?? Buffer.alloc(0)]).keys('sandbox-signature');
  if (key === undefined) throw new Error('no key to sign with');
  return (reference) => {
    const money = { amount: 5_000, currencyCode: 'EUR', processorTransactionId: 'sbx_bench' };
    const told = {
      notificationId: reference,
      type: 'authorization.succeeded',
      occurredAt: formatTime(liveWorld.now()),
      reference,
      ...money,
    };
    return client.call('POST', '/webhooks/sandbox', told, {
      [SIGNATURE_HEADER]: signatureOf(key, JSON.stringify(told), liveWorld.now()),
    });
  };
}

function bodyOf({ status, text, body }: Answer): unknown {
  if (status !== 200 && status !== 202) throw new Error(`unexpected answer: ${status} ${text}`);
  return body;
}

/** The functions of the service that ran since the last question. */
async function ranIn(server: ChildProcess): Promise<Ran> {
  server.send('what ran');
  const [message] = await once(server, 'message');
  const root = pathToFileURL(join(dirname(main), '..')).href;
  return Ran.parse(message).filter(({ url, calls }) => calls > 0 && url.startsWith(`${root}/`));
}

/** Lists each file with its functions and their calls, to see which functions a call runs. */
function list(ran: Ran): void {
  for (const file of new Set(ran.map(({ url }) => url))) {
    const functions = ran.filter(({ url }) => url === file).map(({ name, calls }) => `${name || '()'} ${calls}`);
    process.stderr.write(`${file.slice(file.indexOf('/dist/') + 1)}: ${functions.join(', ')}\n`);
  }
}

/** What runs in more than half of the rounds, with the usual number of its calls. */
function usual(rounds: readonly Ran[]): Ran {
  const runs = new Map<string, Ran>();
  for (const one of rounds.flat()) runs.set(`${one.url} ${one.at}`, [...(runs.get(`${one.url} ${one.at}`) ?? []), one]);
  return [...runs.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined || same.length <= rounds.length / 2) return [];
    return [{ ...first, calls: median(same.map(({ calls }) => calls)) }];
  });
}

function rowsOf(what: string, rounds: readonly Ran[]): readonly Row[] {
  const { files, functions } = REACH[what] ?? NONE;
  const ran = usual(rounds);
  const calls = ran.reduce((sum, one) => sum + one.calls, 0);
  const row = (unit: 'files' | 'functions', measured: number, reach: number): Row => {
    const against = Number.isNaN(reach) ? measured : reach;
    return rowOf(`${what}${unit === 'functions' ? `, ${calls} calls of` : ''}`, measured, against, { atMost: 1 }, unit);
  };
  return [row('files', new Set(ran.map(({ url }) => url)).size, files), row('functions', ran.length, functions)];
}
