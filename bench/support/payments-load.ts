// The load of complete payments (session, token, authorize, capture) on open connections, for a while, or of refunds of
// such. Prints how many a second.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { z } from 'zod';

const CLIENTS = 64;
/** How many refunds each client makes. */
const REFUNDS = 12;
const Settings = z.object({
  url: z.string(),
  key: z.string(),
  load: z.union([z.literal('refunds'), z.coerce.number()]),
});
const { url, key, load } = Settings.parse({ url: process.argv[2], key: process.argv[3], load: process.argv[4] });
const { hostname, port } = new URL(url);
const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });

/** POSTs JSON; throws for any other answer than 200. */
const post = (path: string, headers: Readonly<Record<string, string>>, body: object): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const all = { ...headers, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
    const call = request({ agent, hostname, port, path, method: 'POST', headers: all }, (answer) => {
      let got = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        got += chunk;
      });
      answer.on('end', () =>
        answer.statusCode === 200
          ? resolve(JSON.parse(got))
          : reject(new Error(`${path}: ${answer.statusCode} ${got}`)),
      );
    });
    call.on('error', reject);
    call.end(text);
  });

const Session = z.object({ clientToken: z.string() });
const Token = z.object({ token: z.string() });
const Payment = z.object({ id: z.string(), status: z.string() });
const card = {
  number: '4242424242424242',
  expirationMonth: '12',
  expirationYear: '2039',
  cvc: '123',
  cardholderName: 'Ada Lovelace',
};

async function payOnce(number: number): Promise<string> {
  const fields = {
    orderId: `order-${number}`,
    currencyCode: 'EUR',
    customer: { emailAddress: 'ada@example.org', firstName: 'Ada' },
    order: { lineItems: [{ itemId: 'shirt', amount: 2_500, quantity: 2 }] },
  };
  const { clientToken } = Session.parse(await post('/client-session', { 'X-Api-Key': key }, fields));
  const { token } = Token.parse(
    await post('/checkout/payment-instruments', { 'X-Client-Token': clientToken }, { card }),
  );
  const { id } = Payment.parse(
    await post('/payments', { 'X-Api-Key': key }, { clientToken, paymentMethodToken: token }),
  );
  const { status } = Payment.parse(await post(`/payments/${id}/capture`, { 'X-Api-Key': key }, {}));
  if (status !== 'SETTLED') throw new Error(`payment ${id} is ${status}`);
  return id;
}

async function refundOnce(id: string | undefined): Promise<void> {
  Payment.parse(await post(`/payments/${id}/refund`, { 'X-Api-Key': key }, { amount: 100 }));
}

/** Each client does its work over and over, as long as `goesOn` says. Answers how often it was done in all. */
async function all(work: () => Promise<unknown>, goesOn: (done: number) => boolean): Promise<number> {
  let done = 0;
  const client = async (): Promise<void> => {
    for (let own = 0; goesOn(own); own += 1) {
      await work();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return done;
}

const paid: string[] = [];
let begun = 0;
const pay = async (): Promise<void> => {
  begun += 1;
  paid.push(await payOnce(begun));
};
const asOftenAsRefunded = (done: number): boolean => done < REFUNDS;

if (load === 'refunds') {
  await all(pay, asOftenAsRefunded);
  const asked = once(process, 'SIGUSR2');
  const alive = setInterval(() => undefined, 60_000); // a signal that is waited for does not keep a process
  process.stdout.write('Paid\n');
  await asked;
  clearInterval(alive);
}
const before = process.cpuUsage();
const started = performance.now();
const done =
  load === 'refunds'
    ? await all(() => refundOnce(paid.pop()), asOftenAsRefunded)
    : await all(pay, () => performance.now() - started < load);
const seconds = (performance.now() - started) / 1_000;
const { user, system } = process.cpuUsage(before);
process.stdout.write(
  `Loaded ${JSON.stringify({ perSecond: done / seconds, refused: 0, busy: (user + system) / 1e6 / seconds })}\n`,
);
agent.destroy();
