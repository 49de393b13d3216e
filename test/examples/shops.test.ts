// The shops of examples/ beside a service process: each sells at its own prices, is paid by a signed webhook or by what
// the service says, and refunds once.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { allPaths, readPage } from '../docs/pages.ts';
import { freePort } from '../support/free-port.ts';
import { CARDS } from '../support/http-merchant.ts';
import { leaveOut } from '../support/left-out.ts';
import { card } from '../support/node.ts';
import { ROOT } from '../support/root.ts';
import { DataDirectory, type ServiceProcess } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { EXAMPLE_SHOPS, type RunningShop, startShop } from './shops.ts';

const MOST_LINES = 120;
const STAFF = 'staff-token';
const SHIRT = 2_500;

const Endpoint = z.looseObject({ id: z.string(), secret: z.string() });
const Session = z.looseObject({ amount: z.number(), currencyCode: z.string() });
const Token = z.looseObject({ token: z.string() });
const Payment = z.looseObject({
  id: z.string(),
  processor: z.looseObject({ amountRefunded: z.number() }),
  transactions: z.array(z.looseObject({ transactionType: z.string() })),
});
const Payments = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });

describe('the examples', () => {
  const directory = new DataDirectory();
  let service: ServiceProcess;
  before(async () => {
    service = await directory.serve();
  });
  after(() => directory.remove());

  it('are one file of code each, of at most 120 lines, with a README of five', () => {
    const files = EXAMPLE_SHOPS.map(({ file }) => file);
    const readmes = files.map((file) => join(file, '../README.md'));
    expect(allPaths().filter((path) => /^examples\/[^/]+\//.test(path))).to.have.members([...files, ...readmes]);
    for (const file of files) expect(readPage(file).text.trimEnd().split('\n').length, file).to.be.at.most(MOST_LINES);
    for (const readme of readmes) expect(readPage(readme).text, readme).to.match(/^# .+\n(?:- \*\*.+\n){5}$/);
  });

  for (const example of EXAMPLE_SHOPS)
    describe(`for ${example.name}`, () => {
      const why = example.lacks();
      let shop: RunningShop;
      let endpoint: z.output<typeof Endpoint>;
      before(async () => {
        if (why !== undefined) return;
        const port = await freePort();
        const add = `webhooks endpoints add --url http://127.0.0.1:${port}/webhooks`;
        endpoint = Endpoint.parse(await directory.place.json(add));
        shop = await startShop(example, {
          folder: mkdtempSync(join(directory.place.dir, 'shop-')),
          port,
          counterfoilUrl: service.serving.url,
          apiKey: directory.key,
          webhookSecret: endpoint.secret,
          staffToken: STAFF,
        });
      });
      after(() => shop?.end());

      const itRuns = (title: string, test: () => Promise<void>): void => {
        it(title, async () => {
          if (why !== undefined) leaveOut(why);
          await test();
        });
      };

      const post = (path: string, form: Readonly<Record<string, string>>): Promise<Response> =>
        fetch(`${shop.url}${path}`, { method: 'POST', redirect: 'manual', body: new URLSearchParams(form) });
      /** The id of an order of one shirt. */
      const buy = async (form: Readonly<Record<string, string>> = {}): Promise<string> => {
        const { status, headers } = await post('/orders', { product: 'shirt', ...form });
        const [, id = ''] = /^\/orders\/([\w-]+)$/.exec(headers.get('Location') ?? '') ?? [];
        expect(status, shop.printed()).to.equal(303);
        return id;
      };
      const pageOf = async (id: string): Promise<string> => (await fetch(`${shop.url}/orders/${id}`)).text();
      const tokenOf = async (id: string): Promise<string> =>
        /clientToken: '([\w.-]+)'/.exec(await pageOf(id))?.[1] ?? expect.fail(`no checkout: ${await pageOf(id)}`);
      /** Pays as the frame of the checkout does. */
      const pay = async (clientToken: string, number: string = CARDS.approved): Promise<void> => {
        const ask = async (path: string, body: object): Promise<unknown> =>
          (await service.client.inCheckout(clientToken, 'POST', path, body)).body;
        const { token } = Token.parse(await ask('/checkout/payment-instruments', card(number)));
        await ask('/checkout/payments', { paymentMethodToken: token });
      };
      const paid = async (number?: string): Promise<string> => {
        const id = await buy();
        await pay(await tokenOf(id), number);
        await until(() => shop.printed().includes(`${id}: SETTLED, paid\n`));
        return id;
      };
      const paymentOf = async (orderId: string): Promise<z.output<typeof Payment>> => {
        const { data } = Payments.parse((await service.client.call('GET', `/payments?order_id=${orderId}`)).body);
        expect(data).to.have.length(1);
        return Payment.parse((await service.client.call('GET', `/payments/${data[0]?.id}`)).body);
      };
      const refund = async (id: string, token = STAFF): Promise<{ readonly status: number; readonly text: string }> => {
        const headers = { Authorization: `Bearer ${token}` };
        const answer = await fetch(`${shop.url}/orders/${id}/refund`, { method: 'POST', headers });
        return { status: answer.status, text: await answer.text() };
      };
      /** A message as an outsider, or as the service would send it: the status of the shop's response. */
      const tell = async (secret: string, orderId: string, sentAt = new Date()): Promise<number> => {
        const eventId = 'evt_told';
        const processor = { amountRefunded: 0 };
        const sale = { amount: SHIRT, currencyCode: 'EUR' };
        const payment = { id: 'pay_told', orderId, status: 'SETTLED', version: 4, processor, ...sale };
        // With blanks: a body that is parsed and written again has another signature.
        const body = JSON.stringify({ eventId, eventType: 'PAYMENT.STATUS', sequence: 4, payment }, null, 3);
        const headers = {
          'Content-Type': 'application/json',
          'webhook-id': eventId,
          'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
          'webhook-signature': new Webhook(secret).sign(eventId, sentAt, body),
        };
        return (await fetch(`${shop.url}/webhooks`, { method: 'POST', headers, body })).status;
      };

      itRuns('sells what it has, at the price of its catalogue, whatever a browser sends', async () => {
        expect(await (await fetch(shop.url)).text()).to.match(/Linen shirt[\s\S]*€25/);
        const clientToken = await tokenOf(await buy({ amount: '1', price: '1', 'order[lineItems][0][amount]': '1' }));
        const session = (await service.client.inCheckout(clientToken, 'GET', '/checkout/session')).body;
        expect(Session.parse(session)).to.include({ amount: SHIRT, currencyCode: 'EUR' });
        expect((await post('/orders', { product: 'car' })).status).to.equal(404);
        expect((await fetch(`${shop.url}/orders/ffffffffffffffffffffffffffffffff`)).status).to.equal(404);
      });

      itRuns('loads the checkout from the service', async () => {
        const page = await pageOf(await buy());
        const [, sdk = ''] = /import\('(.+?)'\)/.exec(page) ?? [];
        expect(sdk.startsWith(`${service.serving.url}/`)).to.equal(true);
        expect((await fetch(sdk)).status).to.equal(200);
      });

      itRuns('marks an order as paid by a signed webhook, before anyone asks', async () => {
        const id = await paid();
        expect(await pageOf(id))
          .to.include('Paid')
          .and.not.include('clientToken');
      });

      itRuns('believes no page, no other secret and no old message', async () => {
        const id = await buy();
        const claimed = await fetch(`${shop.url}/orders/${id}?status=SETTLED&paymentId=pay_forged&paid=true`);
        expect(await claimed.text()).to.include('clientToken');
        const other = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
        expect(await tell(other, id)).to.equal(400);
        expect(await tell(endpoint.secret, id, new Date(Date.now() - 10 * 60_000))).to.equal(400);
        const unsigned = await fetch(`${shop.url}/webhooks`, { method: 'POST', body: '{}' });
        expect(unsigned.status).to.equal(400);
        expect(await pageOf(id)).to.include('clientToken');
        expect(await tell(endpoint.secret, id)).to.equal(204);
        expect(await pageOf(id)).to.not.include('clientToken');
      });

      itRuns('refunds once, for staff alone, an order that is paid', async () => {
        const id = await paid();
        expect((await refund(id, 'another')).status).to.equal(401);
        expect((await refund(await buy())).status).to.equal(409);
        for (const _ of ['first', 'again'])
          expect(JSON.parse((await refund(id)).text)).to.deep.equal({ outcomeKnown: true, refunded: SHIRT });
        const { processor, transactions } = await paymentOf(id);
        expect(processor.amountRefunded).to.equal(SHIRT);
        expect(transactions.filter(({ transactionType }) => transactionType === 'REFUND')).to.have.length(1);
        expect(await pageOf(id)).to.match(/Paid, and €25.00 refunded/);
      });

      itRuns('says why a refund was refused, and that one is not confirmed yet', async () => {
        const refused = await refund(await paid(CARDS.refundDeclined));
        expect([refused.status, refused.text.trim()]).to.deep.equal([
          409,
          'The issuer declined without giving a reason.',
        ]);
        const later = await refund(await paid(CARDS.refundLater));
        expect(JSON.parse(later.text)).to.deep.equal({ outcomeKnown: false, refunded: 0 });
      });

      itRuns('finds a payment whose webhook never came', async () => {
        const id = await buy();
        const clientToken = await tokenOf(id);
        await directory.place.run(`webhooks endpoints delete ${endpoint.id}`);
        await pay(clientToken);
        expect(await pageOf(id)).to.include('Paid');
      });
    });

  it('for Next.js have the types that Next.js expects of a route', () => {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-next-'));
    try {
      mkdirSync(join(folder, 'node_modules/@counterfoil'), { recursive: true });
      symlinkSync(join(ROOT, 'client'), join(folder, 'node_modules/@counterfoil/client'));
      symlinkSync(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
      copyFileSync(join(ROOT, 'examples/nextjs/route.ts'), join(folder, 'route.ts'));
      writeFileSync(join(folder, 'as-next-checks.ts'), NEXT_CHECKS);
      writeFileSync(join(folder, 'planted.ts'), 'export const planted: string = 1;\n');
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(NEXT_CONFIGURATION));
      const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
      const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', cwd: folder });
      // The planted fault is the only one: nothing else is wrong, and the compiler looked.
      expect(stdout).to.match(/^planted\.ts.+'number' is not assignable to type 'string'\.\n$/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** The part of Next.js that a route meets: the types of its handlers and of its settings. */
const NEXT_CHECKS = `import * as route from './route';
type Handler = (request: Request, context: { params: Promise<{ path?: string[] }> }) => Response | Promise<Response>;
const checked: { GET: Handler; POST: Handler; dynamic: 'auto' | 'force-dynamic' | 'error' | 'force-static' } = route;
export default checked;
`;
/** As create-next-app writes it. */
const NEXT_CONFIGURATION = {
  compilerOptions: {
    target: 'ES2017',
    lib: ['dom', 'dom.iterable', 'esnext'],
    skipLibCheck: true,
    strict: true,
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    isolatedModules: true,
    types: ['node'],
  },
  include: ['*.ts'],
};
