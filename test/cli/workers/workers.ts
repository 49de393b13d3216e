// Helpers for tests of several processes on one port: requests on connections of their own, and the processes that
// answered.
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { until } from '../../support/until.ts';
import { firstKeyIn, type Place, type Serving } from '../processes.ts';

/** The card that is approved. */
export const card = { number: '4242424242424242', expirationMonth: '12', expirationYear: '2039', cvc: '123' };

export interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/**
 * A request on a connection of its own, which a worker gets in its turn; rejects when the connection ends without an
 * answer.
 */
export function ask(
  url: string,
  path: string,
  headers: { readonly [name: string]: string } = {},
  body?: object,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const text = body === undefined ? '' : JSON.stringify(body);
    const asked = request(
      {
        hostname,
        port,
        path,
        method: body === undefined ? 'GET' : 'POST',
        agent: false,
        headers: { 'Content-Type': 'application/json', ...headers },
      },
      (answer) => {
        let got = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          got += part;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: got }));
        answer.on('error', reject);
      },
    );
    asked.on('error', reject);
    asked.end(text);
  });
}

/** The results of so much work at once. */
export const times = <T>(count: number, one: (index: number) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)));

/** The workers' processes as the supervisor has told them last, by their numbers. */
function workersOf(serving: Serving): ReadonlyMap<number, number> {
  const [, first = ''] = /workers are ready: processes ([\d, ]+)\./.exec(serving.stderr()) ?? [];
  const pids = new Map(first.split(', ').map((pid, place) => [place + 1, Number(pid)]));
  for (const [, number, pid] of serving.stderr().matchAll(/Worker (\d+) is ready again: process (\d+)/g))
    pids.set(Number(number), Number(pid));
  return pids;
}

/** A service of two workers that both answer. */
export const started = async (
  place: Place,
  flags = '',
  env: { readonly [variable: string]: string } = {},
): Promise<Serving> => {
  const serving = await place.serve(`--workers 2 ${flags}`, env);
  await until(() => serving.stderr().includes('workers are ready'));
  return serving;
};
/** The process of a worker; throws where there is none. */
export const pidOf = (serving: Serving, number: number): number => {
  const pid = workersOf(serving).get(number);
  if (pid === undefined) throw new Error(`no worker ${number}: ${serving.stderr()}`);
  return pid;
};
/** Resolves when another process than `pid` answers as this worker. */
export const isReplaced = (serving: Serving, number: number, pid: number): Promise<void> =>
  until(() => serving.stderr().includes(`Worker ${number} is ready again`) && pidOf(serving, number) !== pid);
export const session = (url: string, key: string, orderId: string): Promise<Answered> =>
  ask(url, '/client-session', { 'X-Api-Key': key }, { orderId, currencyCode: 'EUR', amount: 100 });
/** The workers that answered requests, by the log. */
export const answeredBy = (serving: Serving): ReadonlySet<string> =>
  new Set(
    [...serving.stderr().matchAll(/"worker":(\d+),"requestId".*"msg":"request"/g)].map(([, worker = '']) => worker),
  );

/** A request whose body has not come yet: a worker has it. */
export async function begun(serving: Serving): Promise<{ finish(): Promise<number> }> {
  const key = firstKeyIn(serving.stdout());
  const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json', Expect: '100-continue' };
  const running = request(`${serving.url}/client-session`, { method: 'POST', headers, agent: new Agent() });
  const broken = new Promise<never>((_, reject) => running.once('error', reject));
  broken.catch(() => undefined); // told by `finish`
  running.flushHeaders();
  await once(running, 'continue');
  return {
    async finish() {
      running.end('{"orderId":"late","currencyCode":"EUR","amount":100}');
      const [answer]: IncomingMessage[] = await Promise.race([once(running, 'response'), broken]);
      answer?.resume();
      return answer?.statusCode ?? 0;
    },
  };
}
