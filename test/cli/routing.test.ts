// A further sandbox and rules of routing from the command line, beside a running service: from a rule file with a
// mistake to a payment whose notification comes by the path of its connection.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { rulesAsText } from '../../src/cli/admin/routing.ts';
import { RoutingRules } from '../../src/domain/routing/routing-rules.ts';
import { CARDS } from '../support/http-merchant.ts';
import type { Client } from '../support/load-client.ts';
import { card } from '../support/node.ts';
import { DataDirectory } from '../support/service-process.ts';
import { until } from '../support/until.ts';

const Added = z.looseObject({ id: z.string(), webhookUrl: z.string() });
const Session = z.looseObject({ clientToken: z.string() });
const Token = z.looseObject({ token: z.string() });
const Payment = z.looseObject({ id: z.string(), status: z.string() });
const Events = z.looseObject({ data: z.array(z.looseObject({ type: z.string(), data: z.looseObject({}) })) });
const Ledger = z.looseObject({ data: z.array(z.looseObject({ paymentId: z.string(), operation: z.string() })) });
const Shown = z.looseObject({
  versions: z.array(z.looseObject({ version: z.number(), by: z.looseObject({ kind: z.string() }) })),
});
const Tried = z.looseObject({ payments: z.number(), elsewhere: z.number() });
const Diff = z.looseObject({ equal: z.boolean(), lines: z.number() });

describe('routing from the command line', () => {
  let directory: DataDirectory;
  let client: Client;
  let second: z.infer<typeof Added>;

  const run = async <T>(command: string, shape: z.ZodType<T>): Promise<T> => {
    const ran = await directory.place.run(`${command} --json`);
    if (ran.code !== 0) throw new Error(`${command} ended with ${ran.code}: ${ran.stderr}`);
    return shape.parse(JSON.parse(ran.stdout));
  };
  const rulesTo = (connection: string) =>
    writeFile(
      join(directory.place.dir, 'rules.json'),
      JSON.stringify({ rules: [], default: { use: [{ connection, weight: 1 }] } }),
    );
  const call = async <T>(shape: z.ZodType<T>, method: 'GET' | 'POST', path: string, body?: object): Promise<T> =>
    shape.parse(JSON.parse((await client.call(method, path, body)).text));
  const paid = async (number: string): Promise<string> => {
    const order = { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 };
    const { clientToken } = await call(Session, 'POST', '/client-session', order);
    const made = await client.inCheckout(clientToken, 'POST', '/checkout/payment-instruments', card(number));
    const { token } = Token.parse(JSON.parse(made.text));
    return (await call(Payment, 'POST', '/payments', { clientToken, paymentMethodToken: token })).id;
  };
  const choiceOf = async (id: string): Promise<unknown> => {
    const { data } = await call(Events, 'GET', `/payments/${id}/events`);
    return data.find(({ type }) => type === 'RouteChosen')?.data['connectionId'];
  };

  before(async () => {
    directory = new DataDirectory();
    ({ client } = await directory.serve());
    second = await run('connections add --processor sandbox --name second', Added);
  });
  after(() => directory.remove());

  it('refuses a file with a mistake, with its place, and sets one without', async () => {
    await rulesTo('third');
    const { code, stderr } = await directory.place.run('routing set rules.json');
    expect(code).to.equal(1);
    expect(stderr).to.contain('default.use[0].connection: The account has no active connection named "third".');
    await rulesTo('second');
    expect(await run('routing set rules.json', z.looseObject({ version: z.number() }))).to.include({ version: 1 });
    const { versions } = await run('routing show', Shown);
    expect(versions.map(({ version, by }) => [version, by.kind])).to.deep.equal([[1, 'operator']]);
  });

  it('reads a file as a table too: conditions, weights, and what is asked then', () => {
    const rules = RoutingRules.parse({
      rules: [
        {
          name: 'large in euro',
          when: { currencyCode: ['EUR'], amount: { gte: 100_000 }, metadata: { shop: ['a', 'b'] } },
          use: [
            { connection: 'second', weight: 90 },
            { connection: 'sandbox', weight: 10 },
          ],
          then: ['sandbox'],
        },
      ],
      default: { use: [{ connection: 'sandbox', weight: 1 }] },
      fallbackOn: ['NOT_SENT', 'SOFT'],
      never: ['SUSPECTED_FRAUD'],
    });
    const [heading, first, rest, , ...below] = rulesAsText(rules).replaceAll(/ {2,}/g, ' | ').split('\n');
    expect(heading).to.equal('RULE | CONDITIONS | USE | THEN');
    expect(first).to.equal(
      'large in euro | currency EUR; metadata shop a or b; amount from 1000.00 EUR | second 90, sandbox 10 | sandbox',
    );
    expect(rest).to.equal('default | every other payment | sandbox');
    expect(below.join(' ')).to.equal(
      'Falls back after NOT_SENT or SOFT, never after SUSPECTED_FRAUD; 2 attempts at most.',
    );
  });

  it('sends payments to the second sandbox, whose notifications come by its own path', async () => {
    let id = '';
    // The running service looks at connections and rules every few seconds. A card that was entered before such a look
    // has no token at the second sandbox, and its payment is refused after it.
    await until(async () => {
      id = await paid(CARDS.captureLater).catch(() => '');
      return id !== '' && (await choiceOf(id)) === second.id;
    });
    await client.call('POST', `/payments/${id}/capture`, {});
    await until(async () => (await call(Payment, 'GET', `/payments/${id}`)).status === 'SETTLED');
    const { data } = await call(Events, 'GET', `/payments/${id}/events`);
    const captured = data.find(({ type }) => type === 'PaymentCaptured');
    expect(captured?.data['evidence']).to.include({ source: 'notification' });
    const { data: lines } = await run('sandbox ledger --connection second', Ledger);
    expect(lines.filter(({ paymentId }) => paymentId === id).map(({ operation }) => operation)).to.deep.equal([
      'authorization',
      'capture',
    ]);
    expect((await run('sandbox diff', Diff)).equal).to.equal(true);
  });

  it('tries a file on past payments without a change', async () => {
    await rulesTo('sandbox');
    const tried = await run('routing test rules.json --since 1d', Tried);
    expect(tried.payments).to.be.greaterThan(0);
    expect(tried.elsewhere).to.be.greaterThan(0);
    expect((await run('routing show', Shown)).versions).to.have.length(1);
  });

  it('tries one session: by its own rules, by those of a file, and where it is refused', async () => {
    const order = { orderId: 'o-2', currencyCode: 'EUR', amount: 1_234 };
    const { clientToken } = await call(Session, 'POST', '/client-session', order);
    const [, claims = ''] = clientToken.split('.');
    const { sub } = z.looseObject({ sub: z.string() }).parse(JSON.parse(Buffer.from(claims, 'base64url').toString()));
    const TriedSession = z.looseObject({
      allowed: z.boolean(),
      amount: z.number(),
      connection: z.looseObject({ name: z.string() }),
    });
    const own = await run(`routing test --session ${sub}`, TriedSession);
    expect([own.allowed, own.amount, own.connection.name]).to.deep.equal([true, 1_234, 'second']);
    await rulesTo('sandbox');
    const byFile = await directory.place.run(`routing test rules.json --session ${sub}`);
    expect(byFile.stdout).to.contain('sandbox (sandbox) would be asked.').and.contain('12.34 EUR would be held.');
    const debit = await directory.place.run(`routing test --session ${sub} --method SEPA_DEBIT`);
    expect([debit.code, debit.stdout]).to.deep.include(0);
    expect(debit.stdout).to.contain('It would be refused: 422 RequestValidationError.');
    expect((await directory.place.run('routing test')).code).to.equal(2);
    expect((await directory.place.run('routing test --session cs_0')).code).to.equal(1);
  });

  it('says by name what was chosen', async () => {
    const id = await paid(CARDS.approved);
    const { stdout } = await directory.place.run(`payments show ${id}`);
    expect(stdout).to.contain('version 1 chose second.').and.not.to.contain(`chose ${second.id}`);
  });

  it('moves the clock of the second sandbox with that of the first', async () => {
    const id = await paid(CARDS.refundFailsAfterDays);
    expect(await choiceOf(id)).to.equal(second.id);
    await call(Payment, 'POST', `/payments/${id}/capture`, {});
    await call(Payment, 'POST', `/payments/${id}/refund`, {});
    const typesOf = async (): Promise<readonly string[]> =>
      (await call(Events, 'GET', `/payments/${id}/events`)).data.map(({ type }) => type);
    expect(await typesOf())
      .to.contain('RefundPending')
      .and.not.to.contain('RefundDeclined');
    await run('sandbox clock advance 3d', z.looseObject({}));
    await until(async () => (await typesOf()).includes('RefundDeclined'));
  });

  it('removes the rules, so that payments go back to the first sandbox', async () => {
    const cleared = await directory.place.run('routing clear');
    expect(cleared.stdout).to.equal(
      'Version 2 removed the rules. A payment goes to the connection at which its token is good.\n',
    );
    const { stdout } = await directory.place.run('routing show');
    expect(stdout)
      .to.match(/^No rules\./)
      .and.to.match(/\n2 .* removed the rules\n1 .* 0 rules and the default\n$/);
    // the running service looks at the rules every few seconds
    await until(async () => (await choiceOf(await paid(CARDS.approved))) === undefined);
  });

  it('shows and resets the faults of one sandbox alone', async () => {
    await writeFile(
      join(directory.place.dir, 'faults.json'),
      JSON.stringify({ rules: [{ match: { operation: 'refund' }, do: { phase: 'before_send', fault: 'reset' } }] }),
    );
    const Faults = z.looseObject({ rules: z.array(z.unknown()).optional() });
    await run('sandbox faults faults.json --connection second', Faults);
    expect((await run('sandbox faults --show --connection second', Faults)).rules).to.have.length(1);
    expect((await run('sandbox faults --show', Faults)).rules).to.equal(undefined);
    await run('sandbox reset --connection second --yes', z.looseObject({}));
    expect((await run('sandbox ledger --connection second', Ledger)).data).to.deep.equal([]);
    const refused = await directory.place.run('connections add --processor sandbox --name third --secret-key env:KEY');
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.contain('Must be left out: the processor sandbox has none.');
  });
});
