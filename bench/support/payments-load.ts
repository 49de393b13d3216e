// The load of complete payments (session, token, authorize, capture) on open connections, for a while; or of refunds of
// such, of charges of agreements, or of payments with the same saved cards under a key, a fixed number of each. Prints
// how many a second.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { z } from 'zod';

const CLIENTS = 64;
/** How many refunds or charges each client makes. */
const EACH = 36;
/** A year of months. */
const PERIODS = 12;
const Settings = z.object({
  url: z.string(),
  key: z.string(),
  load: z.union([z.enum(['refunds', 'charges', 'saved']), z.coerce.number()]),
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

const Saved = z.object({ id: z.string(), paymentMethod: z.object({ paymentMethodToken: z.string() }) });
const Agreement = z.object({ id: z.string() });

interface Saved {
  readonly token: string;
  readonly customerId: string;
  /** One for each year of charges. */
  readonly agreements: readonly string[];
}

/** A saved card, and agreements to charge it. */
async function save(number: number): Promise<Saved> {
  const customerId = `customer-${process.pid}-${number}`;
  const fields = {
    orderId: `first-${number}`,
    currencyCode: 'EUR',
    amount: 1_900,
    customerId,
    paymentMethod: { vaultOnSuccess: true, paymentType: 'FIRST_PAYMENT' },
  };
  const { clientToken } = Session.parse(await post('/client-session', { 'X-Api-Key': key }, fields));
  const { token } = Token.parse(
    await post('/checkout/payment-instruments', { 'X-Client-Token': clientToken }, { card }),
  );
  const { id, paymentMethod } = Saved.parse(
    await post('/payments', { 'X-Api-Key': key }, { clientToken, paymentMethodToken: token }),
  );
  const agreements: string[] = [];
  while (agreements.length < EACH / PERIODS) {
    const asked = {
      paymentId: id,
      kind: 'UNSCHEDULED',
      terms: { amountRule: 'MAXIMUM', amount: 1_900, currencyCode: 'EUR', description: 'The magazine' },
      consent: { acceptedAt: '2026-01-01T00:00:00Z', channel: 'ONLINE', textDigest: 'ab'.repeat(32) },
    };
    agreements.push(Agreement.parse(await post('/agreements', { 'X-Api-Key': key }, asked)).id);
  }
  return { token: paymentMethod.paymentMethodToken, customerId, agreements };
}

async function chargeOnce({ agreements }: Saved, number: number): Promise<void> {
  const period = { periodKey: `period-${number}`, orderId: `order-${number}` };
  const agreement = agreements[number % agreements.length];
  Payment.parse(await post(`/agreements/${agreement}/charges`, { 'X-Api-Key': key }, period));
}

async function payAgain({ token, customerId }: Saved, number: number): Promise<void> {
  const asked = {
    paymentMethodToken: token,
    orderId: `order-${number}`,
    customerId,
    amount: 1_900,
    currencyCode: 'EUR',
    paymentMethod: { paymentType: 'UNSCHEDULED', captureMode: 'AUTOMATIC' },
  };
  const headers = { 'X-Api-Key': key, 'X-Idempotency-Key': `${customerId}-${number}` };
  Payment.parse(await post('/payments', headers, asked));
}

async function refundOnce(id: string | undefined): Promise<void> {
  Payment.parse(await post(`/payments/${id}/refund`, { 'X-Api-Key': key }, { amount: 100 }));
}

/** Each client does its work over and over, as long as `goesOn` says. Answers how often it was done in all. */
async function all(
  work: (client: number, own: number) => Promise<unknown>,
  goesOn: (done: number) => boolean,
): Promise<number> {
  let done = 0;
  const client = async (_: unknown, place: number): Promise<void> => {
    for (let own = 0; goesOn(own); own += 1) {
      await work(place, own);
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
const oftenEnough = (done: number): boolean => done < EACH;

/** Makes ready what the load needs. Answers its work. */
async function prepared(): Promise<(client: number, own: number) => Promise<unknown>> {
  if (load === 'refunds') {
    await all(pay, oftenEnough);
    return () => refundOnce(paid.pop());
  }
  const saved = await Promise.all(Array.from({ length: CLIENTS }, (_, place) => save(place)));
  const again = load === 'charges' ? chargeOnce : payAgain;
  return async (client, own) => {
    const one = saved[client];
    if (one !== undefined) await again(one, own);
  };
}

let work: (client: number, own: number) => Promise<unknown> = pay;
if (typeof load === 'string') {
  work = await prepared();
  const asked = once(process, 'SIGUSR2');
  const alive = setInterval(() => undefined, 60_000); // a signal that is waited for does not keep a process
  process.stdout.write('Ready\n');
  await asked;
  clearInterval(alive);
}
const before = process.cpuUsage();
const started = performance.now();
const done = await all(work, typeof load === 'string' ? oftenEnough : () => performance.now() - started < load);
const seconds = (performance.now() - started) / 1_000;
const { user, system } = process.cpuUsage(before);
process.stdout.write(
  `Loaded ${JSON.stringify({ perSecond: done / seconds, refused: 0, busy: (user + system) / 1e6 / seconds })}\n`,
);
agent.destroy();
