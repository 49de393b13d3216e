// The output of every command for data that would break a table or trick a terminal: 80 columns, and no invisible
// character.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import stringWidth from 'string-width';
import { z } from 'zod';
import { compiledMain } from './built.ts';
import { firstKeyIn, Place, type Serving } from './processes.ts';

/** Clears the screen, turns the direction, hides an order number, and is wide. */
const TRICKS = '\u001b[2J\u009b31m\u202eevil\u2066\u200b\r支払い💳';
const UNSEEN = /[^\P{Cc}\n]|\p{Cf}|\u2028|\u2029/u;
const WIDTH = 80;

const Session = z.looseObject({ clientToken: z.string() });
const Instrument = z.looseObject({ token: z.string() });
const Listed = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });
const Payment = z.looseObject({ id: z.string() });

describe('every command, of awkward data', () => {
  const place = new Place();
  let serving: Serving;
  let id: string;
  before(async function prepare() {
    serving = await place.serve();
    const key = firstKeyIn(serving.stdout());
    const call = async (
      path: string,
      body: object,
      header: readonly [string, string] = ['X-Api-Key', key],
    ): Promise<unknown> => {
      const headers = { 'Content-Type': 'application/json', [header[0]]: header[1] };
      const response = await fetch(`${serving.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      const answer: unknown = await response.json();
      if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
      return answer;
    };
    const paid = async (card: string, orderId: string, currencyCode: string): Promise<string> => {
      const customer = { emailAddress: 'ada@example.com' };
      const { clientToken } = Session.parse(
        await call('/client-session', {
          orderId,
          currencyCode,
          amount: 123_456_789_012,
          customer,
          metadata: { note: TRICKS },
        }),
      );
      const { token: paymentMethodToken } = Instrument.parse(
        await call(
          '/checkout/payment-instruments',
          { card: { number: card, expirationMonth: '12', expirationYear: '2030', cvc: '123', cardholderName: 'Ada' } },
          ['X-Client-Token', clientToken],
        ),
      );
      return Payment.parse(await call('/payments', { clientToken, paymentMethodToken })).id;
    };
    await place.json(`webhooks endpoints add --url http://127.0.0.1:9/${'hook'.repeat(60)}`);
    id = await paid('4242424242424242', `${TRICKS}${'o'.repeat(120)}`, 'BHD');
    await call(`/payments/${id}/capture`, { amount: 1_000, final: false });
    await call(`/payments/${id}/refund`, { amount: 500, reason: `${TRICKS} ${'long '.repeat(20)}${'x'.repeat(100)}` });
    await paid('4000009900001077', TRICKS, 'JPY'); // unknown
    const named = (command: string): Promise<unknown> =>
      place.run(command, { args: ['--name', `${TRICKS}${'n'.repeat(200)}`] });
    await named(`keys create --scopes transactions:retrieve,transactions:refund,transactions:capture --expires 90d`);
  });
  after(() => place.remove());

  const TABLES = [
    'accounts list',
    'keys list',
    'payments list',
    'payments list --unknown',
    'payments show ID',
    'notifications parked',
  ].concat(
    ['projections list', 'projections parked', 'projections parked --released', 'projections rebuild --all --dry-run'],
    [
      'audit streams',
      'audit show ID',
      'audit replay ID',
      'webhooks endpoints list',
      'webhooks deliveries',
      'routing show',
      'sandbox ledger',
      'books',
      'sandbox diff',
      'sandbox clock',
      'sandbox faults --show',
      'config',
      'version',
    ],
  );
  const commandsOf = (names: readonly string[]): readonly string[] => names.map((name) => name.replace('ID', id));

  it('fits 80 columns and shows no invisible character', async function tables() {
    for (const command of commandsOf(TABLES)) {
      const { code, stdout, stderr } = await place.run(command);
      expect(code, `${command}: ${stderr}`).to.equal(0);
      expect(stdout + stderr, command).not.to.match(UNSEEN);
      for (const line of stdout.split('\n')) expect(stringWidth(line), `${command}: ${line}`).to.be.at.most(WIDTH);
    }
    const { stdout } = await place.run('payments list');
    expect(stdout).to.contain('\\u001b[2J').and.to.contain('1.000 BHD');
  });

  it('has a line for each row in a pipe without COLUMNS, for programs that read lines', async () => {
    const lines = async (COLUMNS: string): Promise<readonly string[]> =>
      (await place.run('payments list', { env: { COLUMNS } })).stdout.trimEnd().split('\n');
    const { data } = Listed.parse(await place.json('payments list'));
    const [heading, ...rows] = await lines('');
    expect(heading).to.match(/^ID +\S/);
    expect(rows.map((row) => row.split(' ')[0])).to.deep.equal(data.map((payment) => payment.id));
    expect(await lines('100')).to.have.length.above(1 + rows.length);
    for (const line of await lines('100')) expect(stringWidth(line)).to.be.at.most(100);
    expect(await lines('wide')).to.have.length(1 + rows.length);
  });

  it('shows no invisible character as JSON, which has the same values', async function asJson() {
    for (const command of commandsOf([
      'keys list',
      'payments list',
      'payments show ID',
      'audit show ID',
      'audit replay ID --diff',
    ])) {
      const { stdout } = await place.run(`${command} --json`);
      expect(stdout, command).not.to.match(UNSEEN);
      expect(JSON.stringify(JSON.parse(stdout)), command).to.contain(JSON.stringify(TRICKS).slice(1, -1));
    }
    for (const command of commandsOf(['audit show ID --jsonl', 'audit replay ID --diff'])) {
      const { stdout } = await place.run(command);
      expect(stdout, command).to.contain('evil').and.not.to.match(UNSEEN);
    }
  });

  it('escapes the tricks in typed arguments', async () => {
    const typed = [
      'payments show',
      'payments list --status',
      'audit show',
      'keys revoke',
      `--${TRICKS}`,
      'config --port',
    ];
    for (const command of typed) {
      const { stdout, stderr } = await place.run(command, { args: [TRICKS] });
      expect(stderr, command).to.contain('evil');
      expect(stdout + stderr, command).not.to.match(UNSEEN);
    }
  });

  it('has one place that writes to stdout and stderr, besides the log', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
    const writing = sources.filter((path) =>
      /process\.std(out|err)\.write\(/.test(readFileSync(join('src', path), 'utf8')),
    );
    // counterfoil-verify is a program of its own
    expect(writing.sort()).to.deep.equal(['cli/log.ts', 'cli/output.ts', 'verify/main.ts']);
  });

  it('shows none in the log, as lines of JSON and as people read it', async () => {
    const log = new URL('log.js', `file://${compiledMain()}`).href;
    const script = (isTerminal: boolean): string => `
      process.stderr.isTTY = ${isTerminal};
      const { openLog, endLogs } = await import(${JSON.stringify(log)});
      const log = await openLog('info');
      log.warn(${JSON.stringify(TRICKS)});
      log.error({ [${JSON.stringify(TRICKS)}]: [${JSON.stringify(TRICKS)}], err: new Error(${JSON.stringify(TRICKS)}) }, 'fault');
      await endLogs();`;
    for (const isTerminal of [false, true]) {
      const options = { env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined } };
      const { stderr } = await promisify(execFile)(
        process.execPath,
        ['--input-type=module', '-e', script(isTerminal)],
        options,
      );
      expect(stderr).to.contain('evil').and.not.to.match(UNSEEN);
      expect(stderr.startsWith('{')).to.equal(!isTerminal);
    }
  });
});
